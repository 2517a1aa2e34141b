import { apply, emptyFloor, type Floor, seatNamed } from "@plenary/floor";
import { type Reader, readerFor, readerNamed } from "../conversation/visibility.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { Backpressure } from "./backpressure.ts";
import { type LiveTail, type LiveTails, ViewerFrame } from "./live-tail.ts";
import type { SharedDocument } from "./shared-document.ts";

type LogReaderOptions = {
  log: ConversationLog;
  liveTails: LiveTails;
  backpressure: Backpressure;
  conversationId: string;
  speaker: string;
  after: number;
  /** Shows every entry in the brief view, not only the events that this speaker may see. */
  isBrief?: boolean;
  show: (document: SharedDocument, seq: number) => void;
  /** With `isBrief`: the speaker has left, and has all entries up to that point. */
  onGone?: () => void;
};

const batchMax = 64;

/**
 * Reads one conversation for one viewer: earlier entries, then new ones, each once and in order. A class: thousands of
 * viewers share its functions.
 */
export class LogReader {
  readonly #options: LogReaderOptions;
  readonly #onError: (error: unknown) => void;
  readonly #readerAt: (floor: Floor) => Reader;
  readonly #listener = (frame: ViewerFrame): void => this.#onFrame(frame);
  #seq: number;
  #floor: Floor | undefined;
  #liveTail: LiveTail | undefined;
  /** Earlier entries are filtered by the reader's rights at the start; new ones by its rights at that entry. */
  #past: { seq: number; reader: Reader } | undefined;
  #state: "behind" | "live" | "stopped" = "behind";

  constructor(options: LogReaderOptions, onError: (error: unknown) => void) {
    this.#options = options;
    this.#onError = onError;
    this.#readerAt = options.isBrief ? readerOfLog(options.speaker) : readerOf(options.speaker);
    this.#seq = options.after;
    this.#begin().catch(onError);
  }

  seq(): number {
    return this.#seq;
  }

  stop(): void {
    this.#state = "stopped";
    this.#liveTail?.leave(this.#listener);
  }

  #show(frame: ViewerFrame): void {
    const { isBrief, speaker, show, onGone } = this.#options;
    this.#seq = frame.entry.seq;
    const past = this.#past;
    const reader = past !== undefined && this.#seq <= past.seq ? past.reader : this.#readerAt(frame.after);
    const document = isBrief ? frame.briefFor(reader) : frame.documentFor(reader);
    if (document !== undefined) show(document, this.#seq);
    // An earlier entry may be followed by a return of the speaker.
    if (isBrief && this.#seq > (past?.seq ?? 0) && hasLeft(speaker, frame)) onGone?.();
  }

  #onFrame(frame: ViewerFrame): void {
    const { backpressure, isBrief } = this.#options;
    const { entry } = frame;
    if (this.#state === "stopped" || entry.seq <= this.#seq) return;
    if (this.#state === "live" && entry.kind !== "event" && isBrief !== true) {
      // Nothing to show.
      this.#seq = entry.seq;
      return;
    }
    if (this.#state === "live" && !backpressure.isPaused()) {
      this.#show(frame);
      return;
    }
    if (this.#state === "live") {
      this.#state = "behind";
      this.#floor = frame.before;
      this.#catchUp().catch(this.#onError);
    }
    if (backpressure.isPaused()) backpressure.missed();
  }

  async #catchUp(): Promise<void> {
    const { log, conversationId, backpressure } = this.#options;
    while (this.#isBehind()) {
      if (backpressure.isPaused()) await backpressure.resumed();
      const entries = await log.entries(conversationId, { after: this.#seq, limit: batchMax });
      for (const entry of entries) {
        if (!this.#isBehind() || backpressure.isPaused()) break;
        const before: Floor = this.#floor ?? emptyFloor(conversationId);
        this.#floor = apply(before, entry);
        this.#show(new ViewerFrame(entry, before, this.#floor));
      }
      const isAtEnd = entries.length === 0 && (this.#liveTail?.head() ?? 0) <= this.#seq;
      if (this.#isBehind() && isAtEnd) this.#goLive();
    }
  }

  /** Live frames contain the floor, so a live reader stores none. */
  #goLive(): void {
    this.#state = "live";
    this.#floor = undefined;
    this.#past = undefined;
  }

  /** A method, because the state changes during each `await`. */
  #isBehind(): boolean {
    return this.#state === "behind";
  }

  async #begin(): Promise<void> {
    const { liveTails, log, conversationId, speaker, isBrief, onGone } = this.#options;
    const liveTail = await liveTails.join(conversationId, this.#listener);
    this.#liveTail = liveTail;
    if (!this.#isBehind()) liveTail.leave(this.#listener);
    this.#past = { seq: liveTail.head(), reader: readerFor(liveTail.floor(), speaker) };
    this.#floor = this.#seq === 0 ? undefined : await log.floorAt(conversationId, this.#seq);
    // The log has no such entry: `after` belongs to an earlier log with this id.
    if (this.#floor === undefined) this.#seq = 0;
    await this.#catchUp();
    if (isBrief && (await isGone(this.#options, liveTail)) && this.#state !== "stopped") onGone?.();
  }
}

/** After it has left, a speaker does not even learn that there are new entries. */
function hasLeft(speaker: string, { before, after }: ViewerFrame): boolean {
  return seatNamed(before, speaker) !== undefined && seatNamed(after, speaker) === undefined;
}

/** For a speaker that left earlier. A seat may be newer than the durable floor, so both are checked. */
async function isGone({ log, conversationId, speaker }: LogReaderOptions, liveTail: LiveTail): Promise<boolean> {
  const newest = await log.load(conversationId);
  return [newest, liveTail.floor()].every((floor) => floor !== undefined && seatNamed(floor, speaker) === undefined);
}

/** Cached until an alias changes. A live event is for its audience only, so an owner has no extra rights here. */
function readerOf(speaker: string): (floor: Floor) => Reader {
  let aliases: Floor["aliases"] | undefined;
  let reader: Reader = { kind: "conversant", name: speaker };
  return (floor) => {
    if (floor.aliases !== aliases) {
      aliases = floor.aliases;
      reader = readerNamed(floor, speaker);
    }
    return reader;
  };
}

/** With all rights in the log: an owner sees that there were whispers, and what was revealed to it. */
function readerOfLog(speaker: string): (floor: Floor) => Reader {
  let known: { floor: Floor; reader: Reader } | undefined;
  return (floor) => {
    const before = known?.floor;
    const isSame =
      floor.conversants === before?.conversants && floor.roles === before.roles && floor.aliases === before.aliases;
    const reader = isSame && known !== undefined ? known.reader : readerFor(floor, speaker);
    known = { floor, reader };
    return reader;
  };
}
