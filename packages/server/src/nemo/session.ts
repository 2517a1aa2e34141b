import type { TranscriptEntry } from "@plenary/transcript";
import type { ServerContext } from "../context.ts";
import type { Draft } from "../delivery/drafts.ts";
import type { Clock } from "../ports/clock.ts";
import type { StreamSink } from "../streams/backpressure.ts";
import type { Viewer } from "../streams/viewer.ts";
import type { Viewers } from "../streams/viewers.ts";
import { createOfflineBuffer, type OfflineBuffer } from "./offline-buffer.ts";
import type { ClientFeatures, NemoOutput, Renderer } from "./output.ts";
import type { OutputSink } from "./participant.ts";
import { createUnackedOutput, type UnackedOutput, wantedOf } from "./unacked.ts";

/** One person in one conversation: its output, and which of its clients gets it. Outlives the clients. */
export type NemoSession = {
  conversationId: string;
  speakerUri: string;
  renderer: Renderer;
  /** Of the client that listens now. */
  clientFeatures: ClientFeatures;
  /** The message of the person that pieces belong to. */
  parentId: string;
  /** The turn of the words that began what is open, and the entry they came after. */
  begunBy: string | undefined;
  begunAfter: number;
  /** The turn in which those come who were invited at the beginning, until it was waited for. */
  arrival: string | undefined;
  /** The turn of its last words, when nobody knows any more what came of them for it: its client may still wait for that. */
  unknownTurn: string | undefined;
  /** Since when the person waits. */
  lastWordMs: number;
  /** When a question last lapsed. The floor informs the agent that asked at the same time. */
  lapsedMs: number;
  /** Something of the person is on its way into the log. */
  isSaying: boolean;
  /** The client came to say something new, and first gets what it missed. */
  isCatchingUp: boolean;
  /** The last two characters of what it got of that. */
  tail: string;
  isHeard(): boolean;
  /**
   * All further output goes to this sink only, beginning with what may not have reached the one before. `isBack`: it
   * waits for the rest of its turn; otherwise it comes to say something, under the id `parentId` where that is known.
   * Throws the problem when too many look on.
   */
  hear(sink: OutputSink, how?: AttachOptions): void;
  /** This one hears no more; nothing if another has taken over. `untold`: words that did not get further than here. */
  leave(sink: OutputSink, unsent?: string): void;
  /** Nothing of it is kept any more. */
  close(): void;
  tell(output: readonly NemoOutput[]): void;
  /** Says that a question waits and no agent works; undefined when the listening client does not need it. */
  quiet(): (() => void) | undefined;
  /** Resolves when output was sent or read, when no client listens any more, or after this time. */
  changed(ms: number): Promise<void>;
};

type AttachOptions = { isBack: boolean; parentId?: string | undefined };

type SessionOptions = {
  server: ServerContext;
  viewers: Viewers;
  conversationId: string;
  speakerUri: string;
  renderer: Renderer;
  /** The log is read after this entry, or after where it was read to. */
  readFrom: number;
  clientFeatures: ClientFeatures;
  /** Nobody listens any more. */
  onLeft: () => void;
};

export function createNemoSession(options: SessionOptions): NemoSession {
  return new PersonSession(options);
}

/** A class, because there are thousands of them: they share their functions. */
class PersonSession implements NemoSession {
  readonly conversationId: string;
  readonly speakerUri: string;
  readonly renderer: Renderer;
  readonly clientFeatures: ClientFeatures;
  parentId = "default_id";
  begunBy: string | undefined;
  begunAfter = 0;
  arrival: string | undefined;
  unknownTurn: string | undefined;
  lastWordMs: number;
  lapsedMs = 0;
  isSaying = false;
  isCatchingUp = false;
  tail = "";
  readonly #scene: SessionOptions;
  readonly #clock: Clock;
  readonly #absence: OfflineBuffer;
  readonly #unreached: UnackedOutput;
  /** Those who wait for a change. */
  readonly #waiting = new Set<() => void>();
  #sink: OutputSink | undefined;
  #viewer: Viewer | undefined;
  #cancelAlarm: (() => void) | undefined;

  constructor(options: SessionOptions) {
    const { conversationId, speakerUri, renderer, clientFeatures, server } = options;
    this.conversationId = conversationId;
    this.speakerUri = speakerUri;
    this.renderer = renderer;
    this.clientFeatures = clientFeatures;
    this.#scene = options;
    this.#clock = server.clock;
    this.#absence = createOfflineBuffer(options);
    this.#unreached = createUnackedOutput(server.clock);
    this.lastWordMs = this.#clock.now();
  }

  isHeard(): boolean {
    return this.#sink !== undefined;
  }

  quiet(): (() => void) | undefined {
    return this.#sink?.quiet?.bind(this.#sink);
  }

