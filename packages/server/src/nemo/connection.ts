import {
  authResponse,
  type ClientMessage,
  type Credential,
  earlierThanNow,
  parseClientMessage,
  type ServerMessage,
  type UserInteractionMessage,
  type UserMessage,
} from "@plenary/nemo";
import type { Running } from "../context.ts";
import { assertOpen, Problem } from "../errors.ts";
import type { Wire } from "../streams/websocket/connection.ts";
import type { NemoIdentity } from "./client-identity.ts";
import { errorOf } from "./error-text.ts";
import type { NemoPerson, NemoSeats, SeatWish } from "./participant.ts";
import type { NemoQuery } from "./query.ts";
import { createPlaces, type Place, type Places } from "./subscriptions.ts";

export type SocketOptions = {
  running: Running;
  identity: NemoIdentity;
  seats: NemoSeats;
  query: NemoQuery;
  address: string;
  person: NemoPerson | undefined;
  wire: Wire;
  /** Somebody has proved who it is. Throws the problem when it is here too often. */
  onPerson: (person: NemoPerson) => void;
};

/** What one NeMo client says, one message after the other. */
export type NemoSocket = {
  /** Back to where it was before, if it was there. Never rejects. */
  resume(): Promise<void>;
  /** Never rejects. */
  take(text: string): Promise<void>;
  refuse(error: unknown): void;
  /** `isWilling`: the client itself has hung up. */
  close(isWilling: boolean): void;
};

type Desk = SocketOptions & {
  places: Places;
  send: (message: ServerMessage) => void;
  /** Of messages that name no conversation. */
  own: string;
  /** Where the client spoke last. */
  current: string;
};

export function createNemoSocket(options: SocketOptions): NemoSocket {
  const { running, query, wire } = options;
  const send = (message: ServerMessage) => wire.send(JSON.stringify(message));
  const places = createPlaces({ running, query, wire, send });
  const own = query.conversationId ?? running.ids.newId();
  const desk: Desk = { ...options, places, send, own, current: own };
  const refuse = (error: unknown, conversationId = desk.current, messageId?: string) =>
    places.trouble(errorOf(error, running), conversationId, messageId);
  return {
    async resume() {
      await resume(desk).catch(refuse);
    },
    async take(text) {
      const said = parseClientMessage(text);
      if (!said.ok) return places.trouble(said.error, said.conversationId ?? desk.current, said.id);
      const { message } = said;
      try {
        assertOpen(running);
        await take(desk, message);
      } catch (error) {
        const about = message.type === "auth_message" ? undefined : message;
        refuse(error, about?.conversationId, about?.id);
      }
    },
    refuse: (error) => refuse(error),
    close: (isWilling) => places.close(isWilling),
  };
}

async function take(desk: Desk, message: ClientMessage): Promise<void> {
  switch (message.type) {
    case "auth_message":
      return introduce(desk, message.credential);
    case "user_message":
      return say(desk, message);
    case "user_interaction_message":
      return reply(desk, message);
  }
}

async function say(desk: Desk, message: UserMessage): Promise<void> {
  const { places, seats, own } = desk;
  const { id, conversationId = own, messages, parts, to, isPrivate, userName, schemaType, credential } = message;
  const me = await known(desk, credential);
  desk.current = conversationId;
  const person = userName === undefined ? me : { ...me, name: userName };
  const place =
    places.in(conversationId) ??
    (await places.sit(conversationId, (wish, outlet) => seats.take(person, theirs(person, wish), outlet), {
      history: earlierThanNow(messages),
      messageId: id,
    }));
  places.leaveOthers(conversationId);
  place?.frames.stream(schemaType.endsWith("_stream"));
  await place?.seat.say({ id, parts, isPrivate, ...(to !== undefined && { to }) });
}

async function reply(desk: Desk, { conversationId, texts, credential }: UserInteractionMessage): Promise<void> {
  const { places, current } = desk;
  const me = await known(desk, credential);
  const named = conversationId ?? current;
  // A client may answer in a chat that it left. The toolkit looks at no id, so one that is unknown means the current chat.
  const isSole = me.principal.conversations?.length === 1;
  const back = places.in(named) ?? (isSole ? undefined : await returned(desk, me, named));
  if (back !== undefined) desk.current = named;
  places.leaveOthers(desk.current);
  const place = back ?? places.in(current) ?? (await returned(desk, me, named));
  if (place !== undefined) return place.seat.reply(texts);
  const fix = "answer when a system_interaction_message has asked";
  throw new Problem("bad-request", { detail: "nothing was asked here", fix });
}

/** The first credential that a client sends says who it is, where nothing else has proved it before. */
async function known(desk: Desk, credential: Credential | undefined): Promise<NemoPerson> {
  const { person, running, places } = desk;
  if (person?.isUnproven && credential !== undefined && !places.isAny()) {
    // The toolkit reads none of these: one that is not known here shuts nobody out who may come in without.
    return authenticate(desk, credential).catch(() => person);
  }
  if (person !== undefined) {
    // A socket proves nothing by being open.
    if (await running.identity.isLive(person.principal)) return person;
    throw new Problem("unauthorized", { detail: "this credential has ended" });
  }
  if (credential !== undefined) return authenticate(desk, credential);
  const fix = "send an auth_message first, or `security` with your first message";
  throw new Problem("unauthorized", { detail: "nobody knows yet who you are", fix });
}

async function authenticate(desk: Desk, credential: Credential): Promise<NemoPerson> {
  const { identity, address, query } = desk;
  const { session, speaker } = query;
  const caller = { address, ...(session !== undefined && { session }), ...(speaker !== undefined && { speaker }) };
  const person = await identity.personBy(credential, caller);
  desk.onPerson(person);
  desk.person = person;
  return person;
}

async function introduce(desk: Desk, credential: Credential): Promise<void> {
  const { places, send, query, running } = desk;
  const stamp = { profile: query.profile, nowMs: running.clock.now() };
  try {
    if (places.isAny()) {
      const fix = "open another socket to be somebody else";
      throw new Problem("forbidden", { detail: "a conversation has begun under another name", fix });
    }
    const { speakerUri } = await authenticate(desk, credential);
    send(authResponse({ userId: speakerUri }, stamp));
  } catch (error) {
    send(authResponse({ error: { ...errorOf(error, running), code: "user_auth_error" } }, stamp));
    return;
  }
  await resume(desk);
}

async function resume(desk: Desk): Promise<void> {
  const { person, query, places } = desk;
  if (person === undefined || query.conversationId === undefined || places.isAny()) return;
  await returned(desk, person, query.conversationId);
}

/** Whoever was let into one conversation is in that one, by whatever id its client knows it. */
function theirs({ principal: { conversations = [] } }: NemoPerson, wish: SeatWish): SeatWish {
  const [only, other] = conversations;
  return only === undefined || other !== undefined ? wish : { ...wish, conversationId: only };
}

function returned({ places, seats }: Desk, person: NemoPerson, conversationId: string): Promise<Place | undefined> {
  return places.sit(conversationId, (wish, outlet) => seats.resume(person, theirs(person, wish), outlet));
}
