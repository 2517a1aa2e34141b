import type { Conversation, Dialect, FloorEvent, Sender } from "@plenary/protocol";

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
  /** Other floors behind the turn, so that the next one learns of them too (D17). */
  floors?: readonly string[];
  isInvite: boolean;
  isDelegation: boolean;
  /** Waits for no conversant: forwarded to an address that is not at the floor. */
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
   * Nobody waits for this answer any longer, and a late one has no effect (D18): a request that awaits its response is cut
   * short. One whose bytes are not out yet goes out all the same: what it holds was said, and its recipient was to hear it.
   */
  | { kind: "abort"; delivery: string }
  | { kind: "timer"; id: string; at: string }
  /** The newcomer's manifest is asked for beside the log (D14). */
  | { kind: "askManifest"; speakerUri: string; serviceUrl: string };

/** Why an event, or the whole envelope, was not taken. */
export type Refusal = {
  /** Place of the event in the envelope, where it is about one. Without entries the whole envelope is refused. */
  index?: number;
  because: string;
  /** As HTTP would say it. */
  status: 403 | 404 | 409 | 422;
  problem: string;
};
