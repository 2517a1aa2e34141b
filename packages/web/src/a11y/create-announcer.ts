export type Tone = "quiet" | "plain";
export type Spoken = { id: number; sentence: string };

export type AnnouncerTime = {
  nowMs(): number;
  /** Calls once after the delay. The returned function cancels the call. */
  after(delayMs: number, call: () => void): () => void;
};

export type Announcer = ReturnType<typeof createAnnouncer>;

const gapMs = 900;
const waitingBeforeDrop = 5;
const waitingMax = 20;
const sentenceMax = 300;
const logMax = 50;

const browserTime: AnnouncerTime = {
  nowMs: () => performance.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs);
    return () => clearTimeout(timer);
  },
};

type Waiting = { sentence: string; tone: Tone };

/** The only announcer of the page: screen readers drop texts when several regions change at once. */
export function createAnnouncer(time: AnnouncerTime = browserTime) {
  let waiting: Waiting[] = [];
  let spoken: Spoken | undefined;
  let spokenAtMs = Number.NEGATIVE_INFINITY;
  let cancelSpeak: (() => void) | undefined;
  const log: string[] = [];
  const listeners = new Set<() => void>();

  function speak(): void {
    cancelSpeak = undefined;
    const next = waiting.shift();
    if (next === undefined) return;
    spoken = { id: (spoken?.id ?? 0) + 1, sentence: next.sentence };
    spokenAtMs = time.nowMs();
    log.push(next.sentence);
    if (log.length > logMax) log.shift();
    for (const listener of listeners) listener();
    schedule();
  }

  function schedule(): void {
    if (cancelSpeak !== undefined || waiting.length === 0) return;
    const waitMs = spokenAtMs + gapMs - time.nowMs();
    if (waitMs > 0) cancelSpeak = time.after(waitMs, speak);
    else speak();
  }

  /** Quiet sentences may be dropped when many are waiting. */
  function announce(text: string, tone: Tone = "plain"): void {
    const sentence = shortened(text, sentenceMax);
    const isJustSaid = spoken?.sentence === sentence && time.nowMs() - spokenAtMs < gapMs;
    if (sentence === "" || isJustSaid || waiting.some((other) => other.sentence === sentence)) return;
    waiting = dropExcess([...waiting, { sentence, tone }]);
    schedule();
  }

  return {
    announce,
    spoken: () => spoken,
    /** The announced sentences, newest last. */
    log: () => [...log],
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => {
      cancelSpeak?.();
      cancelSpeak = undefined;
      waiting = [];
    },
  };
}

function dropExcess(waiting: Waiting[]): Waiting[] {
  if (waiting.length <= waitingBeforeDrop) return waiting;
  const quiet = waiting.findIndex(({ tone }) => tone === "quiet");
  if (quiet >= 0) return waiting.toSpliced(quiet, 1);
  return waiting.slice(-waitingMax);
}

/** Joins the text to one line and cuts it, at a word boundary if one is near. */
export function shortened(text: string, charsMax: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  if (line.length <= charsMax) return line;
  const cut = line.slice(0, charsMax - 1);
  const space = cut.lastIndexOf(" ");
  // Never cut between the two halves of a surrogate pair.
  const head = space > charsMax * 0.7 ? cut.slice(0, space) : cut.replace(/[\uD800-\uDBFF]$/u, "");
  return `${head}…`;
}
