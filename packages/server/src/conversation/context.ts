import type { Effect, Entry, Floor, FloorOptions } from "@plenary/floor";
import type { Dialect } from "@plenary/protocol";
import type { RequestLimits } from "../limits.ts";
import type { Ids } from "../ports/clock.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { Principal } from "../ports/principal.ts";
import type { ConversationQueue } from "./conversation-queue.ts";
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

/** The author of a command. The core checks the authority when the command takes effect. */
export type CommandBy = { by: "operator" } | { by: "owner" | "person"; speakerUri: string } | { by: "link" };

/** The written entries, and the time by `Metrics.now` when the decision began. */
export type DecidedEntries = { entries: readonly Entry[]; begunAtS: number };

export type ReceiveContext = FactsContext & {
  log: ConversationLog;
  ids: Ids;
  queue: ConversationQueue;
  notifier: Notifier;
  metrics: Metrics;
  redeliveries: Redeliveries;
  deliverySecret: string;
  /** For conversations that are created by their first envelope. */
  floorOptions: FloorOptions;
  /** Throws when this credential has created too many conversations. */
  admitOpening: (principal: Principal) => Promise<void>;
  requestLimits: Pick<RequestLimits, "eventsMax">;
  /** The older dialect that an earlier exchange with this address found. */
  dialectOf?: (serviceUrl: string) => Dialect | undefined;
  /** Records the decision for traces. */
  onDecided?: (origin: InputOrigin, decided: DecidedEntries) => void;
  /** Called with the written entries and the resulting floor. */
  onWritten?: (floor: Floor, entries: readonly Entry[]) => void;
  /** Starts the effects; their results arrive as answers and timers. Never throws. */
  perform: (conversationId: string, effects: readonly Effect[]) => void;
};
