import { apply, emptyFloor, type Floor } from "@plenary/floor";
import type { Notifier } from "../conversation/notifier.ts";
import type { FloorStore } from "../ports/store.ts";
import { frameOf, type ViewerFrame } from "./frame.ts";

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

export function createLiveTails(ports: {
  store: FloorStore;
  notifier: Notifier;
  onError: (error: unknown) => void;
}): LiveTails {
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
async function durableFloor(store: FloorStore, conversationId: string): Promise<Floor | undefined> {
  const newest = await store.load(conversationId);
  for (let seq = newest?.seq ?? 0; seq > 0; seq -= 1) {
    const floor = await store.floorAt(conversationId, seq);
    if (floor !== undefined) return floor;
  }
  return undefined;
}

async function openLiveTail(
  { store, notifier, onError }: { store: FloorStore; notifier: Notifier; onError: (error: unknown) => void },
  conversationId: string,
  listeners: Set<FrameListener>,
  forget: () => void,
): Promise<LiveTail> {
  let isNew = false;
  let isPumping = true;
  const stop = notifier.watch(conversationId, () => {
    isNew = true;
    if (!isPumping) pump().catch(onError);
  });
  let floor = emptyFloor(conversationId);
  try {
    floor = (await durableFloor(store, conversationId)) ?? floor;
  } catch (error) {
    stop();
    forget();
    throw error;
  }

  async function pump(): Promise<void> {
    isPumping = true;
    try {
      while (isNew && listeners.size > 0) {
        isNew = false;
        const entries = await store.entries(conversationId, { after: floor.seq, limit: batchMax });
        if (entries.length === batchMax) isNew = true;
        for (const entry of entries) {
          const frame = frameOf(entry, floor, apply(floor, entry));
          floor = frame.after;
          for (const listener of listeners) listener(frame);
        }
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
