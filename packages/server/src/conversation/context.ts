import type { Effect, Entry, Floor, FloorOptions } from "@plenary/floor";
import type { Dialect } from "@plenary/protocol";
import type { RequestLimits } from "../limits.ts";
import type { Ids } from "../ports/clock.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { Principal } from "../ports/principal.ts";
import type { ConversationQueue } from "./conversation-queue.ts";
import type { JsonText } from "./decode.ts";
import type { FactsContext } from "./facts.ts";
import type { Notifier } from "./notifier.ts";
import type { Redeliveries } from "./redeliveries.ts";

/** The origin of an input whose turn is not known yet. */
export type InputOrigin = {
  conversationId: string;
  kind: "envelope" | "answer" | "timer" | "command";
  /** The delivery that it answers. */
  delivery?: string | undefined;
  /** The sender's span, which belongs to another trace. */
  traceparent?: string | undefined;
};

/** An envelope from outside, and its origin. */
export type EnvelopeRequest = {
  document: JsonText;
  principal: Principal;
  /** Earlier hops on other floors (D17). */
  depth?: number;
  floors?: readonly string[];
  /** The header of a later answer: it names the delivery (D22). */
  inReplyTo?: string;
  /** The idempotency key of the request. */
  requestKey?: string;
  /** The envelope answers a private utterance of this conversant, after its delivery was closed. */
  whisperer?: string;
  /** The caller's span, to which the floor's span is linked. */
  traceparent?: string;
};

/** The author of a command. The core checks the authority when the command takes effect. */
export type CommandBy = { by: "operator" } | { by: "owner" | "person"; speakerUri: string } | { by: "link" };

/** The written entries, and the time by `Metrics.now` when the decision began. */
export type DecidedEntries = { entries: readonly Entry[]; begunAtS: number };

/** What an input needs to look up facts and to decide. */
export type PlanContext = FactsContext & {
  log: ConversationLog;
  deliverySecret: string;
  /** For conversations that are created by their first envelope. */
  floorOptions: FloorOptions;
  /** Throws when this credential has created too many conversations. */
  admitOpening: (principal: Principal) => Promise<void>;
  requestLimits: Pick<RequestLimits, "eventsMax">;
};

/** What follows from a durable decision. */
type DecisionListeners = {
  notifier: Notifier;
  metrics: Metrics;
  /** Starts the effects; their results arrive as answers and timers. Never throws. */
  perform: (conversationId: string, effects: readonly Effect[]) => void;
  /** Records the decision for traces. */
  onDecided?: (origin: InputOrigin, decided: DecidedEntries) => void;
  /** Called with the written entries and the resulting floor. */
  onWritten?: (floor: Floor, entries: readonly Entry[]) => void;
};

export type ReceiveContext = PlanContext &
  DecisionListeners & {
    ids: Ids;
    queue: ConversationQueue;
    redeliveries: Redeliveries;
    /** The older dialect that an earlier exchange with this address found. */
    dialectOf?: (serviceUrl: string) => Dialect | undefined;
  };
