import type { ConcurrencyLimit } from "../delivery/http/concurrency-limit.ts";
import { tracesOf } from "../observability/spans.ts";
import { type Ids, timeOf } from "../ports/clock.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { FloorIdentity } from "../ports/outbound.ts";
import type { WebhookStore } from "../ports/webhook-store.ts";
import { noteFailure } from "./note-failure.ts";
import { type FailedSend, type SendContext, type SendOutcome, send } from "./send.ts";
import { type Lane, messageId, messageOf, type Webhook, type WebhookMessage, type WebhookRecord } from "./webhook.ts";

export type RunnerContext = SendContext & {
  log: ConversationLog;
  store: WebhookStore;
  ids: Ids;
  metrics: Metrics;
  self: FloorIdentity;
  concurrency: ConcurrencyLimit;
  /** Why the registrant may not read the log any more; undefined when it may. */
  refusalOf: (hook: Webhook) => Promise<string | undefined>;
  onError: (error: unknown) => void;
};

type RunnerEvents = { onProgress: () => void; onDisabled: () => void };

type RunningLane = {
  /** New entries since the last read. */
  isNew: boolean;
  /** The time of the entry being delivered. */
  headAtMs?: number;
  /** Ends the pause before a retry. */
  resume?: () => void;
  loop?: Promise<void>;
};

type NextMessage = WebhookMessage & { seq: number };

/** Few, because most entries are read again for the next request; more while none is wanted. */
const batchMin = 4;
const batchMax = 64;

/**
 * Delivers the entries of the log to one webhook: in order within a conversation, one at a time. Conversations do not wait
 * for each other, up to `lanesMax`. The log is the queue; the memory holds one entry per request.
 */
export class WebhookRunner {
  readonly #context: RunnerContext;
  readonly #record: WebhookRecord;
  readonly #events: RunnerEvents;
  /** No further request is sent. */
  readonly #over = new AbortController();
  /** Requests in flight are aborted. */
  readonly #cut = new AbortController();
  readonly #busy = new Map<Lane, RunningLane>();
  #isScanning = false;
  #isNew = false;
  #notBeforeMs = 0;

  constructor(context: RunnerContext, record: WebhookRecord, events: RunnerEvents) {
    this.#context = context;
    this.#record = record;
    this.#events = events;
  }

