import type { TranscriptEntry } from "@plenary/transcript";
import type { Running } from "../context.ts";
import type { Draft } from "../delivery/drafts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Sink } from "../streams/backpressure.ts";
import type { Viewer } from "../streams/viewer.ts";
import type { Viewers } from "../streams/viewers.ts";
import { type Absence, createAbsence } from "./offline-buffer.ts";
import type { Manner, Narrator, Told } from "./output.ts";
import type { Outlet } from "./participant.ts";
import { createUnreached, type Unreached, wantedOf } from "./unacked.ts";

/** One person in one conversation: what it is told, and who of its clients hears it. Lives longer than any of them. */
export type Sitting = {
  conversationId: string;
  speakerUri: string;
  narrator: Narrator;
  /** Of the client that listens now. */
  manner: Manner;
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
   * What is told from now on goes there, and nowhere else; before it, what may not have reached the one before. `isBack`: it
   * waits for the rest of its turn; otherwise it comes to say something, under the id `parentId` where that is known.
   * Throws the problem when too many look on.
   */
  hear(outlet: Outlet, how?: Hearing): void;
  /** This one hears no more; nothing if another has taken over. `untold`: words that did not get further than here. */
  leave(outlet: Outlet, untold?: string): void;
  /** Nothing of it is kept any more. */
  close(): void;
  tell(told: readonly Told[]): void;
  /** Says that a question waits and nobody is at work; undefined when whoever listens does not want to know. */
  quiet(): (() => void) | undefined;
  /** Resolves when something was told or read, when nobody listens any more, or after this time. */
  changed(ms: number): Promise<void>;
};

type Hearing = { isBack: boolean; parentId?: string | undefined };

type Scene = {
  running: Running;
  viewers: Viewers;
  conversationId: string;
  speakerUri: string;
  narrator: Narrator;
  /** The log is read after this entry, or after where it was read to. */
  readFrom: number;
  manner: Manner;
  /** Nobody listens any more. */
  onLeft: () => void;
};

export function createSitting(scene: Scene): Sitting {
  return new PersonSitting(scene);
}

/** A class, because there are thousands of them: they share their functions. */
class PersonSitting implements Sitting {
  readonly conversationId: string;
  readonly speakerUri: string;
  readonly narrator: Narrator;
  readonly manner: Manner;
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
  readonly #scene: Scene;
  readonly #clock: Clock;
  readonly #absence: Absence;
  readonly #unreached: Unreached;
  /** Those who wait for a change. */
  readonly #waiting = new Set<() => void>();
  #outlet: Outlet | undefined;
  #viewer: Viewer | undefined;
  #cancelAlarm: (() => void) | undefined;

  constructor(scene: Scene) {
    const { conversationId, speakerUri, narrator, manner, running } = scene;
    this.conversationId = conversationId;
    this.speakerUri = speakerUri;
    this.narrator = narrator;
    this.manner = manner;
    this.#scene = scene;
    this.#clock = running.clock;
    this.#absence = createAbsence(scene);
    this.#unreached = createUnreached(running.clock);
    this.lastWordMs = this.#clock.now();
  }

  isHeard(): boolean {
    return this.#outlet !== undefined;
  }

  quiet(): (() => void) | undefined {
    return this.#outlet?.quiet?.bind(this.#outlet);
  }

