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
  textOf,
  textUtterance,
} from "@plenary/protocol";
import { createFloorCall, type FloorAccess, type FloorCall, SubFloorError } from "./floor-client.ts";

export type Invitee = string | { serviceUrl: string; speakerUri?: string };

/** What became of an invite. */
export type Invited = {
  serviceUrl: string;
  hasJoined: boolean;
  speakerUri?: string;
  /** Why it declined, or was declined on its behalf. */
  reason?: string;
};

/** What somebody said in the sub-floor. */
export type Said = { speakerUri: string; text: string; isPrivate: boolean; dialogEvent: DialogEvent };

/** An event of the sub-floor's log, as the mediator may see it. */
export type Logged = { seq: number; at: string; sender: string; event: FloorEvent };

type Saying = {
  /** A speakerUri; default: everyone. */
  to?: string;
  /** For `to` alone. */
  isPrivate?: boolean;
};

/** A conversation behind the scenes (D34), kept by its floor like any other. */
export type SubFloor = {
  readonly id: string;
  /** What became of those it was opened with. */
  readonly invited: readonly Invited[];
  invite(invitee: Invitee, options?: { history?: readonly DialogEvent[] }): Promise<Invited>;
  /** Who is there now, the mediator left out. */
  conversants(): Promise<readonly Invited[]>;
  say(text: string, options?: Saying): Promise<void>;
  /** Everything said to that, once nobody is at work on it any longer or time is up. */
  ask(text: string, options?: Saying & { waitS?: number }): Promise<readonly Said[]>;
  events(after?: number): Promise<readonly Logged[]>;
  /** Everyone is uninvited; the log stays. */
  close(reason?: string): Promise<void>;
};

export type OpenSubFloor = FloorAccess & {
  /** The id of the outer conversation. */
  parent: string;
  title?: string;
  /** What the mediator is called there. */
  name?: string;
  invite?: readonly Invitee[];
};

const root = "api/v1/conversations";
/** Less than a floor gives an agent for its answer. */
const waitSDefault = 20;

/** Opens a conversation that serves another one, on any floor of Plenary, over its public interface. */
export async function openSubFloor(options: OpenSubFloor): Promise<SubFloor> {
  const { parent, title, name, invite: invitees = [], ...access } = options;
  const { call, close } = createFloorCall(access);
  const identification = { speakerUri: access.as, ...(name !== undefined && { conversationalName: name }) };
  const body = { owner: { identification }, parent, ...(title !== undefined && { title }) };
  try {
    const { id } = await call({ method: "POST", path: root, body });
    if (typeof id !== "string") throw new SubFloorError("refused", "the floor did not name the conversation it opened");
    const invited: Invited[] = [];
    const subFloor = handleOf(id, invited, { access, call, close });
    invited.push(...(await Promise.all(invitees.map((invitee) => subFloor.invite(invitee)))));
    return subFloor;
  } catch (error) {
    await close();
    throw error;
  }
}

/** One that was opened before, perhaps by a process that is gone. */
export function resumeSubFloor({ id, ...access }: FloorAccess & { id: string }): SubFloor {
  return handleOf(id, [], { access, ...createFloorCall(access) });
}

export type FoundSubFloor = { id: string; title?: string; startedAt: string; isClosed: boolean };

/** Those that serve a conversation and that the mediator is, or was, in; the oldest first. */
export async function findSubFloors({ parent, ...access }: FloorAccess & { parent: string }): Promise<FoundSubFloor[]> {
  const { call, close } = createFloorCall(access);
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

type Reach = { access: FloorAccess; call: FloorCall; close: () => Promise<void> };

function handleOf(id: string, invited: readonly Invited[], reach: Reach): SubFloor {
  const { access, call, close } = reach;
  const path = `${root}/${encodeURIComponent(id)}`;
  const { as } = access;
  return {
    id,
    invited,
    invite: (invitee, options) => bringIn(id, path, invitee, reach, options?.history),
    conversants: async () => (await seatsIn(path, as, call)).filter((seat) => seat.speakerUri !== as),
    async say(text, options) {
      await send(id, [uttered(text, as, options)], reach);
    },
    async ask(text, { waitS = waitSDefault, ...options } = {}) {
      const answers = await send(id, [uttered(text, as, options)], reach, waitS);
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
        // Somebody else was faster.
        if (!(error instanceof SubFloorError) || error.code !== "closed") throw error;
      } finally {
        await close();
      }
    },
  };
}