  start(): void {
    for (const lane of this.#record.lanes) this.#run(lane);
    this.wake();
  }

  /** The log has new entries. */
  wake(): void {
    this.#isNew = true;
    const { hook, lanes } = this.#record;
    if (hook.conversation !== undefined) for (const lane of lanes) this.#run(lane);
    else if (!this.#isScanning) this.#scan().catch((error) => this.#scanLater(error));
  }

  /** Repeats what waits for a retry now. */
  retryNow(): void {
    this.#notBeforeMs = 0;
    for (const { failing } of this.#record.lanes) if (failing !== undefined) failing.retryAtMs = 0;
    for (const { resume } of this.#busy.values()) resume?.();
  }

  /** Age of the oldest entry that is being delivered. */
  lagMs(): number {
    const heads = [...this.#busy.values()].map(({ headAtMs = Number.POSITIVE_INFINITY }) => headAtMs);
    return Math.max(0, this.#context.clock.now() - Math.min(Number.POSITIVE_INFINITY, ...heads));
  }

  /** Resolves when the requests in flight have ended. */
  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all([...this.#busy.values()].map(({ loop }) => loop));
  }

  cut(): void {
    this.#over.abort();
    this.#cut.abort();
  }

  #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** The store failed. */
  async #scanLater(error: unknown): Promise<void> {
    const { onError, limits } = this.#context;
    onError(error);
    await this.#pause({ isNew: false }, limits.retryBaseMs);
    if (!this.#isOver()) this.wake();
  }

  /** Finds conversations with new entries. */
  async #scan(): Promise<void> {
    const { store, limits } = this.#context;
    const { lanes } = this.#record;
    this.#isScanning = true;
    try {
      while (this.#isNew && !this.#isOver()) {
        this.#isNew = false;
        const ranges = await store.logRanges({ after: this.#record.position, limit: batchMax });
        for (const { position, conversationId, first, last } of ranges) {
          let lane = lanes.find((one) => one.conversationId === conversationId);
          if (lane === undefined) {
            // The end of a lane continues the scan.
            if (lanes.length >= limits.lanesMax) return;
            lane = { conversationId, seq: first - 1, until: last };
            lanes.push(lane);
          } else lane.until = last;
          this.#record.position = position;
          this.#run(lane);
        }
        if (ranges.length > 0) this.#isNew = true;
      }
    } finally {
      this.#isScanning = false;
    }
  }

  #run(lane: Lane): void {
    const running = this.#busy.get(lane);
    if (running !== undefined) running.isNew = true;
    if (running !== undefined || this.#isOver()) return;
    const state: RunningLane = { isNew: false };
    this.#busy.set(lane, state);
    state.loop = this.#drain(lane, state);
  }

  async #drain(lane: Lane, state: RunningLane): Promise<void> {
    const { clock, limits, onError } = this.#context;
    for (let isMore = true; isMore && !this.#isOver(); ) {
      try {
        const waitMs = Math.max(this.#notBeforeMs, lane.failing?.retryAtMs ?? 0) - clock.now();
        if (waitMs > 0) {
          await this.#pause(state, waitMs);
          continue;
        }
        state.isNew = false;
        isMore = (await this.#step(lane, state)) || state.isNew;
      } catch (error) {
        // The store failed: the receiver is not to blame.
        onError(error);
        await this.#pause(state, limits.retryBaseMs);
      }
    }
    this.#busy.delete(lane);
    if (!this.#isOver()) this.#end(lane);
  }

  #end(lane: Lane): void {
    const { lanes } = this.#record;
    if (lane.until === undefined) return;
    if (lane.seq >= lane.until) {
      lanes.splice(lanes.indexOf(lane), 1);
      this.wake();
    } else this.#run(lane);
  }

  /** False when there is nothing left to send. */
  async #step(lane: Lane, state: RunningLane): Promise<boolean> {
    const { concurrency } = this.#context;
    const { hook } = this.#record;
    const release = await concurrency.take(hook.id, this.#over.signal);
    if (release === undefined) return false;
    try {
      const next = await this.#next(lane, state);
      if (next === undefined || this.#isOver()) return false;
      const outcome = await send(this.#context, hook, next, this.#cut.signal);
      await this.#settle(lane, next, outcome);
      return true;
    } finally {
      release();
    }
  }

  /** Read again for each attempt: an erased entry is sent erased, and the rights of the registrant are those of now. */
  async #next(lane: Lane, state: RunningLane): Promise<NextMessage | undefined> {
    const { log, refusalOf, self } = this.#context;
    const { hook } = this.#record;
    const { conversationId } = lane;
    const traceOf = tracesOf(conversationId, self);
    for (
      let limit = batchMin;
      lane.until === undefined || lane.seq < lane.until;
      limit = Math.min(batchMax, 2 * limit)
    ) {
      const entries = await log.entries(conversationId, { after: lane.seq, limit });
      const floor = await log.load(conversationId);
      if (entries.length === 0 || floor === undefined) return undefined;
      const refusal = await refusalOf(hook);
      if (refusal !== undefined) this.#disable(refusal);
      if (this.#isOver()) return undefined;
      for (const entry of entries) {
        const { seq, at } = entry;
        if (seq > (lane.until ?? seq)) return undefined;
        const message = messageOf(hook, floor, entry, traceOf);
        state.headAtMs = Date.parse(at);
        if (message !== undefined) return { ...message, seq };
        this.#advance(lane, seq);
      }
      // Yields to the event loop between batches.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return undefined;
  }

  #advance(lane: Lane, seq: number): void {
    lane.seq = Math.max(lane.seq, seq);
    delete lane.failing;
    this.#events.onProgress();
  }

  async #settle(lane: Lane, { seq }: NextMessage, outcome: SendOutcome): Promise<void> {
    const { metrics, clock } = this.#context;
    if (outcome.kind === "aborted") return;
    metrics.webhook(outcome.kind);
    if (outcome.kind === "failed") return this.#fail(lane, seq, outcome);
    this.#advance(lane, seq);
    // The first success after a time of failures only: the receiver answers again.
    if (this.#record.failingSinceMs !== undefined && this.#isAllFailing()) this.retryNow();
    delete this.#record.failingSinceMs;
    this.#record.lastDeliveredAt = timeOf(clock);
  }

  /** Not when one entry is refused again and again while others are delivered. */
  #isAllFailing(): boolean {
    const { lanes, lastDeliveredAt } = this.#record;
    const lastMs = lastDeliveredAt === undefined ? 0 : Date.parse(lastDeliveredAt);
    return lanes.every(({ failing }) => failing === undefined || failing.sinceMs > lastMs);
  }

  async #fail(lane: Lane, seq: number, outcome: FailedSend): Promise<void> {
    const { clock, ids, limits } = this.#context;
    const nowMs = clock.now();
    const { pauseMs, disabled, isDead } = noteFailure(this.#record, lane, outcome, {
      nowMs,
      random: ids.random(),
      limits,
    });
    if (pauseMs > 0) this.#notBeforeMs = nowMs + pauseMs;
    this.#events.onProgress();
    if (disabled !== undefined) this.#disable(disabled);
    else if (isDead) await this.#bury(lane, seq, outcome.failure);
  }

  async #bury(lane: Lane, seq: number, failure: string): Promise<void> {
    const { store, clock, metrics } = this.#context;
    const { hook } = this.#record;
    const { conversationId } = lane;
    const id = messageId(hook, conversationId, seq);
    const letter = { webhook: hook.id, id, conversationId, seq, failure, at: timeOf(clock) };
    await store.keepWebhookLetters({ kept: [letter], forgotten: [] });
    metrics.webhook("dead");
    this.#advance(lane, seq);
  }

  #disable(reason: string): void {
    if (this.#isOver()) return;
    this.#record.disabled = reason;
    this.cut();
    this.#events.onDisabled();
  }

  #pause(state: RunningLane, ms: number): Promise<void> {
    const { clock } = this.#context;
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#over.signal.removeEventListener("abort", end);
        delete state.resume;
        resolve();
      };
      const cancel = clock.at(clock.now() + ms, end);
      this.#over.signal.addEventListener("abort", end, { once: true });
      state.resume = end;
      if (this.#isOver()) end();
    });
  }
}
