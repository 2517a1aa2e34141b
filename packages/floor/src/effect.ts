import type { Conversation, Dialect, FloorEvent, Sender } from "@plenary/protocol";
import type { Because } from "./rules.ts";

/** An envelope for one conversant. Its answer comes back as an `answer` input. */
export type DeliverEffect = {
  kind: "deliver";
  delivery: string;
  to: { speakerUri: string; serviceUrl: string };
  sender: Sender;
  conversation: Conversation;
  events: FloorEvent[];
  turn: string;
  depth: number;
  /** Other floors that the turn came over, for the next floor (D17). */
  floors?: readonly string[];
  isInvite: boolean;
  isDelegation: boolean;
  /** Forwarded to an outsider: no conversant is awaited. */
  isForwarded?: true;
  /**
   * Filled in by the shell, which remembers what it has found at this address before: tried first (D23). It stays with the
   * delivery, whose bytes must not change when it is repeated (D22).
   */
  dialect?: Dialect;
};

export type Effect =
  | DeliverEffect
  /**
   * No delivery waits for this answer any longer, and a late one has no effect (D18): a request that awaits its response is cut
   * short. One whose bytes are not out yet goes out all the same: what it holds was said, and its recipient was to hear it.
   */
  | { kind: "abort"; delivery: string }
  | { kind: "timer"; id: string; at: string }
  /** Ask for the newcomer's manifest; nothing is written to the log (D14). */
  | { kind: "askManifest"; speakerUri: string; serviceUrl: string };

/** Why an event, or the whole envelope, was refused. */
export type Refusal = {
  /** Index of the event in the envelope, if it concerns one event. Without entries the whole envelope is refused. */
  index?: number;
  because: string;
  /** An HTTP status. */
  status: 403 | 404 | 409 | 422;
  problem: string;
};

export type CommandRefusal = Refusal & { because: Because };
