import { apply, type Entry, emptyFloor, type Floor } from "@plenary/floor";
import type { FloorEvent } from "@plenary/protocol";
import { briefEntryFor, documentOf, eventFor } from "../conversation/conversation-view.ts";
import type { Commit, Notifier } from "../conversation/notifier.ts";
import { maySee, type Reader, type Visibility, visibilityOf } from "../conversation/visibility.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import { SharedDocument } from "./shared-document.ts";

type FrameListener = (frame: ViewerFrame) => void;

/** The new entries of one conversation: read, applied and encoded once for all listeners. */
export type LiveTail = {
  /** The number of the newest entry that the listeners have. */
  head(): number;
  /** The floor after that entry. */
  floor(): Floor;
  leave(listener: FrameListener): void;
};

export type LiveTails = { join(conversationId: string, listener: FrameListener): Promise<LiveTail> };

const batchMax = 256;

type LiveTailPorts = { log: ConversationLog; notifier: Notifier; onError: (error: unknown) => void };

export function createLiveTails(ports: LiveTailPorts): LiveTails {
  const open = new Map<string, { opening: Promise<LiveTail>; listeners: Set<FrameListener> }>();
  return {
    async join(conversationId, listener) {
      const known = open.get(conversationId);
      if (known !== undefined) {
        known.listeners.add(listener);
        return known.opening;
      }
      const listeners = new Set([listener]);
      const opening = openLiveTail(ports, conversationId, listeners, () => open.delete(conversationId));
      open.set(conversationId, { opening, listeners });
      return opening;
    },
  };
}

/** An entry that is not durable may be lost and its number reused, so a live tail starts after the last durable one. */
async function durableFloor(log: ConversationLog, conversationId: string): Promise<Floor | undefined> {
  const newest = await log.load(conversationId);
  for (let seq = newest?.seq ?? 0; seq > 0; seq -= 1) {
    const floor = await log.floorAt(conversationId, seq);
    if (floor !== undefined) return floor;
  }
  return undefined;
}

async function openLiveTail(
  { log, notifier, onError }: LiveTailPorts,
  conversationId: string,
  listeners: Set<FrameListener>,
  forget: () => void,
): Promise<LiveTail> {
  let isNew = false;
  let isPumping = true;
  const stop = notifier.watch(conversationId, (_, commit) => {
    if (!isPumping && commit?.before.seq === floor.seq) return show(commit);
    isNew = true;
    if (!isPumping) pump().catch(onError);
  });
  let floor = emptyFloor(conversationId);
  try {
    floor = (await durableFloor(log, conversationId)) ?? floor;
  } catch (error) {
    stop();
    forget();
    throw error;
  }

  function showEntry(entry: Entry, after: Floor): void {
    const frame = new ViewerFrame(entry, floor, after);
    floor = after;
    for (const listener of listeners) listener(frame);
  }

  /** The entries of a commit are not read again. A fault here must not become one of the input that was committed. */
  function show({ entries, floor: newest }: Commit): void {
    try {
      for (const entry of entries) showEntry(entry, entry.seq === newest.seq ? newest : apply(floor, entry));
    } catch (error) {
      onError(error);
    }
  }

  async function pump(): Promise<void> {
    isPumping = true;
    try {
      while (isNew && listeners.size > 0) {
        isNew = false;
        const entries = await log.entries(conversationId, { after: floor.seq, limit: batchMax });
        if (entries.length === batchMax) isNew = true;
        for (const entry of entries) showEntry(entry, apply(floor, entry));
      }
    } finally {
      isPumping = false;
    }
  }

  isPumping = false;
  if (isNew) pump().catch(onError);
  return {
    head: () => floor.seq,
    floor: () => floor,
    leave(listener) {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      stop();
      forget();
    },
  };
}

/** An entry for viewers, with the floor before and after it. Encoded at most once per view, for any number of viewers. */
export class ViewerFrame {
  readonly entry: Entry;
  readonly before: Floor;
  readonly after: Floor;
  #whole: SharedDocument | undefined;
  #partial: SharedDocument | undefined;
  #briefs: Map<Visibility, SharedDocument> | undefined;

  constructor(entry: Entry, before: Floor, after: Floor) {
    this.entry = entry;
    this.before = before;
    this.after = after;
  }

  /** The event for this reader, shared by all readers with the same view; undefined when it may not see the entry. */
  documentFor(reader: Reader): SharedDocument | undefined {
    const { entry } = this;
    if (entry.kind !== "event" || !maySee(entry, reader)) return undefined;
    const event = eventFor(entry.event, entry.sender, reader);
    if (event === entry.event) {
      this.#whole ??= this.#documentOf(entry, event);
      return this.#whole;
    }
    this.#partial ??= this.#documentOf(entry, event);
    return this.#partial;
  }

  /** The entry in the brief view of the log. All readers with the same visibility share it. */
  briefFor(reader: Reader): SharedDocument {
    this.#briefs ??= new Map();
    const { entry } = this;
    const visibility = visibilityOf(entry, reader);
    const known = this.#briefs.get(visibility);
    if (known !== undefined) return known;
    const document = new SharedDocument({ entry: briefEntryFor(entry, reader), seq: entry.seq });
    this.#briefs.set(visibility, document);
    return document;
  }

  #documentOf({ sender, seq }: Entry & { kind: "event" }, event: FloorEvent): SharedDocument {
    return new SharedDocument({ ...documentOf(this.after, sender, [event], "1.1"), seq });
  }
}
