import type { Secret } from "./evidence.ts";
import { type RawEnvelope, type RawEvent, utterance } from "./raw-envelope.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { Agent } from "./world.ts";

// Scripts of agents, without our code. They have no state: an answer depends on the received envelope and on chance.

type ScriptContext = { random: SeededRandom; secrets: Secret[]; urls: readonly string[]; onEndless: () => void };

type Script = (context: ScriptContext, self: { speakerUri: string }) => Agent["answer"];

/** A repeatable agent gives the same id for the same delivery; others a new id each time, as a model does. */
function utteranceId({ random }: ScriptContext, speakerUri: string, id: string, isRepeatable: boolean): string {
  const name = speakerUri.slice(speakerUri.lastIndexOf(":") + 1);
  return isRepeatable ? `${name}/${id}` : `${name}/${id}/${random.between(0, 2 ** 30)}`;
}

const hasEvent = ({ events }: RawEnvelope, eventType: string) => events.some((event) => event.eventType === eventType);

/** Answers manifest requests and invites; `rest` answers everything else. */
function withInviteHandling(context: ScriptContext, speakerUri: string, rest: Agent["answer"]): Agent["answer"] {
  const { random } = context;
  return (received, hint) => {
    if (hasEvent(received, "getManifests")) return random.isTrue(0.7) ? [manifest(speakerUri)] : [];
    if (!isInvited(received, speakerUri)) return rest(received, hint);
    if (random.isTrue(0.06)) return [{ eventType: "declineInvite", reason: "@busy" }];
    return random.isTrue(0.5) ? [{ eventType: "acceptInvite" }] : [];
  };
}

function isInvited({ events }: RawEnvelope, speakerUri: string): boolean {
  const names = [speakerUri, urlOf(speakerUri)];
  return events.some(
    ({ eventType, to }) =>
      eventType === "invite" && (names.includes(to?.speakerUri ?? "") || names.includes(to?.serviceUrl ?? "")),
  );
}

function urlOf(speakerUri: string): string {
  return `http://${speakerUri.slice(speakerUri.lastIndexOf(":") + 1)}.example/`;
}

function manifest(speakerUri: string): RawEvent {
  const identification = {
    speakerUri,
    serviceUrl: urlOf(speakerUri),
    organization: "Example",
    conversationalName: speakerUri,
    synopsis: "talks",
  };
  return { eventType: "publishManifests", parameters: { servicingManifests: [{ identification, capabilities: [] }] } };
}

const scripts = {
  silent: () => () => [],
  echo: (context, { speakerUri }) => {
    const isRepeatable = context.random.isTrue(0.5);
    return (received, { id }) =>
      hasEvent(received, "utterance")
        ? [utterance(speakerUri, utteranceId(context, speakerUri, id, isRepeatable), `heard ${id}`)]
        : [];
  },
  /** Answers every envelope, without end. */
  endless: (context, { speakerUri }) => {
    return (_received, { id }) => {
      context.onEndless();
      return [
        utterance(
          speakerUri,
          utteranceId(context, speakerUri, id, false),
          `and another thing ${context.random.next()}`,
        ),
      ];
    };
  },
  whisperer: (context, { speakerUri }) => {
    return ({ events, sender }, { id }) => {
      if (!events.some(({ eventType }) => eventType === "utterance")) return [];
      const word = `secret-${context.secrets.length}-`;
      context.secrets.push({ word, mayKnow: [speakerUri, sender.speakerUri] });
      const to = { speakerUri: sender.speakerUri, private: true };
      return [utterance(speakerUri, utteranceId(context, speakerUri, id, false), word, to)];
    };
  },
  asker: (context, { speakerUri }) => {
    return (received, { id }) => {
      if (received.conversation.floorGranted?.includes(speakerUri) === true) {
        const event = utterance(speakerUri, utteranceId(context, speakerUri, id, true), `my turn ${id}`);
        return context.random.isTrue(0.5) ? [event, { eventType: "yieldFloor" }] : [event];
      }
      return [{ eventType: "requestFloor" }];
    };
  },
  restless: (context, { speakerUri }) => {
    return (received, { id }) => {
      if (!hasEvent(received, "utterance") || context.random.isTrue(0.5)) return [];
      if (context.random.isTrue(0.15)) return [{ eventType: "bye" }];
      const serviceUrl = context.random.pick(context.urls);
      const event = utterance(speakerUri, utteranceId(context, speakerUri, id, true), `look who is here ${id}`);
      return [event, { eventType: "invite", to: { serviceUrl } }];
    };
  },
} as const satisfies Record<string, Script>;

const delegable = ["invite", "uninvite", "requestFloor", "grantFloor", "revokeFloor", "getManifests"];

/** A convener: approves most events, and sometimes adds an utterance. */
const convening: Script = (context, { speakerUri }) => {
  const { random } = context;
  return ({ events, sender, conversation }, { id }) =>
    events.flatMap((event): RawEvent[] => {
      const hasFloor = conversation.floorGranted?.includes(sender.speakerUri) === true;
      const isAsked = event.eventType === "utterance" ? !hasFloor : delegable.includes(event.eventType);
      if (!isAsked || random.isTrue(0.15)) return [];
      if (event.eventType === "requestFloor") {
        return random.isTrue(0.3) ? [{ eventType: "grantFloor", to: { speakerUri: sender.speakerUri } }] : [];
      }
      const own = utterance(speakerUri, utteranceId(context, speakerUri, id, true), `so be it ${id}`);
      return random.isTrue(0.2) ? [event, own] : [event];
    });
};

export function createAgents(
  context: ScriptContext,
  { agents, hasConvener }: { agents: number; hasConvener: boolean },
): Agent[] {
  const { random } = context;
  const create = (name: string, role: Agent["role"], script: Script): Agent => {
    const speakerUri = `tag:agents.example,2026:${name}`;
    const answer = withInviteHandling(context, speakerUri, script(context, { speakerUri }));
    const faultRate = random.pick(role === "convener" ? [0, 0.01, 0.05] : [0, 0, 0.01, 0.05, 0.2]);
    return { speakerUri, serviceUrl: urlOf(speakerUri), role, faultRate, isDead: false, unreachableUntilMs: 0, answer };
  };
  const names = Object.keys(scripts) as (keyof typeof scripts)[];
  const all = Array.from({ length: agents }, (_, index) =>
    create(`a${index + 1}`, "agent", scripts[random.pick(names)] as Script),
  );
  return hasConvener ? [...all, create("chair", "convener", convening)] : all;
}
