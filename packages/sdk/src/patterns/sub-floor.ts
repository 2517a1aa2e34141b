import {
  type DialogEvent,
  type Envelope,
  envelope,
  type FloorEvent,
  invite,
  isPrivate,
  isRecord,
  isSameUri,
  parseEnvelope,
  shownValue,
  textOf,
  textUtterance,
} from "@plenary/protocol";
import { createFloorClient, type FloorAccess, type FloorCall, SubFloorError } from "./floor-client.ts";

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

const root = "api/v1/conversations";
/** Less than the time that a floor gives an agent for its answer. */
const waitSDefault = 20;

/** Opens a sub-floor of a conversation on a Plenary floor, over its HTTP interface. */
export async function openSubFloor(options: OpenSubFloor): Promise<SubFloor> {
  const { parent, title, name, invite: invitees = [], ...access } = options;
  const { call, close } = createFloorClient(access);
  const identification = { speakerUri: access.as, ...(name !== undefined && { conversationalName: name }) };
  const body = { owner: { identification }, parent, ...(title !== undefined && { title }) };
  try {
    const { id } = await call({ method: "POST", path: root, body });
    if (typeof id !== "string") throw new SubFloorError("refused", "the floor returned no id for the new conversation");
    const invited: InviteResult[] = [];
    const subFloor = createSubFloor(id, invited, { access, call, close });
    invited.push(...(await Promise.all(invitees.map((invitee) => subFloor.invite(invitee)))));
    return subFloor;
  } catch (error) {
    await close();
    throw error;
  }
}

/** A handle of an existing sub-floor, which may be of an earlier process. */
export function resumeSubFloor({ id, ...access }: FloorAccess & { id: string }): SubFloor {
  return createSubFloor(id, [], { access, ...createFloorClient(access) });
}

export type FoundSubFloor = { id: string; title?: string; startedAt: string; isClosed: boolean };

/** The sub-floors of a conversation in which the mediator is or was a conversant, the oldest first. */
export async function findSubFloors({ parent, ...access }: FloorAccess & { parent: string }): Promise<FoundSubFloor[]> {
  const { call, close } = createFloorClient(access);
  try {
    const found: FoundSubFloor[] = [];
    for (let after: string | undefined = ""; after !== undefined && found.length < foundMax; ) {
      const query = new URLSearchParams({ parent, speaker: access.as, limit: "1000", after });
      const { conversations, next } = await call({ method: "GET", path: `${root}?${query}` });
      if (Array.isArray(conversations)) found.push(...conversations.filter(isFound));
      after = typeof next === "string" ? next : undefined;
    }
    return found.sort((one, other) => one.startedAt.localeCompare(other.startedAt));
  } finally {
    await close();
  }
}

const foundMax = 10_000;

function isFound(value: unknown): value is FoundSubFloor {
  return isRecord(value) && typeof value.id === "string" && typeof value.startedAt === "string";
}

type SubFloorAccess = { access: FloorAccess; call: FloorCall; close: () => Promise<void> };

function createSubFloor(id: string, invited: readonly InviteResult[], reach: SubFloorAccess): SubFloor {
  const { access, call, close } = reach;
  const path = `${root}/${encodeURIComponent(id)}`;
  const { as } = access;
  return {
    id,
    invited,
    invite: (invitee, options) => inviteAgent(id, path, invitee, reach, options?.history),
    conversants: async () => (await conversantsIn(path, as, call)).filter((one) => one.speakerUri !== as),
    async say(text, options) {
      await send(id, [utteranceEvent(text, as, options)], reach);
    },
    async ask(text, { waitS = waitSDefault, ...options } = {}) {
      const answers = await send(id, [utteranceEvent(text, as, options)], reach, waitS);
      return answers.flatMap(({ sender, events }) => events.flatMap((event) => saidIn(event, sender.speakerUri)));
    },
    events: (after = 0) => eventsIn(path, as, after, call),
    async close(reason) {
      try {
        await call({
          method: "POST",
          path: `${path}/close`,
          body: reason === undefined ? {} : { reason },
          isLast: true,
        });
      } catch (error) {
        // The sub-floor is already closed.
        if (!(error instanceof SubFloorError) || error.code !== "closed") throw error;
      } finally {
        await close();
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

async function send(
  id: string,
  events: FloorEvent[],
  { access, call }: SubFloorAccess,
  waitS = 0,
): Promise<Envelope[]> {
  const openFloor = envelope({ conversation: { id }, sender: { speakerUri: access.as }, events });
  const { refused, consequences } = await call({ method: "POST", path: "openfloor", body: { openFloor }, waitS });
  const [refusal] = Array.isArray(refused) ? refused : [];
  if (isRecord(refusal))
    throw new SubFloorError("refused", shownValue(refusal.problem) || "the floor refused the event");
  return Array.isArray(consequences) ? consequences.flatMap(envelopeIn) : [];
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
  id: string,
  path: string,
  invitee: Invitee,
  reach: SubFloorAccess,
  history: readonly DialogEvent[] = [],
): Promise<InviteResult> {
  const to = typeof invitee === "string" ? { serviceUrl: invitee } : invitee;
  const { serviceUrl } = to;
  const event = invite({ to, ...(history.length > 0 && { dialogHistory: [...history] }) });
  const answers = await send(id, [event], reach, waitSDefault);
  const conversants = await conversantsIn(path, reach.access.as, reach.call);
  const invited = conversants.find((one) => isSameUri(one.serviceUrl, serviceUrl));
  if (invited?.hasJoined === true) return invited;
  const reason = answers.flatMap(({ events }) => events).find(({ eventType }) => eventType === "declineInvite")?.reason;
  return { serviceUrl, hasJoined: false, ...(reason !== undefined && { reason }) };
}

async function conversantsIn(path: string, as: string, call: FloorCall): Promise<InviteResult[]> {
  const { conversants } = await call({ method: "GET", path: `${path}?${new URLSearchParams({ speaker: as })}` });
  const listed = Array.isArray(conversants) ? conversants.filter(isListedConversant) : [];
  return listed.map(({ state, identification: { speakerUri, serviceUrl } }) => {
    return { serviceUrl, speakerUri, hasJoined: state === "joined" };
  });
}

type ListedConversant = { state: string; identification: { speakerUri: string; serviceUrl: string } };

function isListedConversant(value: unknown): value is ListedConversant {
  if (!isRecord(value) || !isRecord(value.identification)) return false;
  return typeof value.identification.speakerUri === "string" && typeof value.identification.serviceUrl === "string";
}

const eventsMax = 10_000;

async function eventsIn(path: string, as: string, after: number, call: FloorCall): Promise<SubFloorEvent[]> {
  const found: SubFloorEvent[] = [];
  for (let from = after; found.length < eventsMax; ) {
    const query = new URLSearchParams({ speaker: as, after: String(from), limit: "1000" });
    const { entries, next } = await call({ method: "GET", path: `${path}/log?${query}` });
    if (Array.isArray(entries)) found.push(...entries.filter(isLogged));
    if (typeof next !== "number" || next <= from) break;
    from = next;
  }
  return found;
}

function isLogged(value: unknown): value is SubFloorEvent & { kind: string } {
  return isRecord(value) && value.kind === "event" && isRecord(value.event);
}
