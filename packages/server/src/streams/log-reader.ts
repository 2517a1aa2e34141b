import { apply, emptyFloor, type Floor, seatNamed } from "@plenary/floor";
import { type Reader, readerFor, readerNamed } from "../conversation/visibility.ts";
import type { FloorStore } from "../ports/store.ts";
import type { Backpressure } from "./backpressure.ts";
import { briefOf, frameOf, type ViewerFrame } from "./frame.ts";
import type { LiveTail, LiveTails } from "./live-tail.ts";

export type LogReaderOptions = {
  store: FloorStore;
  channels: LiveTails;
  backpressure: Backpressure;
  conversationId: string;
  speaker: string;
  after: number;
  /** Every entry, as the log shows it, in place of the events that are for this speaker. */
  isBrief?: boolean;
  show: (bytes: Buffer, seq: number) => void;
  /** The reader of a log has no seat any more, and has been shown what there was for it. */
  onGone?: () => void;
};

/** One conversation as one viewer reads it: first what it missed, then what comes, each entry once and in order. */
export type LogReader = { seq(): number; stop(): void };

const batchMax = 64;

export function startReading(options: LogReaderOptions, onError: (error: unknown) => void): LogReader {
  return new LogReading(options, onError);
}

/** A class because there is one for each viewer: thousands of them share its functions. */
class LogReading implements LogReader {
  readonly #options: LogReaderOptions;
  readonly #onError: (error: unknown) => void;
  readonly #isReader: (floor: Floor) => Reader;
  readonly #listen = (frame: ViewerFrame): void => this.#hear(frame);
  #seq: number;
  #floor: Floor | undefined;
  #channel: LiveTail | undefined;
  /** What a reader may see of the past is judged by what it may now; what comes, by what it is then. */
  #past: { seq: number; reader: Reader } | undefined;
  #state: "behind" | "live" | "stopped" = "behind";

  constructor(options: LogReaderOptions, onError: (error: unknown) => void) {
    this.#options = options;
    this.#onError = onError;
    this.#isReader = options.isBrief ? readerOfLog(options.speaker) : readerOf(options.speaker);
    this.#seq = options.after;
    this.#begin().catch(onError);
  }

  seq(): number {
    return this.#seq;
  }

  stop(): void {
    this.#state = "stopped";
    this.#channel?.leave(this.#listen);
  }

  #show(frame: ViewerFrame): void {
    const { isBrief, speaker, show, onGone } = this.#options;
    this.#seq = frame.entry.seq;
    const past = this.#past;
    const reader = past !== undefined && this.#seq <= past.seq ? past.reader : this.#isReader(frame.after);
    const bytes = isBrief ? briefOf(frame, reader) : frame.bytesFor(reader);
    if (bytes !== undefined) show(bytes, this.#seq);
    // In the past it may have come back.
    if (isBrief && this.#seq > (past?.seq ?? 0) && hasLeft(speaker, frame)) onGone?.();
  }

  #hear(frame: ViewerFrame): void {
    const { backpressure } = this.#options;
    if (this.#state === "stopped" || frame.entry.seq <= this.#seq) return;
    if (this.#state === "live" && !backpressure.isShut()) {
      this.#show(frame);
      return;
    }
    if (this.#state === "live") {
      this.#state = "behind";
      this.#floor = frame.before;
      this.#catchUp().catch(this.#onError);
    }
    if (backpressure.isShut()) backpressure.missed();
  }

  async #catchUp(): Promise<void> {
    const { store, conversationId, backpressure } = this.#options;
    while (this.#isBehind()) {
      if (backpressure.isShut()) await backpressure.opened();
      const entries = await store.entries(conversationId, { after: this.#seq, limit: batchMax });
      for (const entry of entries) {
        if (!this.#isBehind() || backpressure.isShut()) break;
        const before: Floor = this.#floor ?? emptyFloor(conversationId);
        this.#floor = apply(before, entry);
        this.#show(frameOf(entry, before, this.#floor));
      }
      const isAtEnd = entries.length === 0 && (this.#channel?.head() ?? 0) <= this.#seq;
      if (this.#isBehind() && isAtEnd) this.#goLive();
    }
  }

  /** Each notification carries the floor: a waiting reader holds none of its own. */
  #goLive(): void {
    this.#state = "live";
    this.#floor = undefined;
    this.#past = undefined;
  }

  /** Asked anew each time: it changes while the log is being read. */
  #isBehind(): boolean {
    return this.#state === "behind";
  }

  async #begin(): Promise<void> {
    const { channels, store, conversationId, speaker, isBrief, onGone } = this.#options;
    const channel = await channels.join(conversationId, this.#listen);
    this.#channel = channel;
    if (!this.#isBehind()) channel.leave(this.#listen);
    this.#past = { seq: channel.head(), reader: readerFor(channel.floor(), speaker) };
    this.#floor = this.#seq === 0 ? undefined : await store.floorAt(conversationId, this.#seq);
    // A place this log never reached is of another life of it: all of it is new.
    if (this.#floor === undefined) this.#seq = 0;
    await this.#catchUp();
    if (isBrief && (await isGone(this.#options, channel)) && this.#state !== "stopped") onGone?.();
  }
}

/** What comes after it left is not for it: not even that something comes. */
function hasLeft(speaker: string, { before, after }: ViewerFrame): boolean {
  return seatNamed(before, speaker) !== undefined && seatNamed(after, speaker) === undefined;
}

/** A conversant that left earlier has read its part. A seat may be newer than what is durable. */
async function isGone({ store, conversationId, speaker }: LogReaderOptions, channel: LiveTail): Promise<boolean> {
  const newest = await store.load(conversationId);
  return [newest, channel.floor()].every((floor) => floor !== undefined && seatNamed(floor, speaker) === undefined);
}

/** The names of a speaker change only when somebody is renamed. Of what comes, nobody sees more than is meant for it. */
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

/** As the log is shown at that moment: an owner sees that there were whispers, and what was revealed to it. */
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