function uttered(text: string, speakerUri: string, { to, isPrivate: isSecret = false }: Saying = {}): FloorEvent {
  const about = { speakerUri, id: `de:${crypto.randomUUID()}`, startTime: new Date().toISOString() };
  return textUtterance(text, { ...about, ...(to !== undefined && { to: { speakerUri: to } }), private: isSecret });
}

async function send(id: string, events: FloorEvent[], { access, call }: Reach, waitS = 0): Promise<Envelope[]> {
  const openFloor = envelope({ conversation: { id }, sender: { speakerUri: access.as }, events });
  const { refused, consequences } = await call({ method: "POST", path: "openfloor", body: { openFloor }, waitS });
  const [refusal] = Array.isArray(refused) ? refused : [];
  if (isRecord(refusal)) throw new SubFloorError("refused", String(refusal.problem ?? "the floor refused it"));
  return Array.isArray(consequences) ? consequences.flatMap(envelopeIn) : [];
}

function envelopeIn(consequence: unknown): Envelope[] {
  const now = new Date().toISOString();
  const parsed = parseEnvelope(JSON.stringify(consequence), { now, newId: () => `de:${crypto.randomUUID()}` });
  return parsed.ok ? [parsed.envelope] : [];
}

function saidIn(event: FloorEvent, speakerUri: string): Said[] {
  if (event.eventType !== "utterance") return [];
  const { dialogEvent } = event.parameters;
  return [{ speakerUri, text: textOf(dialogEvent), isPrivate: isPrivate(event), dialogEvent }];
}

async function bringIn(
  id: string,
  path: string,
  invitee: Invitee,
  reach: Reach,
  history: readonly DialogEvent[] = [],
): Promise<Invited> {
  const to = typeof invitee === "string" ? { serviceUrl: invitee } : invitee;
  const { serviceUrl } = to;
  const event = invite({ to, ...(history.length > 0 && { dialogHistory: [...history] }) });
  const answers = await send(id, [event], reach, waitSDefault);
  const seats = await seatsIn(path, reach.access.as, reach.call);
  const seat = seats.find((one) => isSameUri(one.serviceUrl, serviceUrl));
  if (seat?.hasJoined === true) return seat;
  const reason = answers.flatMap(({ events }) => events).find(({ eventType }) => eventType === "declineInvite")?.reason;
  return { serviceUrl, hasJoined: false, ...(reason !== undefined && { reason }) };
}

async function seatsIn(path: string, as: string, call: FloorCall): Promise<Invited[]> {
  const { conversants } = await call({ method: "GET", path: `${path}?${new URLSearchParams({ speaker: as })}` });
  const seats = Array.isArray(conversants) ? conversants.filter(isSeat) : [];
  return seats.map(({ state, identification: { speakerUri, serviceUrl } }) => {
    return { serviceUrl, speakerUri, hasJoined: state === "joined" };
  });
}

type Seat = { state: string; identification: { speakerUri: string; serviceUrl: string } };

function isSeat(value: unknown): value is Seat {
  if (!isRecord(value) || !isRecord(value.identification)) return false;
  return typeof value.identification.speakerUri === "string" && typeof value.identification.serviceUrl === "string";
}

const eventsMax = 10_000;

async function eventsIn(path: string, as: string, after: number, call: FloorCall): Promise<Logged[]> {
  const found: Logged[] = [];
  for (let from = after; found.length < eventsMax; ) {
    const query = new URLSearchParams({ speaker: as, after: String(from), limit: "1000" });
    const { entries, next } = await call({ method: "GET", path: `${path}/log?${query}` });
    if (Array.isArray(entries)) found.push(...entries.filter(isLogged));
    if (typeof next !== "number" || next <= from) break;
    from = next;
  }
  return found;
}

function isLogged(value: unknown): value is Logged & { kind: string } {
  return isRecord(value) && value.kind === "event" && isRecord(value.event);
}
