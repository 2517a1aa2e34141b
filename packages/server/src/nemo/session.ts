import type { TranscriptEntry } from "@plenary/transcript";
import type { DeliveringContext, ProcessContext } from "../context.ts";
import type { Draft } from "../delivery/drafts.ts";
import type { Clock } from "../ports/clock.ts";
import type { StreamSink } from "../streams/backpressure.ts";
import type { SharedDocument } from "../streams/shared-document.ts";
import type { Viewer } from "../streams/viewer.ts";
import type { Viewers } from "../streams/viewers.ts";
import type { ClientFeatures, NemoOutput, OutputSink } from "./participant.ts";
import type { Renderer } from "./renderer/renderer.ts";
import { createOfflineBuffer, type OfflineBuffer, UnackedOutput, wantedOf } from "./undelivered-output.ts";

type AttachOptions = { isResuming: boolean; parentId?: string | undefined };

type SessionOptions = {
  server: ProcessContext & DeliveringContext;
  viewers: Viewers;
  conversationId: string;
  speakerUri: string;
  renderer: Renderer;
  /** The log is read after this entry, or after the last one that the renderer read. */
  readFrom: number;
  clientFeatures: ClientFeatures;
  /** No client is attached any more. */
  onLeft: () => void;
};

/**
 * The output of one conversation for one person, and the client that gets it. Outlives the clients. A class, because
 * thousands of instances share the methods.
 */
