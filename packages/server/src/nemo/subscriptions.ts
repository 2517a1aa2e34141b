import type { ErrorContent, ServerMessage } from "@plenary/nemo";
import type { Running } from "../context.ts";
import type { Wire } from "../streams/websocket/connection.ts";
import { createFrames, type Frames } from "./encode.ts";
import { troubleTold } from "./error-text.ts";
import type { NemoSeat, Outlet, SeatWish } from "./participant.ts";
import type { NemoQuery } from "./query.ts";

/** Where a socket sits, and how it is written to about that conversation. */
export type Place = { seat: NemoSeat; frames: Frames };

/** The conversations of one socket. The client shows one of them at a time. */
export type Places = {
  in(conversationId: string): Place | undefined;
  isAny(): boolean;
  /** Undefined when there is no seat to take. Throws the problem. */
  sit(conversationId: string, take: Take, about?: About): Promise<Place | undefined>;
  /** The client speaks in this conversation, so it has left the others. The floor keeps what they say for the next message there. */
  leaveOthers(conversationId: string): void;
  /** In a way that every client shows. */
  trouble(error: ErrorContent, conversationId: string, messageId?: string): void;
  /** `isWilling`: the client itself has hung up. */
  close(isWilling: boolean): void;
};

type About = Pick<SeatWish, "history" | "messageId">;
type Take = (wish: SeatWish, outlet: Outlet) => Promise<NemoSeat | undefined>;

type Options = { running: Running; query: NemoQuery; wire: Wire; send: (message: ServerMessage) => void };

function isParts(written: ReturnType<Frames["written"]>): written is readonly [Buffer, Buffer, Buffer] {
  return typeof written[0] === "object";
}

export function createPlaces({ running, query, wire, send }: Options): Places {
  const { clock, ids } = running;
  const { profile, agents, manner } = query;
  const places = new Map<string, Place>();
  let [isClosed, isWilling] = [false, false];
  const framesOf = (conversationId: string) =>
    createFrames({ profile, conversationId, now: clock.now, newId: ids.newId });
  const trouble: Places["trouble"] = (error, conversationId, messageId = "default") => {
    const place = places.get(conversationId);
    if (place !== undefined) place.seat.trouble(error, messageId);
    else for (const frame of framesOf(conversationId).of(troubleTold(error), messageId)) send(frame);
  };
  const outletTo = (conversationId: string, frames: Frames): Outlet => ({
    tell(told, parentId) {
      const written = frames.written(told, parentId);
      if (isParts(written)) wire.tell(written);
      else for (const text of written) wire.tell(text);
    },
    cut(why, advice) {
      places.delete(conversationId);
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
    in: (conversationId) => places.get(conversationId),
    isAny: () => places.size > 0,
    async sit(conversationId, take, about) {
      const frames = framesOf(conversationId);
      const wish = { conversationId, manner, ...(agents && { agents }), ...about };
      const seat = await take(wish, outletTo(conversationId, frames));
      // The client may have gone while its seat was being made ready.
      if (isClosed) seat?.leave();
      if (seat === undefined) return undefined;
      const place = { seat, frames };
      places.set(conversationId, place);
      return place;
    },
    leaveOthers(current) {
      for (const [conversationId, { seat }] of places) {
        if (conversationId === current) continue;
        places.delete(conversationId);
        seat.leave();
      }
    },
    trouble,
    close(isBidden) {
      [isClosed, isWilling] = [true, isBidden];
      // What it said before is still said from there.
      for (const { seat } of places.values()) seat.leave();
    },
  };
}
