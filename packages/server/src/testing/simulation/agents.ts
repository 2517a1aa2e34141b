import type { Chance } from "./chance.ts";
import type { Secret } from "./evidence.ts";
import { utterance, type WireEnvelope, type WireEvent } from "./wire.ts";
import type { Agent } from "./world.ts";

// Scripts of agents as others write them. They keep nothing: what they say depends on what they hear, and on chance.

type Cast = { chance: Chance; secrets: Secret[]; urls: readonly string[]; onEndless: () => void };

type Script = (cast: Cast, self: { speakerUri: string }) => Agent["answer"];

/** The same delivery, the same words: or new ones each time, as a model has them. */
function wordId({ chance }: Cast, speakerUri: string, id: string, isSteady: boolean): string {
  const name = speakerUri.slice(speakerUri.lastIndexOf(":") + 1);
  return isSteady ? `${name}/${id}` : `${name}/${id}/${chance.between(0, 2 ** 30)}`;
}

const hears = ({ events }: WireEnvelope, eventType: string) => events.some((event) => event.eventType === eventType);

/** What nearly every agent does when it is asked in, asked who it is, or has nothing to say. */
function manners(cast: Cast, speakerUri: string, rest: Agent["answer"]): Agent["answer"] {
  const { chance } = cast;
  return (heard, hint) => {
    if (hears(heard, "getManifests")) return chance.isHit(0.7) ? [manifest(speakerUri)] : [];
    if (!isInvited(heard, speakerUri)) return rest(heard, hint);
    if (chance.isHit(0.06)) return [{ eventType: "declineInvite", reason: "@busy" }];
    return chance.isHit(0.5) ? [{ eventType: "acceptInvite" }] : [];
  };
}

function isInvited({ events }: WireEnvelope, speakerUri: string): boolean {
  const names = [speakerUri, urlOf(speakerUri)];
  return events.some(
    ({ eventType, to }) =>
      eventType === "invite" && (names.includes(to?.speakerUri ?? "") || names.includes(to?.serviceUrl ?? "")),
  );
}

function urlOf(speakerUri: string): string {
  return `http://${speakerUri.slice(speakerUri.lastIndexOf(":") + 1)}.example/`;
}

function manifest(speakerUri: string): WireEvent {
  const identification = {
    ...{ speakerUri, serviceUrl: urlOf(speakerUri) },
    ...{ organization: "Example", conversationalName: speakerUri, synopsis: "talks" },
  };
  return { eventType: "publishManifests", parameters: { servicingManifests: [{ identification, capabilities: [] }] } };
}

const scripts = {
  silent: () => () => [],
  echo: (cast, { speakerUri }) => {
    const isSteady = cast.chance.isHit(0.5);
    return (heard, { id }) =>
      hears(heard, "utterance") ? [utterance(speakerUri, wordId(cast, speakerUri, id, isSteady), `heard ${id}`)] : [];
  },
  /** Answers whatever it hears, for ever. */
  endless: (cast, { speakerUri }) => {
    return (_heard, { id }) => {
      cast.onEndless();
      return [utterance(speakerUri, wordId(cast, speakerUri, id, false), `and another thing ${cast.chance.next()}`)];
    };
  },
  whisperer: (cast, { speakerUri }) => {
    return ({ events, sender }, { id }) => {
      if (!events.some(({ eventType }) => eventType === "utterance")) return [];
      const word = `secret-${cast.secrets.length}-`;
      cast.secrets.push({ word, mayKnow: [speakerUri, sender.speakerUri] });
      const to = { speakerUri: sender.speakerUri, private: true };
      return [utterance(speakerUri, wordId(cast, speakerUri, id, false), word, to)];
    };
  },
  asker: (cast, { speakerUri }) => {
    return (heard, { id }) => {
      if (heard.conversation.floorGranted?.includes(speakerUri) === true) {
        const said = utterance(speakerUri, wordId(cast, speakerUri, id, true), `my turn ${id}`);
        return cast.chance.isHit(0.5) ? [said, { eventType: "yieldFloor" }] : [said];
      }
      return [{ eventType: "requestFloor" }];
    };
  },
  restless: (cast, { speakerUri }) => {
    return (heard, { id }) => {
      if (!hears(heard, "utterance") || cast.chance.isHit(0.5)) return [];
      if (cast.chance.isHit(0.15)) return [{ eventType: "bye" }];
      const serviceUrl = cast.chance.pick(cast.urls);
      const said = utterance(speakerUri, wordId(cast, speakerUri, id, true), `look who is here ${id}`);
      return [said, { eventType: "invite", to: { serviceUrl } }];
    };
  },
} as const satisfies Record<string, Script>;

const delegable = ["invite", "uninvite", "requestFloor", "grantFloor", "revokeFloor", "getManifests"];

/** Passes on most of what it is asked about, and now and then says something itself. */
const convening: Script = (cast, { speakerUri }) => {
  const { chance } = cast;
  return ({ events, sender, conversation }, { id }) =>
    events.flatMap((event): WireEvent[] => {
      const hasFloor = conversation.floorGranted?.includes(sender.speakerUri) === true;
      const isAsked = event.eventType === "utterance" ? !hasFloor : delegable.includes(event.eventType);
      if (!isAsked || chance.isHit(0.15)) return [];
      if (event.eventType === "requestFloor") {
        return chance.isHit(0.3) ? [{ eventType: "grantFloor", to: { speakerUri: sender.speakerUri } }] : [];
      }
      const own = utterance(speakerUri, wordId(cast, speakerUri, id, true), `so be it ${id}`);
      return chance.isHit(0.2) ? [event, own] : [event];
    });
};

export function castAgents(cast: Cast, { agents, hasConvener }: { agents: number; hasConvener: boolean }): Agent[] {
  const { chance } = cast;
  const create = (name: string, role: Agent["role"], script: Script): Agent => {
    const speakerUri = `tag:agents.example,2026:${name}`;
    const answer = manners(cast, speakerUri, script(cast, { speakerUri }));
    const faultRate = chance.pick(role === "convener" ? [0, 0.01, 0.05] : [0, 0, 0.01, 0.05, 0.2]);
    return { speakerUri, serviceUrl: urlOf(speakerUri), role, faultRate, isDead: false, outUntilMs: 0, answer };
  };
  const names = Object.keys(scripts) as (keyof typeof scripts)[];
  const all = Array.from({ length: agents }, (_, index) =>
    create(`a${index + 1}`, "agent", scripts[chance.pick(names)] as Script),
  );
  return hasConvener ? [...all, create("chair", "convener", convening)] : all;
}
