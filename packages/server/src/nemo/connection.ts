import {
  authResponse,
  type ClientMessage,
  type Credential,
  type ErrorContent,
  earlierThanNow,
  parseClientMessage,
  type ServerMessage,
  type UserInteractionMessage,
  type UserMessage,
} from "@plenary/nemo";
import type { AccessContext, LifecycleContext, ProcessContext } from "../context.ts";
import { assertOpen, Problem } from "../errors.ts";
import type { SocketConnection } from "../streams/websocket/connection.ts";
import type { NemoIdentity } from "./client-identity.ts";
import { createFrames, type Frames } from "./encode.ts";
import { errorOf, errorOutput } from "./error-text.ts";
import type { JoinRequest, NemoPerson, OutputSink } from "./participant.ts";
import type { NemoParticipants } from "./participants.ts";
import type { NemoQuery } from "./query.ts";
import type { NemoParticipant } from "./send-message.ts";

type SocketOptions = {
  server: ProcessContext & AccessContext & LifecycleContext;
  identity: NemoIdentity;
  participants: NemoParticipants;
  query: NemoQuery;
  address: string;
  person: NemoPerson | undefined;
  connection: SocketConnection;
  /** A client was authenticated. Throws the problem when this person has too many sockets. */
  onPerson: (person: NemoPerson) => void;
};

type ConnectionContext = SocketOptions & {
  subscriptions: ReturnType<typeof createSubscriptions>;
  send: (message: ServerMessage) => void;
  /** The conversation of messages that name none. */
  own: string;
  /** The conversation of the client's last message. */
  current: string;
};

/** The messages of one NeMo client, one after the other. */
export function createNemoSocket(options: SocketOptions) {
  const { server, query, connection } = options;
  const send = (message: ServerMessage) => connection.send(JSON.stringify(message));
  const subscriptions = createSubscriptions({ server, query, connection, send });
  const own = query.conversationId ?? server.ids.newId();
  const context: ConnectionContext = { ...options, subscriptions, send, own, current: own };
  const refuse = (error: unknown, conversationId = context.current, messageId?: string) =>
    subscriptions.showError(errorOf(error, server), conversationId, messageId);
  return {
    /** Resumes the conversation that the query names, if the person has a seat there. Never rejects. */
    async resume(): Promise<void> {
      await resume(context).catch(refuse);
    },
    /** Never rejects. */
    async take(text: string): Promise<void> {
      const parsed = parseClientMessage(text);
      if (!parsed.ok) return subscriptions.showError(parsed.error, parsed.conversationId ?? context.current, parsed.id);
      const { message } = parsed;
      try {
        assertOpen(server);
        await take(context, message);
      } catch (error) {
        const about = message.type === "auth_message" ? undefined : message;
        refuse(error, about?.conversationId, about?.id);
      }
    },
    refuse: (error: unknown) => refuse(error),
    /** `hasHungUp`: the client closed the connection itself. */
    close: (hasHungUp: boolean) => subscriptions.close(hasHungUp),
  };
}

async function take(context: ConnectionContext, message: ClientMessage): Promise<void> {
  switch (message.type) {
    case "auth_message":
      return authenticateByMessage(context, message.credential);
    case "user_message":
      return say(context, message);
    case "user_interaction_message":
      return reply(context, message);
  }
}

async function say(context: ConnectionContext, message: UserMessage): Promise<void> {
  const { subscriptions, participants, own } = context;
  const { id, conversationId = own, messages, parts, to, isPrivate, userName, schemaType, credential } = message;
  const me = await identifiedPerson(context, credential);
  context.current = conversationId;
  const person = userName === undefined ? me : { ...me, name: userName };
  const subscription =
    subscriptions.get(conversationId) ??
    (await subscriptions.join(
      conversationId,
      (joinRequest, sink) => participants.join(person, withOnlyConversation(person, joinRequest), sink),
      { history: earlierThanNow(messages), messageId: id },
    ));
  subscriptions.leaveOthers(conversationId);
  subscription?.frames.stream(schemaType.endsWith("_stream"));
  await subscription?.participant.say({ id, parts, isPrivate, ...(to !== undefined && { to }) });
}

async function reply(
  context: ConnectionContext,
  { conversationId, texts, credential }: UserInteractionMessage,
): Promise<void> {
  const { subscriptions, current } = context;
  const me = await identifiedPerson(context, credential);
  const wantedId = conversationId ?? current;
  // A client may answer in a chat that it left. The toolkit ignores the id, so an unknown one means the current chat.
  const isSole = me.principal.conversations?.length === 1;
  const namedSubscription =
    subscriptions.get(wantedId) ?? (isSole ? undefined : await resumeSubscription(context, me, wantedId));
  if (namedSubscription !== undefined) context.current = wantedId;
  subscriptions.leaveOthers(context.current);
  const subscription =
    namedSubscription ?? subscriptions.get(current) ?? (await resumeSubscription(context, me, wantedId));
  if (subscription !== undefined) return subscription.participant.reply(texts);
  const fix = "answer when a system_interaction_message has asked";
  throw new Problem("bad-request", { detail: "nothing was asked here", fix });
}

