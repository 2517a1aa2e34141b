import type { Envelope, FloorEvent } from "@plenary/protocol";
import { insightOf } from "./floor-view.ts";
import type { Chair } from "./policy.ts";
import { eventsMax, Sitting } from "./session.ts";

type Ruled = { events: readonly FloorEvent[]; wakeAtMs?: number };

/** A ready-made convener without a clock of its own: told what happens and when, it says what it does. */
export type VirtualConvener = {
  hear(heard: Pick<Envelope, "conversation" | "sender" | "events"> & { isDelegated: boolean }, nowMs: number): Ruled;
  /** The time it wished to be woken at has come. */
  wake(nowMs: number): Ruled;
};

export type Self = { speakerUri: string; serviceUrl: string };

/** In one conversation. */
export function virtualConvenerIn<State>(chair: Chair<State>, self: Self): VirtualConvener {
  const seat = new Sitting(chair);
  const ruled = (events: readonly FloorEvent[]): Ruled => {
    const { wakeAtMs } = seat;
    return { events: events.slice(0, eventsMax), ...(wakeAtMs !== undefined && { wakeAtMs }) };
  };
  return {
    hear({ conversation, sender, events, isDelegated }, nowMs) {
      if (seat.look(conversation, insightOf(conversation, self), nowMs) === undefined) return ruled([]);
      const kind = isDelegated ? "asked" : "told";
      const { speakerUri } = sender;
      const caughtUp = seat.catchUp(nowMs);
      return ruled([...caughtUp, ...events.flatMap((event) => seat.take({ kind, event, sender: speakerUri }, nowMs))]);
    },
    wake: (nowMs) => ruled(seat.take({ kind: "time" }, nowMs)),
  };
}
