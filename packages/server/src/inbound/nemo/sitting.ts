import type { TranscriptEntry } from "@plenary/floor";
import type { Clock } from "../../ports.ts";
import type { Running } from "../../running.ts";
import type { Sink } from "../stream-gate.ts";
import type { Viewer } from "../stream-viewer.ts";
import type { Viewers } from "../stream-viewers.ts";
import { createAbsence } from "./absence.ts";
import type { Outlet } from "./seat.ts";
import type { Manner, Narrator, Told } from "./told.ts";
import { createUnreached, wantedOf } from "./unreached.ts";

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
  /** When the time of a question was last up: the agent that asked is about to hear so. */
  lapsedMs: number;
  /** Something of the person is on its way into the log. */
  isSaying: boolean;
  /** Whoever listens now came to say something new, and is told what came before it. */
  isCatchingUp: boolean;
  /** How the words of that end. */
  tail: string;
  isHeard(): boolean;
  /**
   * What is told from now on goes there, and nowhere else; before it, what may not have reached the one before. `isBack`: it
   * waits for the rest of its turn; otherwise it comes to say something, under the id `parentId` where that is known.
   * Throws the problem when too many look on.
   */
  hear(outlet: Outlet, how?: { isBack: boolean; parentId?: string | undefined }): void;
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
  const { viewers, conversationId, speakerUri, narrator, readFrom, manner, onLeft } = scene;
  const { clock } = scene.running;
  const { ring, changed } = createBell(clock);
  const [absence, unreached] = [createAbsence(scene), createUnreached(clock)];
  let outlet: Outlet | undefined;
  let viewer: Viewer | undefined;
  const arm = createAlarm(clock, {
    dueMs: () => (outlet === undefined ? undefined : narrator.nextAtMs()),
    ring: () => tell(ticked(sitting, clock.now())),
  });
  const tellTo = (to: Outlet, told: readonly Told[], parentId: string) => {
    to.tell(told, parentId);
    if (sitting.isCatchingUp) sitting.tail = tailOf(told) || sitting.tail;
    unreached.add(to, told, parentId);
  };
  const tell = (told: readonly Told[], isDueSame = false) => {
    if (outlet === undefined) absence.add(told);
    else if (told.length > 0) tellTo(outlet, told, sitting.parentId);
    if (!isDueSame) arm();
    ring();
  };
  // Words of a speaker that is shown already change nothing that is due.
  const drawn = (told: readonly Told[]) => tell(told, told.length === 1);
  const stop = () => {
    const open = viewer;
    [viewer, outlet] = [undefined, undefined];
    open?.close();
    tell([]);
  };
  const leave = (one: Outlet, untold = "") => {
    if (outlet !== one) return;
    stop();
    if (untold !== "") absence.add([{ kind: "delta", text: untold }]);
    if (one.isWilling?.() === true) unreached.end();
    else if (one.isGone?.() !== true) unreached.ask(one);
    if (narrator.isOpen()) absence.begin();
    onLeft();
  };
  const look = (to: Outlet) => {
    const event = (entry: TranscriptEntry) => tell(narrator.entry(entry, clock.now()));
    const sink = sinkTo(to, { event, draft: (draft) => drawn(narrator.draft(draft)), isCut: () => leave(to) });
    const after = Math.max(readFrom, narrator.seq());
    try {
      return viewers.open({ speaker: speakerUri, conversation: conversationId, after, isBrief: true }, sink);
    } catch (error) {
      onLeft();
      throw error;
    }
  };
  const sitting: Sitting = {
    ...{ conversationId, speakerUri, narrator, manner, tell, changed, ...atFirst(clock.now()) },
    isHeard: () => outlet !== undefined,
    quiet: () => outlet?.quiet?.bind(outlet),
    hear(next, { isBack, parentId: said } = { isBack: false }) {
      if (outlet === next) return;
      const before = outlet;
      stop();
      before?.cut("replaced", "a newer client of this person has taken over this conversation");
      viewer = look(next);
      outlet = next;
      const awaited = isBack && !narrator.isOpen() ? sitting.parentId : undefined;
      const earlier = [...wantedOf(unreached.end(), awaited), { told: absence.end(), parentId: sitting.parentId }];
      Object.assign(sitting, { isCatchingUp: !isBack, tail: "" }, said !== undefined && { parentId: said });
      for (const { told, parentId } of earlier) if (told.length > 0) tellTo(next, told, said ?? parentId);
      tell(reopened(sitting, isBack, clock.now()));
    },
    leave,
    close: absence.end,
  };
  return sitting;
}

function ticked(sitting: Sitting, nowMs: number): Told[] {
  const told = sitting.narrator.tick(nowMs);
  if (told.some(({ kind }) => kind === "error")) sitting.lapsedMs = nowMs;
  return told;
}

/** Whoever comes back to a floor that has begun again is told what was said since its last words, and that this is all. */
function reopened(sitting: Sitting, isBack: boolean, nowMs: number): Told[] {
  const { narrator, unknownTurn: turn } = sitting;
  sitting.unknownTurn = undefined;
  if (!isBack || turn === undefined) return [];
  // Its screen may show half of what comes now.
  const gap: Told = { kind: "delta", text: "\n\n" };
  if (narrator.isOpen()) return [gap];
  const told = narrator.begin(nowMs);
  narrator.joined(turn);
  return [gap, ...told];
}

function atFirst(lastWordMs: number) {
  const nothingYet = { unknownTurn: undefined, begunBy: undefined, begunAfter: 0, arrival: undefined };
  return {
    parentId: "default_id",
    lastWordMs,
    lapsedMs: 0,
    isSaying: false,
    isCatchingUp: false,
    tail: "",
    ...nothingYet,
  };
}

function tailOf(told: readonly Told[]): string {
  const last = told.findLast(({ kind }) => kind === "delta");
  return last?.kind === "delta" ? last.text.slice(-2) : "";
}

/** Each call looks anew when it is to ring. */
function createAlarm(clock: Clock, { dueMs, ring }: { dueMs: () => number | undefined; ring: () => void }) {
  let cancel: (() => void) | undefined;
  return () => {
    cancel?.();
    const atMs = dueMs();
    cancel = atMs === undefined ? undefined : clock.at(atMs, ring);
  };
}

/** Wakes all who wait for a change. */
function createBell(clock: Clock) {
  const waiting = new Set<() => void>();
  return {
    ring() {
      if (waiting.size > 0) for (const wake of [...waiting]) wake();
    },
    changed: (ms: number) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          cancel();
          resolve();
        };
        const cancel = clock.at(clock.now() + ms, wake);
        waiting.add(wake);
      }),
  };
}

type Hears = {
  event: (entry: TranscriptEntry) => void;
  draft: (draft: Parameters<Narrator["draft"]>[0]) => void;
  isCut: () => void;
};

/** An ordinary viewer's: so that presence, patience with slow readers and what may be seen are those of everybody. */
function sinkTo(outlet: Outlet, { event, draft, isCut }: Hears): Sink {
  return {
    event: (bytes) => event((JSON.parse(bytes.toString()) as { entry: TranscriptEntry }).entry),
    draft,
    bufferedBytes: () => outlet.bufferedBytes?.() ?? 0,
    onceDrained(ring) {
      if (outlet.onceDrained === undefined) queueMicrotask(ring);
      else outlet.onceDrained(ring);
    },
    cut(why, advice) {
      isCut();
      outlet.cut(why, advice);
    },
  };
}
