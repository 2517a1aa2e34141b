// A test floor that hosts the ready-made agents, and people who talk there over its public interfaces.
import { agentNamed, agentNames } from "@plenary/agents";
import type { Agent } from "@plenary/sdk";
import { ann, envelopeOf, type Json, utterance } from "../support/envelopes.ts";
import { named, noDialler, startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { openSocket } from "../support/test-client.ts";

const conversation = "welcome";
const replyMimeType = "application/vnd.plenary.interaction+json";

type WireEvent = { eventType: string; to?: Json; parameters?: { dialogEvent?: { features?: Features } } };
type Features = Record<string, { tokens: { value: unknown }[] }>;
type Entry = { kind: string; because: string; sender?: string; event?: WireEvent };

type Addressee = { to: string; whisper?: boolean };

/** The speaker, whether it is private, and the text: `Guide: ...`, `Guide (private): ...`. */
type Line = string;

export type HostedAgentsFloor = Awaited<ReturnType<typeof startHostedAgentsFloor>>;

/** Options of single ready-made agents: the pace of the guide, the time of the clock. */
type Manner = { spokenMs?: number; now?: () => Date; timeZone?: string };

/** `others` are agents of the test's own, hosted beside the ready-made ones. */
export async function startHostedAgentsFloor(
  others: Record<string, (serviceUrl: string) => Agent> = {},
  manner: Manner = { spokenMs: 50 },
) {
  const hostedAgents = {
    names: [...agentNames, ...Object.keys(others)],
    create: (name: string, serviceUrl: string) => {
      const options = { serviceUrl, ...manner };
      return others[name]?.(serviceUrl) ?? agentNamed(name, options);
    },
  };
  const floor = await startTestFloor({ retries: "default", dialler: noDialler, hostedAgents });
  const { url, port, errors } = floor;
  const call = (path: string, body?: Json, headers: Record<string, string> = {}) =>
    floor.must(body === undefined ? "GET" : "POST", path, body, headers);
  const speakerOf = (name: string) => `tag:127.0.0.1,2025:${port}:${name.toLowerCase()}`;
  const send = async (as: string, events: readonly Json[]): Promise<Line[]> => {
    const answered = await call("/openfloor", envelopeOf(conversation, as, events), { prefer: "wait=20" });
    const consequences: { openFloor: { sender: { speakerUri: string }; events: WireEvent[] } }[] =
      answered.consequences ?? [];
    return consequences.flatMap(({ openFloor: { sender, events } }) => linesOf(sender.speakerUri, events));
  };
  const toOf = (addressee: Addressee | undefined) =>
    addressee && { speakerUri: speakerOf(addressee.to), ...(addressee.whisper === true && { private: true }) };
  const log = async (speaker: string): Promise<Entry[]> => {
    const query = new URLSearchParams({ limit: "1000", speaker });
    return (await call(`/api/v1/conversations/${conversation}/log?${query}`)).entries;
  };
  const questions = async (speaker: string): Promise<Json[]> =>
    (await log(speaker)).flatMap(({ event }) => {
      const asked = event?.parameters?.dialogEvent?.features?.interaction;
      return asked === undefined ? [] : asked.tokens.map(({ value }) => value as Json);
    });
  await call("/api/v1/conversations", { id: conversation, owner: named(ann) });
  return {
    url,
    errors,
    send,
    speakerOf,
    /** All answers, once no answer is awaited, as the speaker may see them. */
    say: (as: string, text: string, addressee?: Addressee) => send(as, [utterance(as, text, { to: toOf(addressee) })]),
    /** Answers the newest question by choosing, as a page does. */
    reply: async (as: string, values: readonly string[], addressee: Addressee) => {
      const id = (await questions(as)).at(-1)?.id;
      const event = utterance(as, "my choice", { to: toOf(addressee) });
      const { dialogEvent } = event.parameters as { dialogEvent: { features: Json } };
      dialogEvent.features.interactionReply = { mimeType: replyMimeType, tokens: [{ value: { id, values } }] };
      return send(as, [event]);
    },
    questions,
    invite: (as: string, name: string) =>
      send(as, [{ eventType: "invite", to: { serviceUrl: `${url}/agents/${name}` } }]),
    seat: (speakerUri: string) =>
      call(`/api/v1/conversations/${conversation}/seat`, { identification: { speakerUri }, kind: "person" }),
    state: () => call(`/api/v1/conversations/${conversation}`),
    log,
    watch: (speaker: string) => watch(floor, speaker),
    close: floor.close,
  };
}

/** The live stream of one person, with drafts. */
async function watch(floor: TestFloor, speaker: string) {
  const { frames, close } = await openSocket(floor, { speaker, conversation });
  const drafts = () => frames.items.flatMap(({ draft }) => (draft === undefined ? [] : [draft as Json]));
  return {
    drafts,
    draftWith: (key: string) => frames.until(() => drafts().some((draft) => key in draft), `a draft with ${key}`),
    close,
  };
}

function linesOf(sender: string, events: readonly WireEvent[]): Line[] {
  const name = sender.split(":").at(-1) ?? "";
  return events.flatMap(({ eventType, to, parameters }) => {
    if (eventType !== "utterance") return [];
    const text = parameters?.dialogEvent?.features?.text?.tokens.map(({ value }) => value).join("");
    return [`${name}${to?.private === true ? " (private)" : ""}: ${text}`];
  });
}
