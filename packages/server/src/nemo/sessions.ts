import { type Floor, isIdle, seatNamed } from "@plenary/floor";
import type { Running } from "../context.ts";
import { Problem } from "../errors.ts";
import type { Viewers } from "../streams/viewers.ts";
import { findUtterance, isAsked } from "./log-search.ts";
import type { NemoPerson, SeatWish } from "./participant.ts";
import { narratorAt } from "./renderer/open.ts";
import { createSitting, type Sitting } from "./session.ts";
import { notYours } from "./start-conversation.ts";

/** What somebody was told is remembered so long after its last client left. */
const rememberedMs = 30 * 60_000;
const sittingsMax = 10_000;
/** Of those that were forgotten: how far they were. */
const placesMax = 100_000;
/** Whoever never said a word is told so much of what it was there for. */
const earlierMax = 200;

/** All who were told something lately, by whom and where. */
export type Hall = {
  sittingOf(person: NemoPerson, wish: SeatWish): Promise<Sitting>;
  close(): void;
};

export function createHall({ running, viewers }: { running: Running; viewers: Viewers }): Hall {
  const { clock, store } = running;
  const sittings = new Map<string, Sitting>();
  const leaving = new Map<string, () => void>();
  const places = new Map<string, number>();
  let isClosed = false;
  const stay = (key: string) => {
    leaving.get(key)?.();
    leaving.delete(key);
  };
  const forget = (key: string) => {
    const sitting = sittings.get(key);
    if (sitting === undefined || sitting.isHeard()) return;
    stay(key);
    sitting.close();
    sittings.delete(key);
    places.delete(key);
    // What is not told to its end is found again by its last words.
    if (sitting.narrator.isOpen()) return;
    places.set(key, sitting.narrator.seq());
    const [oldest] = places.keys();
    if (places.size > placesMax && oldest !== undefined) places.delete(oldest);
  };
  const left = (key: string) => {
    stay(key);
    if (isClosed) return;
    const cancel = clock.at(clock.now() + rememberedMs, () => forget(key));
    leaving.set(key, cancel);
  };
  const makeRoom = () => {
    if (sittings.size < sittingsMax) return;
    const [oldest] = leaving.keys();
    if (oldest === undefined) throw new Problem("busy", { detail: "too many NeMo clients are here" });
    forget(oldest);
  };
  return {
    async sittingOf({ speakerUri }, { conversationId, manner }) {
      const key = JSON.stringify([speakerUri, conversationId]);
      const floor = await store.load(conversationId);
      if (floor === undefined) throw notYours();
      const isNew = !sittings.has(key) && !places.has(key);
      const last = isNew ? await findUtterance(store, floor, { speakerUri }) : undefined;
      const after = places.get(key) ?? last?.seq ?? firstFor(floor, speakerUri);
      const its = { ...manner };
      const { narrator, readFrom } = await narratorAt(store, { floor, speakerUri, after, manner: its });
      // After a restart of the floor its last words may still be worked on, or be asked about.
      const isUnfinished = last !== undefined && (!isIdle(floor, last.turn) || (await isAsked(store, floor, last.seq)));
      const known = sittings.get(key);
      stay(key);
      if (known !== undefined) {
        Object.assign(known.manner, manner);
        return known;
      }
      makeRoom();
      const scene = { running, viewers, conversationId, speakerUri, narrator, readFrom, manner: its };
      const sitting = createSitting({ ...scene, onLeft: () => left(key) });
      sitting.unknownTurn = last?.turn;
      if (last !== undefined && isUnfinished) {
        narrator.begin(clock.now());
        narrator.joined(last.turn);
      }
      sittings.set(key, sitting);
      return sitting;
    },
    close() {
      isClosed = true;
      for (const key of [...leaving.keys()]) stay(key);
      for (const sitting of sittings.values()) sitting.close();
    },
  };
}

/**
 * Nobody knows any more what it was told: it begins after its own last words, so that nothing is lost, though something
 * may be told twice. Before its first words, with its coming.
 */
function firstFor(floor: Floor, speakerUri: string): number {
  const since = seatNamed(floor, speakerUri)?.since ?? floor.seq;
  return Math.max(0, since - 1, floor.seq - earlierMax);
}