/** Authenticates by the first credential that a client sends, unless it was authenticated before. */
async function identifiedPerson(context: ConnectionContext, credential: Credential | undefined): Promise<NemoPerson> {
  const { person, server, subscriptions } = context;
  if (person?.isUnproven && credential !== undefined && !subscriptions.hasAny()) {
    // The toolkit ignores these credentials, so an unknown one does not refuse a local guest.
    return authenticate(context, credential).catch(() => person);
  }
  if (person !== undefined) {
    // The credential may have ended since the socket opened.
    if (await server.identity.isLive(person.principal)) return person;
    throw new Problem("unauthorized", { detail: "this credential has ended" });
  }
  if (credential !== undefined) return authenticate(context, credential);
  const fix = "send an auth_message first, or `security` with your first message";
  throw new Problem("unauthorized", { detail: "this client is not authenticated yet", fix });
}

async function authenticate(context: ConnectionContext, credential: Credential): Promise<NemoPerson> {
  const { identity, address, query } = context;
  const { session, speaker } = query;
  const person = await identity.personBy(credential, { address, session, speaker });
  context.onPerson(person);
  context.person = person;
  return person;
}

async function authenticateByMessage(context: ConnectionContext, credential: Credential): Promise<void> {
  const { subscriptions, send, query, server } = context;
  const stamp = { profile: query.profile, nowMs: server.clock.now() };
  try {
    if (subscriptions.hasAny()) {
      const fix = "open another socket for another person";
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
  if (person === undefined || query.conversationId === undefined || subscriptions.hasAny()) return;
  await resumeSubscription(context, person, query.conversationId);
}

/** A guest of one conversation always gets that one, with any id that the client sends. */
function withOnlyConversation(
  { principal: { conversations = [] } }: NemoPerson,
  joinRequest: JoinRequest,
): JoinRequest {
  const [only, other] = conversations;
  return only === undefined || other !== undefined ? joinRequest : { ...joinRequest, conversationId: only };
}

function resumeSubscription(
  { subscriptions, participants }: ConnectionContext,
  person: NemoPerson,
  conversationId: string,
): Promise<Subscription | undefined> {
  return subscriptions.join(conversationId, (joinRequest, sink) =>
    participants.resume(person, withOnlyConversation(person, joinRequest), sink),
  );
}

/** One conversation on one socket. */
type Subscription = { participant: NemoParticipant; frames: Frames };

type SubscriptionContext = Pick<ConnectionContext, "server" | "query" | "connection" | "send">;
type TakeParticipant = (joinRequest: JoinRequest, sink: OutputSink) => Promise<NemoParticipant | undefined>;

/** The conversations of one socket. The client shows one of them at a time. */
function createSubscriptions({ server, query, connection, send }: SubscriptionContext) {
  const { clock, ids } = server;
  const { profile, agents, clientFeatures } = query;
  const subscriptions = new Map<string, Subscription>();
  let [isClosed, hasHungUp] = [false, false];
  const framesOf = (conversationId: string) =>
    createFrames({ profile, conversationId, now: clock.now, newId: ids.newId });
  /** Every client shows this error. */
  const showError = (error: ErrorContent, conversationId: string, messageId = "default") => {
    const subscription = subscriptions.get(conversationId);
    if (subscription !== undefined) subscription.participant.showError(error, messageId);
    else for (const frame of framesOf(conversationId).of(errorOutput(error), messageId)) send(frame);
  };
  const sinkTo = (conversationId: string, frames: Frames): OutputSink => ({
    send(output, parentId) {
      for (const frame of frames.written(output, parentId)) connection.send(frame);
    },
    cut(why, advice) {
      subscriptions.delete(conversationId);
      // The other conversations of this socket go on.
      if (why === "gone") showError({ code: "workflow_error", message: "Gone", details: advice }, conversationId);
      else if (why !== "replaced") connection.cut(why, advice);
    },
    isClosed: () => isClosed,
    hasHungUp: () => hasHungUp,
    onceReached: (callback) => connection.onceReached(callback),
    bufferedBytes: () => connection.bufferedBytes(),
    onceDrained: (callback) => connection.onceDrained(callback),
  });
  return {
    get: (conversationId: string) => subscriptions.get(conversationId),
    hasAny: () => subscriptions.size > 0,
    /** Undefined when the person has no seat there. Throws the problem. */
    async join(
      conversationId: string,
      take: TakeParticipant,
      about?: Pick<JoinRequest, "history" | "messageId">,
    ): Promise<Subscription | undefined> {
      const frames = framesOf(conversationId);
      const joinRequest = { conversationId, clientFeatures, ...(agents && { agents }), ...about };
      const participant = await take(joinRequest, sinkTo(conversationId, frames));
      // The socket may have closed while the participant joined.
      if (isClosed) participant?.leave();
      if (participant === undefined) return undefined;
      const subscription = { participant, frames };
      subscriptions.set(conversationId, subscription);
      return subscription;
    },
    /** The client sends to this conversation, so it left the others. Their output is kept for the next message there. */
    leaveOthers(current: string): void {
      for (const [conversationId, { participant }] of subscriptions) {
        if (conversationId === current) continue;
        subscriptions.delete(conversationId);
        participant.leave();
      }
    },
    showError,
    close(byClient: boolean): void {
      [isClosed, hasHungUp] = [true, byClient];
      // Messages that arrived before are still sent.
      for (const { participant } of subscriptions.values()) participant.leave();
    },
  };
}