  hear(next: OutputSink, { isBack, parentId: said }: AttachOptions = { isBack: false }): void {
    if (this.#sink === next) return;
    const before = this.#sink;
    this.#stop();
    before?.cut("replaced", "a newer client of this person has taken over this conversation");
    this.#viewer = this.#look(next);
    this.#sink = next;
    const awaited = isBack && !this.renderer.isOpen() ? this.parentId : undefined;
    const lost = wantedOf(this.#unreached.end(), awaited);
    const earlier = [...lost, { output: this.#absence.end(), parentId: this.parentId }];
    Object.assign(this, { isCatchingUp: !isBack, tail: "" }, said !== undefined && { parentId: said });
    for (const { output, parentId } of earlier) if (output.length > 0) this.#tellTo(next, output, said ?? parentId);
    this.tell(reopened(this, isBack, this.#clock.now()));
  }

  leave(sink: OutputSink, unsent = ""): void {
    if (this.#sink !== sink) return;
    this.#stop();
    if (unsent !== "") this.#absence.add([{ kind: "delta", text: unsent }]);
    if (sink.isWilling?.() === true) this.#unreached.end();
    else if (sink.isGone?.() !== true) this.#unreached.ask(sink);
    if (this.renderer.isOpen()) this.#absence.begin();
    this.#scene.onLeft();
  }

  close(): void {
    this.#absence.end();
  }

  tell(output: readonly NemoOutput[]): void {
    this.#pass(output);
    this.#arm();
    this.#ring();
  }

  changed(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        cancel();
        resolve();
      };
      const cancel = this.#clock.at(this.#clock.now() + ms, wake);
      this.#waiting.add(wake);
    });
  }

  entry(entry: TranscriptEntry): void {
    this.tell(this.renderer.entry(entry, this.#clock.now()));
  }

  draft(draft: Draft): void {
    const output = this.renderer.draft(draft);
    this.#pass(output);
    // A single delta continues words that are shown already: nothing new is due.
    if (output.length !== 1) this.#arm();
    this.#ring();
  }

  #pass(output: readonly NemoOutput[]): void {
    if (this.#sink === undefined) this.#absence.add(output);
    else if (output.length > 0) this.#tellTo(this.#sink, output, this.parentId);
  }

  #tellTo(sink: OutputSink, output: readonly NemoOutput[], parentId: string): void {
    sink.tell(output, parentId);
    if (this.isCatchingUp) this.tail = tailOf(output) || this.tail;
    this.#unreached.add(sink, output, parentId);
  }

  #ring(): void {
    if (this.#waiting.size > 0) for (const wake of [...this.#waiting]) wake();
  }

  /** Sets the timer for the next thing that the narrator has to do. */
  #arm(): void {
    this.#cancelAlarm?.();
    const atMs = this.#sink === undefined ? undefined : this.renderer.nextAtMs();
    this.#cancelAlarm = atMs === undefined ? undefined : this.#clock.at(atMs, () => this.#tick());
  }

  #tick(): void {
    const nowMs = this.#clock.now();
    const output = this.renderer.tick(nowMs);
    if (output.some(({ kind }) => kind === "error")) this.lapsedMs = nowMs;
    this.tell(output);
  }

  #stop(): void {
    const open = this.#viewer;
    [this.#viewer, this.#sink] = [undefined, undefined];
    open?.close();
    this.tell([]);
  }

  #look(sink: OutputSink): Viewer {
    const { viewers, readFrom, onLeft } = this.#scene;
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

/** An ordinary viewer's: so that presence, patience with slow readers and what may be seen are those of everybody. */
class SessionSink implements StreamSink {
  readonly #session: PersonSession;
  readonly #sink: OutputSink;

  constructor(session: PersonSession, sink: OutputSink) {
    this.#session = session;
    this.#sink = sink;
  }

  event(bytes: Buffer): void {
    this.#session.entry((JSON.parse(bytes.toString()) as { entry: TranscriptEntry }).entry);
  }

  draft(draft: Draft): void {
    this.#session.draft(draft);
  }

  bufferedBytes(): number {
    return this.#sink.bufferedBytes?.() ?? 0;
  }

  onceDrained(ring: () => void): void {
    if (this.#sink.onceDrained === undefined) queueMicrotask(ring);
    else this.#sink.onceDrained(ring);
  }

  cut(...why: Parameters<StreamSink["cut"]>): void {
    this.#session.leave(this.#sink);
    this.#sink.cut(...why);
  }
}

/** A client that comes back after a restart of the floor gets what was said since its last message, and then the end. */
function reopened(session: NemoSession, isBack: boolean, nowMs: number): NemoOutput[] {
  const { renderer, unknownTurn: turn } = session;
  session.unknownTurn = undefined;
  if (!isBack || turn === undefined) return [];
  // The screen of the client may already show half of the answer that follows.
  const gap: NemoOutput = { kind: "delta", text: "\n\n" };
  if (renderer.isOpen()) return [gap];
  const output = renderer.begin(nowMs);
  renderer.joined(turn);
  return [gap, ...output];
}

function tailOf(output: readonly NemoOutput[]): string {
  const last = output.findLast(({ kind }) => kind === "delta");
  return last?.kind === "delta" ? last.text.slice(-2) : "";
}
