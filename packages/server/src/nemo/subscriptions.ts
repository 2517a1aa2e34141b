import type { ErrorContent, ServerMessage } from "@plenary/nemo";
import type { ServerContext } from "../context.ts";
import type { SocketConnection } from "../streams/websocket/connection.ts";
import { createFrames, type Frames } from "./encode.ts";
import { errorOutput } from "./error-text.ts";
import type { JoinRequest, NemoParticipant, OutputSink } from "./participant.ts";
import type { NemoQuery } from "./query.ts";

/** One conversation on one socket. */
export type Subscription = { participant: NemoParticipant; frames: Frames };

/** The conversations of one socket. The client shows one of them at a time. */
export type Subscriptions = {
  get(conversationId: string): Subscription | undefined;
  hasAny(): boolean;
  /** Undefined when the person has no seat there. Throws the problem. */
  join(conversationId: string, take: TakeParticipant, about?: About): Promise<Subscription | undefined>;
  /** The client sends to this conversation, so it left the others. Their output is kept for the next message there. */
  leaveOthers(conversationId: string): void;
  /** Every client shows this error. */
  showError(error: ErrorContent, conversationId: string, messageId?: string): void;
  /** `hasHungUp`: the client closed the connection itself. */
  close(hasHungUp: boolean): void;
};

type About = Pick<JoinRequest, "history" | "messageId">;
type TakeParticipant = (joinRequest: JoinRequest, sink: OutputSink) => Promise<NemoParticipant | undefined>;

type Options = {
  server: ServerContext;
  query: NemoQuery;
  connection: SocketConnection;
  send: (message: ServerMessage) => void;
};

function isParts(written: ReturnType<Frames["written"]>): written is readonly [Buffer, Buffer, Buffer] {
  return typeof written[0] === "object";
}

export function createSubscriptions({ server, query, connection, send }: Options): Subscriptions {
  const { clock, ids } = server;
  const { profile, agents, clientFeatures } = query;
  const subscriptions = new Map<string, Subscription>();
  let [isClosed, hasHungUp] = [false, false];
  const framesOf = (conversationId: string) =>
    createFrames({ profile, conversationId, now: clock.now, newId: ids.newId });
  const showError: Subscriptions["showError"] = (error, conversationId, messageId = "default") => {
    const subscription = subscriptions.get(conversationId);
    if (subscription !== undefined) subscription.participant.showError(error, messageId);
    else for (const frame of framesOf(conversationId).of(errorOutput(error), messageId)) send(frame);
  };
  const sinkTo = (conversationId: string, frames: Frames): OutputSink => ({
    send(output, parentId) {
      const written = frames.written(output, parentId);
      if (isParts(written)) connection.tell(written);
      else for (const text of written) connection.tell(text);
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
    get: (conversationId) => subscriptions.get(conversationId),
    hasAny: () => subscriptions.size > 0,
    async join(conversationId, take, about) {
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
    leaveOthers(current) {
      for (const [conversationId, { participant }] of subscriptions) {
        if (conversationId === current) continue;
        subscriptions.delete(conversationId);
        participant.leave();
      }
    },
    showError,
    close(byClient) {
      [isClosed, hasHungUp] = [true, byClient];
      // Messages that arrived before are still sent.
      for (const { participant } of subscriptions.values()) participant.leave();
    },
  };
}