export class NemoSession {
  readonly conversationId: string;
  readonly speakerUri: string;
  readonly renderer: Renderer;
  /** Features of the current client. */
  readonly clientFeatures: ClientFeatures;
  /** The message of the person that the output belongs to. */
  parentId = "default_id";
  /** The turn of the message that opened the current turn, and the last entry before it. */
  begunBy: string | undefined;
  begunAfter = 0;
  /** The turn of the first invites, until the first message has waited for it. */
  inviteTurn: string | undefined;
  /** The turn of the person's last message, when a restart lost its output: the client may still wait for it. */
  unknownTurn: string | undefined;
  /** Since when the person waits. */
  waitingSinceMs: number;
  /** When a question last expired. The floor informs the agent that asked at the same time. */
  promptExpiredMs = 0;
  /** A message of the person is being written to the log. */
  isSending = false;
  /** The client joined with a new message, and first gets the output that it missed. */
  isCatchingUp = false;
  /** The last two characters of the missed output, to decide whether a paragraph break is needed. */
  tail = "";
  readonly #options: SessionOptions;
  readonly #clock: Clock;
  readonly #offlineBuffer: OfflineBuffer;
  readonly #unacked: UnackedOutput;
  /** Callbacks of `changed`. */
  readonly #waiters = new Set<() => void>();
  #sink: OutputSink | undefined;
  #viewer: Viewer | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(options: SessionOptions) {
    const { conversationId, speakerUri, renderer, clientFeatures, server } = options;
    this.conversationId = conversationId;
    this.speakerUri = speakerUri;
    this.renderer = renderer;
    this.clientFeatures = clientFeatures;
    this.#options = options;
    this.#clock = server.clock;
    this.#offlineBuffer = createOfflineBuffer(options);
    this.#unacked = new UnackedOutput(server.clock);
    this.waitingSinceMs = this.#clock.now();
  }

  hasClient(): boolean {
    return this.#sink !== undefined;
  }

  /** Notifies the client that a question is open and no agent works; undefined when the client does not need it. */
  idleNotifier(): (() => void) | undefined {
    return this.#sink?.idle?.bind(this.#sink);
  }

  /**
   * All further output goes to this sink only, starting with output that the last one may not have received.
   * `isResuming`: it waits for the rest of its turn; otherwise it has a new message, with the id `parentId` if known.
   * Throws the problem when too many streams are open.
   */
  attach(next: OutputSink, { isResuming, parentId: messageId }: AttachOptions = { isResuming: false }): void {
    if (this.#sink === next) return;
    const before = this.#sink;
    this.#stop();
    before?.cut("replaced", "a newer client of this person has taken over this conversation");
    this.#viewer = this.#openViewer(next);
    this.#sink = next;
    const awaited = isResuming && !this.renderer.isOpen() ? this.parentId : undefined;
    const lost = wantedOf(this.#unacked.end(), awaited);
    const earlier = [...lost, { output: this.#offlineBuffer.end(), parentId: this.parentId }];
    Object.assign(this, { isCatchingUp: !isResuming, tail: "" }, messageId !== undefined && { parentId: messageId });
    for (const { output, parentId } of earlier)
      if (output.length > 0) this.#sendTo(next, output, messageId ?? parentId);
    this.send(reopened(this, isResuming, this.#clock.now()));
  }

  /** Detaches this sink; does nothing if another one has replaced it. `unsent`: text that was not sent to the client. */
  detach(sink: OutputSink, unsent = ""): void {
    if (this.#sink !== sink) return;
    this.#stop();
    if (unsent !== "") this.#offlineBuffer.add([{ kind: "delta", text: unsent }]);
    if (sink.hasHungUp?.() === true) this.#unacked.end();
    else if (sink.isClosed?.() !== true) this.#unacked.ask(sink);
    if (this.renderer.isOpen()) this.#offlineBuffer.begin();
    this.#options.onLeft();
  }

  /** Drops the output that is kept for the next client. */
  close(): void {
    this.#offlineBuffer.end();
  }

  send(output: readonly NemoOutput[]): void {
    this.#deliver(output);
    this.#setTimer();
    this.#wakeWaiters();
  }

  /** Resolves when output was sent, a client attached or detached, or after this time. */
  changed(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiters.delete(wake);
        cancel();
        resolve();
      };
      const cancel = this.#clock.at(this.#clock.now() + ms, wake);
      this.#waiters.add(wake);
    });
  }

  entry(entry: TranscriptEntry): void {
    this.send(this.renderer.entry(entry, this.#clock.now()));
  }

  draft(draft: Draft): void {
    const output = this.renderer.draft(draft);
    this.#deliver(output);
    // A single delta continues text that is shown already, so no timer changes.
    if (output.length !== 1) this.#setTimer();
    this.#wakeWaiters();
  }

  #deliver(output: readonly NemoOutput[]): void {
    if (this.#sink === undefined) this.#offlineBuffer.add(output);
    else if (output.length > 0) this.#sendTo(this.#sink, output, this.parentId);
  }

  #sendTo(sink: OutputSink, output: readonly NemoOutput[], parentId: string): void {
    sink.send(output, parentId);
    if (this.isCatchingUp) this.tail = tailOf(output) || this.tail;
    this.#unacked.add(sink, output, parentId);
  }

  #wakeWaiters(): void {
    if (this.#waiters.size > 0) for (const wake of [...this.#waiters]) wake();
  }

  /** Sets the timer for the next `tick` of the renderer. */
  #setTimer(): void {
    this.#cancelTimer?.();
    const atMs = this.#sink === undefined ? undefined : this.renderer.nextAtMs();
    this.#cancelTimer = atMs === undefined ? undefined : this.#clock.at(atMs, () => this.#tick());
  }

  #tick(): void {
    const nowMs = this.#clock.now();
    const output = this.renderer.tick(nowMs);
    if (output.some(({ kind }) => kind === "error")) this.promptExpiredMs = nowMs;
    this.send(output);
  }

  #stop(): void {
    const open = this.#viewer;
    [this.#viewer, this.#sink] = [undefined, undefined];
    open?.close();
    this.send([]);
  }

  #openViewer(sink: OutputSink): Viewer {
    const { viewers, readFrom, onLeft } = this.#options;
    const after = Math.max(readFrom, this.renderer.seq());
    const view = { speaker: this.speakerUri, conversation: this.conversationId, after, isBrief: true };
    try {
      return viewers.open(view, new SessionSink(this, sink));
    } catch (error) {
      onLeft();
      throw error;
    }
  }
}

/** The sink of an ordinary viewer: presence, backpressure and visibility are the same as for other streams. */
class SessionSink implements StreamSink {
  readonly #session: NemoSession;
  readonly #sink: OutputSink;

  constructor(session: NemoSession, sink: OutputSink) {
    this.#session = session;
    this.#sink = sink;
  }

  event(document: SharedDocument): void {
    this.#session.entry((document.value as { entry: TranscriptEntry }).entry);
  }

  draft(draft: Draft): void {
    this.#session.draft(draft);
  }

  bufferedBytes(): number {
    return this.#sink.bufferedBytes?.() ?? 0;
  }

  onceDrained(callback: () => void): void {
    if (this.#sink.onceDrained === undefined) queueMicrotask(callback);
    else this.#sink.onceDrained(callback);
  }

  cut(...why: Parameters<StreamSink["cut"]>): void {
    this.#session.detach(this.#sink);
    this.#sink.cut(...why);
  }
}

/** A client that reconnects after a restart of the floor gets the output since its last message, and then its end. */
function reopened(session: NemoSession, isBack: boolean, nowMs: number): NemoOutput[] {
  const { renderer, unknownTurn: turn } = session;
  session.unknownTurn = undefined;
  if (!isBack || turn === undefined) return [];
  // The client may already show a part of the answer that follows.
  const gap: NemoOutput = { kind: "delta", text: "\n\n" };
  if (renderer.isOpen()) return [gap];
  const output = renderer.begin(nowMs);
  renderer.addTurn(turn);
  return [gap, ...output];
}

function tailOf(output: readonly NemoOutput[]): string {
  const last = output.findLast(({ kind }) => kind === "delta");
  return last?.kind === "delta" ? last.text.slice(-2) : "";
}
