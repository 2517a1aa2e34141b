import type { ErrorContent, ServerMessage } from "@plenary/nemo";
import type { ServerContext } from "../context.ts";
import type { SocketConnection } from "../streams/websocket/connection.ts";
import { createFrames, type Frames } from "./encode.ts";
import { errorOutput } from "./error-text.ts";
import type { JoinRequest, NemoParticipant, OutputSink } from "./participant.ts";
import type { NemoQuery } from "./query.ts";

/** Where a socket sits, and how it is written to about that conversation. */
export type Subscription = { participant: NemoParticipant; frames: Frames };

/** The conversations of one socket. The client shows one of them at a time. */
export type Subscriptions = {
  in(conversationId: string): Subscription | undefined;
  isAny(): boolean;
  /** Undefined when there is no seat to take. Throws the problem. */
  sit(conversationId: string, take: TakeParticipant, about?: About): Promise<Subscription | undefined>;
  /** The client speaks in this conversation, so it has left the others. The floor keeps what they say for the next message there. */
  leaveOthers(conversationId: string): void;
  /** In a way that every client shows. */
  trouble(error: ErrorContent, conversationId: string, messageId?: string): void;
  /** `isWilling`: the client itself has hung up. */
  close(isWilling: boolean): void;
};

type About = Pick<JoinRequest, "history" | "messageId">;
type TakeParticipant = (joinRequest: JoinRequest, sink: OutputSink) => Promise<NemoParticipant | undefined>;

type Options = {
  server: ServerContext;
  query: NemoQuery;
  wire: SocketConnection;
  send: (message: ServerMessage) => void;
};

function isParts(written: ReturnType<Frames["written"]>): written is readonly [Buffer, Buffer, Buffer] {
  return typeof written[0] === "object";
}

export function createSubscriptions({ server, query, wire, send }: Options): Subscriptions {
  const { clock, ids } = server;
  const { profile, agents, clientFeatures } = query;
  const subscriptions = new Map<string, Subscription>();
  let [isClosed, isWilling] = [false, false];
  const framesOf = (conversationId: string) =>
    createFrames({ profile, conversationId, now: clock.now, newId: ids.newId });
  const trouble: Subscriptions["trouble"] = (error, conversationId, messageId = "default") => {
    const place = subscriptions.get(conversationId);
    if (place !== undefined) place.participant.trouble(error, messageId);
    else for (const frame of framesOf(conversationId).of(errorOutput(error), messageId)) send(frame);
  };
  const sinkTo = (conversationId: string, frames: Frames): OutputSink => ({
    tell(output, parentId) {
      const written = frames.written(output, parentId);
      if (isParts(written)) wire.tell(written);
      else for (const text of written) wire.tell(text);
    },
    cut(why, advice) {
      subscriptions.delete(conversationId);
      // The other conversations of this socket go on.
      if (why === "gone") trouble({ code: "workflow_error", message: "Gone", details: advice }, conversationId);
      else if (why !== "replaced") wire.sink.cut(why, advice);
    },
    isGone: () => isClosed,
    isWilling: () => isWilling,
    onceReached: (ring) => wire.onceReached(ring),
    bufferedBytes: () => wire.sink.bufferedBytes(),
    onceDrained: (ring) => wire.sink.onceDrained(ring),
  });
  return {
    in: (conversationId) => subscriptions.get(conversationId),
    isAny: () => subscriptions.size > 0,
    async sit(conversationId, take, about) {
      const frames = framesOf(conversationId);
      const joinRequest = { conversationId, clientFeatures, ...(agents && { agents }), ...about };
      const participant = await take(joinRequest, sinkTo(conversationId, frames));
      // The client may have gone while its seat was being made ready.
      if (isClosed) participant?.leave();
      if (participant === undefined) return undefined;
      const place = { participant, frames };
      subscriptions.set(conversationId, place);
      return place;
    },
    leaveOthers(current) {
      for (const [conversationId, { participant }] of subscriptions) {
        if (conversationId === current) continue;
        subscriptions.delete(conversationId);
        participant.leave();
      }
    },
    trouble,
    close(isBidden) {
      [isClosed, isWilling] = [true, isBidden];
      // What it said before is still said from there.
      for (const { participant } of subscriptions.values()) participant.leave();
    },
  };
}
