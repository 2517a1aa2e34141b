import type { OperationAnswer } from "@plenary/client/host";
import {
  type DialogEvent,
  type Envelope,
  envelope,
  type FloorEvent,
  invite,
  isPrivate,
  isSameUri,
  parseEnvelope,
  textOf,
  textUtterance,
} from "@plenary/protocol";
import { createFloorClient, type FloorAccess, type FloorClient, SubFloorError } from "./floor-client.ts";

export type Invitee = string | { serviceUrl: string; speakerUri?: string };

/** The result of an invite. */
export type InviteResult = {
  serviceUrl: string;
  hasJoined: boolean;
  speakerUri?: string;
  /** The reason of the declineInvite, from the agent or from the floor. */
  reason?: string;
};

/** An utterance in the sub-floor. */
export type SubFloorUtterance = { speakerUri: string; text: string; isPrivate: boolean; dialogEvent: DialogEvent };

/** An event of the log of the sub-floor that the mediator may see. */
export type SubFloorEvent = { seq: number; at: string; sender: string; event: FloorEvent };

type SayOptions = {
  /** A speakerUri; default: everyone. */
  to?: string;
  /** Only for `to`. */
  isPrivate?: boolean;
};

/** A conversation behind the scenes (D34). The floor stores it like any other conversation. */
export type SubFloor = {
  readonly id: string;
  /** The results of the first invites. */
  readonly invited: readonly InviteResult[];
  invite(invitee: Invitee, options?: { history?: readonly DialogEvent[] }): Promise<InviteResult>;
  /** The current conversants without the mediator. */
  conversants(): Promise<readonly InviteResult[]>;
  say(text: string, options?: SayOptions): Promise<void>;
  /** Says the text and returns all answers, when the turn is idle or the time is up. */
  ask(text: string, options?: SayOptions & { waitS?: number }): Promise<readonly SubFloorUtterance[]>;
  events(after?: number): Promise<readonly SubFloorEvent[]>;
  /** Uninvites everyone. The log stays. */
  close(reason?: string): Promise<void>;
};

export type OpenSubFloor = FloorAccess & {
  /** The id of the outer conversation. */
  parent: string;
  title?: string;
  /** The name of the mediator in the sub-floor. */
  name?: string;
  invite?: readonly Invitee[];
};

/** Less than the time that a floor gives an agent for its answer. */
const waitSDefault = 20;

