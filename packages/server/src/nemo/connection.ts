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
import type { ServerContext } from "../context.ts";
import { assertOpen, Problem } from "../errors.ts";
import type { SocketConnection } from "../streams/websocket/connection.ts";
import type { NemoIdentity } from "./client-identity.ts";
import { errorOf } from "./error-text.ts";
import type { JoinRequest, NemoParticipants, NemoPerson } from "./participant.ts";
import type { NemoQuery } from "./query.ts";
import { createSubscriptions, type Subscription, type Subscriptions } from "./subscriptions.ts";

export type SocketOptions = {
  server: ServerContext;
  identity: NemoIdentity;
  participants: NemoParticipants;
  query: NemoQuery;
  address: string;
  person: NemoPerson | undefined;
  wire: SocketConnection;
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

type ConnectionContext = SocketOptions & {
  subscriptions: Subscriptions;
  send: (message: ServerMessage) => void;
  /** Of messages that name no conversation. */
  own: string;
  /** Where the client spoke last. */
  current: string;
};

export function createNemoSocket(options: SocketOptions): NemoSocket {
  const { server, query, wire } = options;
  const send = (message: ServerMessage) => wire.send(JSON.stringify(message));
  const subscriptions = createSubscriptions({ server, query, wire, send });
  const own = query.conversationId ?? server.ids.newId();
  const context: ConnectionContext = { ...options, subscriptions, send, own, current: own };
  const refuse = (error: unknown, conversationId = context.current, messageId?: string) =>
    subscriptions.trouble(errorOf(error, server), conversationId, messageId);
  return {
    async resume() {
      await resume(context).catch(refuse);
    },
    async take(text) {
      const said = parseClientMessage(text);
      if (!said.ok) return subscriptions.trouble(said.error, said.conversationId ?? context.current, said.id);
      const { message } = said;
      try {
        assertOpen(server);
        await take(context, message);
      } catch (error) {
        const about = message.type === "auth_message" ? undefined : message;
        refuse(error, about?.conversationId, about?.id);
      }
    },
    refuse: (error) => refuse(error),
    close: (isWilling) => subscriptions.close(isWilling),
  };
}

async function take(context: ConnectionContext, message: ClientMessage): Promise<void> {
  switch (message.type) {
    case "auth_message":
      return introduce(context, message.credential);
    case "user_message":
      return say(context, message);
    case "user_interaction_message":
      return reply(context, message);
  }
}

async function say(context: ConnectionContext, message: UserMessage): Promise<void> {
  const { subscriptions, participants, own } = context;
  const { id, conversationId = own, messages, parts, to, isPrivate, userName, schemaType, credential } = message;
  const me = await known(context, credential);
  context.current = conversationId;
  const person = userName === undefined ? me : { ...me, name: userName };
  const place =
    subscriptions.in(conversationId) ??
    (await subscriptions.sit(
      conversationId,
      (joinRequest, sink) => participants.take(person, theirs(person, joinRequest), sink),
      {
        history: earlierThanNow(messages),
        messageId: id,
      },
    ));
  subscriptions.leaveOthers(conversationId);
  place?.frames.stream(schemaType.endsWith("_stream"));
  await place?.participant.say({ id, parts, isPrivate, ...(to !== undefined && { to }) });
}

async function reply(
  context: ConnectionContext,
  { conversationId, texts, credential }: UserInteractionMessage,
): Promise<void> {
  const { subscriptions, current } = context;
  const me = await known(context, credential);
  const named = conversationId ?? current;
  // A client may answer in a chat that it left. The toolkit looks at no id, so one that is unknown means the current chat.
  const isSole = me.principal.conversations?.length === 1;
  const back = subscriptions.in(named) ?? (isSole ? undefined : await returned(context, me, named));
  if (back !== undefined) context.current = named;
  subscriptions.leaveOthers(context.current);
  const place = back ?? subscriptions.in(current) ?? (await returned(context, me, named));
  if (place !== undefined) return place.participant.reply(texts);
  const fix = "answer when a system_interaction_message has asked";
  throw new Problem("bad-request", { detail: "nothing was asked here", fix });
}

/** The first credential that a client sends says who it is, where nothing else has proved it before. */
async function known(context: ConnectionContext, credential: Credential | undefined): Promise<NemoPerson> {
  const { person, server, subscriptions } = context;
  if (person?.isUnproven && credential !== undefined && !subscriptions.isAny()) {
    // The toolkit reads none of these: one that is not known here shuts nobody out who may come in without.
    return authenticate(context, credential).catch(() => person);
  }
  if (person !== undefined) {
    // A socket proves nothing by being open.
    if (await server.identity.isLive(person.principal)) return person;
    throw new Problem("unauthorized", { detail: "this credential has ended" });
  }
  if (credential !== undefined) return authenticate(context, credential);
  const fix = "send an auth_message first, or `security` with your first message";
  throw new Problem("unauthorized", { detail: "nobody knows yet who you are", fix });
}

async function authenticate(context: ConnectionContext, credential: Credential): Promise<NemoPerson> {
  const { identity, address, query } = context;
  const { session, speaker } = query;
  const caller = { address, ...(session !== undefined && { session }), ...(speaker !== undefined && { speaker }) };
  const person = await identity.personBy(credential, caller);
  context.onPerson(person);
  context.person = person;
  return person;
}

async function introduce(context: ConnectionContext, credential: Credential): Promise<void> {
  const { subscriptions, send, query, server } = context;
  const stamp = { profile: query.profile, nowMs: server.clock.now() };
  try {
    if (subscriptions.isAny()) {
      const fix = "open another socket to be somebody else";
      throw new Problem("forbidden", { detail: "a conversation has begun under another name", fix });
    }
    const { speakerUri } = await authenticate(context, credential);
    send(authResponse({ userId: speakerUri }, stamp));
  } catch (error) {
    send(authResponse({ error: { ...errorOf(error, server), code: "user_auth_error" } }, stamp));
    return;
  }
  await resume(context);
}

async function resume(context: ConnectionContext): Promise<void> {
  const { person, query, subscriptions } = context;
  if (person === undefined || query.conversationId === undefined || subscriptions.isAny()) return;
  await returned(context, person, query.conversationId);
}

/** A guest of one conversation is in that one, by whatever id its client knows it. */
function theirs({ principal: { conversations = [] } }: NemoPerson, joinRequest: JoinRequest): JoinRequest {
  const [only, other] = conversations;
  return only === undefined || other !== undefined ? joinRequest : { ...joinRequest, conversationId: only };
}

function returned(
  { subscriptions, participants }: ConnectionContext,
  person: NemoPerson,
  conversationId: string,
): Promise<Subscription | undefined> {
  return subscriptions.sit(conversationId, (joinRequest, sink) =>
    participants.resume(person, theirs(person, joinRequest), sink),
  );
}
