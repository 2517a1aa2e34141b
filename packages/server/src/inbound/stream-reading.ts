import { apply, emptyFloor, type Floor } from "@plenary/floor";
import type { FloorStore } from "../ports.ts";
import { type Reader, readerFor, readerNamed } from "../view.ts";
import type { Channel, Channels } from "./stream-channel.ts";
import { type Frame, frameOf } from "./stream-frame.ts";
import type { Gate } from "./stream-gate.ts";

export type ReadingOptions = {
  store: FloorStore;
  channels: Channels;
  gate: Gate;
  conversationId: string;
  speaker: string;
  after: number;
  show: (bytes: Buffer, seq: number) => void;
};

/** One conversation as one viewer reads it: first what it missed, then what comes, each entry once and in order. */
export type Reading = { seq(): number; stop(): void };

const batchMax = 64;

export function startReading(options: ReadingOptions, onError: (error: unknown) => void): Reading {
  const { gate, speaker } = options;
  const isReader = readerOf(speaker);
  let seq = options.after;
  let floor: Floor | undefined;
  let channel: Channel | undefined;
  // What a reader may see of the past is judged by what it may now; what comes, by what it is then.
  let past: { seq: number; reader: Reader } | undefined;
  let state: "behind" | "live" | "stopped" = "behind";

  const show = (frame: Frame) => {
    seq = frame.entry.seq;
    const reader = past !== undefined && seq <= past.seq ? past.reader : isReader(frame.after);
    const bytes = frame.bytesFor(reader);
    if (bytes !== undefined) options.show(bytes, seq);
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