/** Opens a sub-floor of a conversation on a Plenary floor, over its HTTP interface. */
export async function openSubFloor(options: OpenSubFloor): Promise<SubFloor> {
  const { parent, title, name, invite: invitees = [], ...access } = options;
  const client = createFloorClient(access);
  const identification = { speakerUri: access.as, ...(name !== undefined && { conversationalName: name }) };
  const body = { owner: { identification }, parent, ...(title !== undefined && { title }) };
  try {
    const { id } = await client.call("POST /api/v1/conversations", { body });
    const invited: InviteResult[] = [];
    const subFloor = createSubFloor({ id, as: access.as, client }, invited);
    invited.push(...(await Promise.all(invitees.map((invitee) => subFloor.invite(invitee)))));
    return subFloor;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** A handle of an existing sub-floor, which may be of an earlier process. */
export function resumeSubFloor({ id, ...access }: FloorAccess & { id: string }): SubFloor {
  return createSubFloor({ id, as: access.as, client: createFloorClient(access) }, []);
}

export type FoundSubFloor = { id: string; title?: string; startedAt: string; isClosed: boolean };

/** The sub-floors of a conversation in which the mediator is or was a conversant, the oldest first. */
export async function findSubFloors({ parent, ...access }: FloorAccess & { parent: string }): Promise<FoundSubFloor[]> {
  const { call, close } = createFloorClient(access);
  try {
    const found: FoundSubFloor[] = [];
    for (let after: string | null = ""; typeof after === "string" && found.length < foundMax; ) {
      const query = { parent, speaker: access.as, limit: 1_000, after };
      const page: OperationAnswer<"GET /api/v1/conversations"> = await call("GET /api/v1/conversations", { query });
      found.push(...page.conversations);
      after = page.next;
    }
    return found.sort((one, other) => one.startedAt.localeCompare(other.startedAt));
  } finally {
    await close();
  }
}

const foundMax = 10_000;

type SubFloorContext = { id: string; as: string; client: FloorClient };

function createSubFloor(context: SubFloorContext, invited: readonly InviteResult[]): SubFloor {
  const { id, as, client } = context;
  return {
    id,
    invited,
    invite: (invitee, options) => inviteAgent(context, invitee, options?.history),
    conversants: async () => (await conversantsIn(context)).filter((one) => one.speakerUri !== as),
    async say(text, options) {
      await send(context, utteranceEvent(text, as, options));
    },
    async ask(text, { waitS = waitSDefault, ...options } = {}) {
      const answers = await send(context, utteranceEvent(text, as, options), waitS);
      return answers.flatMap(({ sender, events }) => events.flatMap((event) => saidIn(event, sender.speakerUri)));
    },
    events: (after = 0) => eventsIn(context, after),
    async close(reason) {
      const body = reason === undefined ? {} : { reason };
      try {
        await client.call("POST /api/v1/conversations/:id/close", { params: { id }, body, isLast: true });
      } catch (error) {
        // The sub-floor is already closed.
        if (!(error instanceof SubFloorError) || error.code !== "closed") throw error;
      } finally {
        await client.close();
      }
    },
  };
}

function utteranceEvent(
  text: string,
  speakerUri: string,
  { to, isPrivate: isSecret = false }: SayOptions = {},
): FloorEvent {
  const about = { speakerUri, id: `de:${crypto.randomUUID()}`, startTime: new Date().toISOString() };
  return textUtterance(text, { ...about, ...(to !== undefined && { to: { speakerUri: to } }), private: isSecret });
}

async function send({ id, as, client }: SubFloorContext, event: FloorEvent, waitS = 0): Promise<Envelope[]> {
  const openFloor = envelope({ conversation: { id }, sender: { speakerUri: as }, events: [event] });
  const { refused: [refusal] = [], consequences = [] } = await client.call("POST /openfloor", {
    body: { openFloor },
    waitS,
  });
  if (refusal !== undefined) throw new SubFloorError("refused", refusal.problem);
  return consequences.flatMap(envelopeIn);
}

function envelopeIn(consequence: unknown): Envelope[] {
  const now = new Date().toISOString();
  const parsed = parseEnvelope(JSON.stringify(consequence), { now, newId: () => `de:${crypto.randomUUID()}` });
  return parsed.ok ? [parsed.envelope] : [];
}

function saidIn(event: FloorEvent, speakerUri: string): SubFloorUtterance[] {
  if (event.eventType !== "utterance") return [];
  const { dialogEvent } = event.parameters;
  return [{ speakerUri, text: textOf(dialogEvent), isPrivate: isPrivate(event), dialogEvent }];
}

async function inviteAgent(
  context: SubFloorContext,
  invitee: Invitee,
  history: readonly DialogEvent[] = [],
): Promise<InviteResult> {
  const to = typeof invitee === "string" ? { serviceUrl: invitee } : invitee;
  const { serviceUrl } = to;
  const event = invite({ to, ...(history.length > 0 && { dialogHistory: [...history] }) });
  const answers = await send(context, event, waitSDefault);
  const invited = (await conversantsIn(context)).find((one) => isSameUri(one.serviceUrl, serviceUrl));
  if (invited?.hasJoined === true) return invited;
  const reason = answers.flatMap(({ events }) => events).find(({ eventType }) => eventType === "declineInvite")?.reason;
  return { serviceUrl, hasJoined: false, ...(reason !== undefined && { reason }) };
}

async function conversantsIn({ id, as, client }: SubFloorContext): Promise<InviteResult[]> {
  const request = { params: { id }, query: { speaker: as } };
  const { conversants } = await client.call("GET /api/v1/conversations/:id", request);
  return conversants.map(({ state, identification: { speakerUri, serviceUrl } }) => {
    return { serviceUrl, speakerUri, hasJoined: state === "joined" };
  });
}

const eventsMax = 10_000;

async function eventsIn({ id, as, client }: SubFloorContext, after: number): Promise<SubFloorEvent[]> {
  const found: SubFloorEvent[] = [];
  for (let from = after; found.length < eventsMax; ) {
    const query = { speaker: as, after: from, limit: 1_000 };
    const { entries, next } = await client.call("GET /api/v1/conversations/:id/log", { params: { id }, query });
    found.push(...entries.filter((entry) => entry.kind === "event"));
    if (next <= from) break;
    from = next;
  }
  return found;
}
