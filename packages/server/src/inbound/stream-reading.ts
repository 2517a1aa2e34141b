import { apply, emptyFloor, type Floor, seatNamed } from "@plenary/floor";
import type { FloorStore } from "../ports.ts";
import { type Reader, readerFor, readerNamed } from "../view.ts";
import type { Channel, Channels } from "./stream-channel.ts";
import { briefOf, type Frame, frameOf } from "./stream-frame.ts";
import type { Gate } from "./stream-gate.ts";

export type ReadingOptions = {
  store: FloorStore;
  channels: Channels;
  gate: Gate;
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
export type Reading = { seq(): number; stop(): void };

const batchMax = 64;

export function startReading(options: ReadingOptions, onError: (error: unknown) => void): Reading {
  const { gate, speaker, isBrief = false } = options;
  const isReader = isBrief ? readerOfLog(speaker) : readerOf(speaker);
  let seq = options.after;
  let floor: Floor | undefined;
  let channel: Channel | undefined;
  // What a reader may see of the past is judged by what it may now; what comes, by what it is then.
  let past: { seq: number; reader: Reader } | undefined;
  let state: "behind" | "live" | "stopped" = "behind";

  const show = (frame: Frame) => {
    seq = frame.entry.seq;
    const reader = past !== undefined && seq <= past.seq ? past.reader : isReader(frame.after);
    const bytes = isBrief ? briefOf(frame, reader) : frame.bytesFor(reader);
    if (bytes !== undefined) options.show(bytes, seq);
    // In the past it may have come back.
    if (isBrief && seq > (past?.seq ?? 0) && hasLeft(speaker, frame)) options.onGone?.();
  };
  const listen = (frame: Frame) => {
    if (state === "stopped" || frame.entry.seq <= seq) return;
    if (state === "live" && !gate.isShut()) {
      show(frame);
      return;
    }
    if (state === "live") {
      state = "behind";
      floor = frame.before;
      catchUp().catch(onError);
    }
    if (gate.isShut()) gate.missed();
  };

  async function catchUp(): Promise<void> {
    const { store, conversationId } = options;
    while (isBehind()) {
      if (gate.isShut()) await gate.opened();
      const entries = await store.entries(conversationId, { after: seq, limit: batchMax });
      for (const entry of entries) {
        if (!isBehind() || gate.isShut()) break;
        const before: Floor = floor ?? emptyFloor(conversationId);
        floor = apply(before, entry);
        show(frameOf(entry, before, floor));
      }
      if (isBehind() && entries.length === 0 && (channel?.head() ?? 0) <= seq) state = "live";
    }
  }

  // Asked anew each time: it changes while the log is being read.
  function isBehind(): boolean {
    return state === "behind";
  }

  async function begin(): Promise<void> {
    channel = await options.channels.join(options.conversationId, listen);
    if (!isBehind()) channel.leave(listen);
    past = { seq: channel.head(), reader: readerFor(channel.floor(), speaker) };
    floor = seq === 0 ? undefined : await options.store.floorAt(options.conversationId, seq);
    // A place this log never reached is of another life of it: all of it is new.
    if (floor === undefined) seq = 0;
    await catchUp();
    if (isBrief && (await isGone(options, channel)) && state !== "stopped") options.onGone?.();
  }

  begin().catch(onError);
  return {
    seq: () => seq,
    stop() {
      state = "stopped";
      channel?.leave(listen);
    },
  };
}

/** What comes after it left is not for it: not even that something comes. */
function hasLeft(speaker: string, { before, after }: Frame): boolean {
  return seatNamed(before, speaker) !== undefined && seatNamed(after, speaker) === undefined;
}

/** Whoever left earlier has read its part. A seat may be newer than what is durable. */
async function isGone({ store, conversationId, speaker }: ReadingOptions, channel: Channel): Promise<boolean> {
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

/** As the log is shown at that moment: to an owner with the whispers it may count, to whom more was revealed with that. */
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