  hear(next: Outlet, { isBack, parentId: said }: Hearing = { isBack: false }): void {
    if (this.#outlet === next) return;
    const before = this.#outlet;
    this.#stop();
    before?.cut("replaced", "a newer client of this person has taken over this conversation");
    this.#viewer = this.#look(next);
    this.#outlet = next;
    const awaited = isBack && !this.narrator.isOpen() ? this.parentId : undefined;
    const lost = wantedOf(this.#unreached.end(), awaited);
    const earlier = [...lost, { told: this.#absence.end(), parentId: this.parentId }];
    Object.assign(this, { isCatchingUp: !isBack, tail: "" }, said !== undefined && { parentId: said });
    for (const { told, parentId } of earlier) if (told.length > 0) this.#tellTo(next, told, said ?? parentId);
    this.tell(reopened(this, isBack, this.#clock.now()));
  }

  leave(outlet: Outlet, untold = ""): void {
    if (this.#outlet !== outlet) return;
    this.#stop();
    if (untold !== "") this.#absence.add([{ kind: "delta", text: untold }]);
    if (outlet.isWilling?.() === true) this.#unreached.end();
    else if (outlet.isGone?.() !== true) this.#unreached.ask(outlet);
    if (this.narrator.isOpen()) this.#absence.begin();
    this.#scene.onLeft();
  }

  close(): void {
    this.#absence.end();
  }

  tell(told: readonly Told[]): void {
    this.#pass(told);
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
    this.tell(this.narrator.entry(entry, this.#clock.now()));
  }

  draft(draft: Draft): void {
    const told = this.narrator.draft(draft);
    this.#pass(told);
    // A single delta continues words that are shown already: nothing new is due.
    if (told.length !== 1) this.#arm();
    this.#ring();
  }

  #pass(told: readonly Told[]): void {
    if (this.#outlet === undefined) this.#absence.add(told);
    else if (told.length > 0) this.#tellTo(this.#outlet, told, this.parentId);
  }

  #tellTo(outlet: Outlet, told: readonly Told[], parentId: string): void {
    outlet.tell(told, parentId);
    if (this.isCatchingUp) this.tail = tailOf(told) || this.tail;
    this.#unreached.add(outlet, told, parentId);
  }

  #ring(): void {
    if (this.#waiting.size > 0) for (const wake of [...this.#waiting]) wake();
  }

  /** Sets the timer for the next thing that the narrator has to do. */
  #arm(): void {
    this.#cancelAlarm?.();
    const atMs = this.#outlet === undefined ? undefined : this.narrator.nextAtMs();
    this.#cancelAlarm = atMs === undefined ? undefined : this.#clock.at(atMs, () => this.#tick());
  }

  #tick(): void {
    const nowMs = this.#clock.now();
    const told = this.narrator.tick(nowMs);
    if (told.some(({ kind }) => kind === "error")) this.lapsedMs = nowMs;
    this.tell(told);
  }

  #stop(): void {
    const open = this.#viewer;
    [this.#viewer, this.#outlet] = [undefined, undefined];
    open?.close();
    this.tell([]);
  }

  #look(outlet: Outlet): Viewer {
    const { viewers, readFrom, onLeft } = this.#scene;
    const after = Math.max(readFrom, this.narrator.seq());
    const view = { speaker: this.speakerUri, conversation: this.conversationId, after, isBrief: true };
    try {
      return viewers.open(view, new SittingSink(this, outlet));
    } catch (error) {
      onLeft();
      throw error;
    }
  }
}

/** An ordinary viewer's: so that presence, patience with slow readers and what may be seen are those of everybody. */
class SittingSink implements Sink {
  readonly #sitting: PersonSitting;
  readonly #outlet: Outlet;

  constructor(sitting: PersonSitting, outlet: Outlet) {
    this.#sitting = sitting;
    this.#outlet = outlet;
  }

  event(bytes: Buffer): void {
    this.#sitting.entry((JSON.parse(bytes.toString()) as { entry: TranscriptEntry }).entry);
  }

  draft(draft: Draft): void {
    this.#sitting.draft(draft);
  }

  bufferedBytes(): number {
    return this.#outlet.bufferedBytes?.() ?? 0;
  }

  onceDrained(ring: () => void): void {
    if (this.#outlet.onceDrained === undefined) queueMicrotask(ring);
    else this.#outlet.onceDrained(ring);
  }

  cut(...why: Parameters<Sink["cut"]>): void {
    this.#sitting.leave(this.#outlet);
    this.#outlet.cut(...why);
  }
}

/** Whoever comes back to a floor that has begun again is told what was said since its last words, and that this is all. */
function reopened(sitting: Sitting, isBack: boolean, nowMs: number): Told[] {
  const { narrator, unknownTurn: turn } = sitting;
  sitting.unknownTurn = undefined;
  if (!isBack || turn === undefined) return [];
  // The screen of the client may already show half of the answer that follows.
  const gap: Told = { kind: "delta", text: "\n\n" };
  if (narrator.isOpen()) return [gap];
  const told = narrator.begin(nowMs);
  narrator.joined(turn);
  return [gap, ...told];
}

function tailOf(told: readonly Told[]): string {
  const last = told.findLast(({ kind }) => kind === "delta");
  return last?.kind === "delta" ? last.text.slice(-2) : "";
}
