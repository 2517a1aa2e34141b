import { type Floor, isIdle, seatNamed } from "@plenary/floor";
import type { ServerContext } from "../context.ts";
import { Problem } from "../errors.ts";
import type { Viewers } from "../streams/viewers.ts";
import type { JoinRequest, NemoPerson } from "./participant.ts";
import { findUtterance, isAsked, openRenderer } from "./person-log.ts";
import { createNemoSession, type NemoSession } from "./session.ts";
import { notYours } from "./start-conversation.ts";

/** A session is kept for this long after its last client left. */
const rememberedMs = 30 * 60_000;
const sessionsMax = 10_000;
/** Of those that were forgotten: how far they were. */
const subscriptionsMax = 100_000;
/** A person who never spoke gets at most this many entries from before. */
const earlierMax = 200;

/** Recent sessions by person and conversation. */
export type NemoSessions = {
  sessionOf(person: NemoPerson, joinRequest: JoinRequest): Promise<NemoSession>;
  close(): void;
};

export function createNemoSessions({ server, viewers }: { server: ServerContext; viewers: Viewers }): NemoSessions {
  const { clock, store } = server;
  const sessions = new Map<string, NemoSession>();
  const leaving = new Map<string, () => void>();
  const subscriptions = new Map<string, number>();
  let isClosed = false;
  const stay = (key: string) => {
    leaving.get(key)?.();
    leaving.delete(key);
  };
  const forget = (key: string) => {
    const session = sessions.get(key);
    if (session === undefined || session.isHeard()) return;
    stay(key);
    session.close();
    sessions.delete(key);
    subscriptions.delete(key);
    // A session with unfinished output is found again by the person's last utterance.
    if (session.renderer.isOpen()) return;
    subscriptions.set(key, session.renderer.seq());
    const [oldest] = subscriptions.keys();
    if (subscriptions.size > subscriptionsMax && oldest !== undefined) subscriptions.delete(oldest);
  };
  const left = (key: string) => {
    stay(key);
    if (isClosed) return;
    const cancel = clock.at(clock.now() + rememberedMs, () => forget(key));
    leaving.set(key, cancel);
  };
  const makeRoom = () => {
    if (sessions.size < sessionsMax) return;
    const [oldest] = leaving.keys();
    if (oldest === undefined) throw new Problem("busy", { detail: "too many NeMo clients are here" });
    forget(oldest);
  };
  return {
    async sessionOf({ speakerUri }, { conversationId, clientFeatures }) {
      const key = JSON.stringify([speakerUri, conversationId]);
      const floor = await store.load(conversationId);
      if (floor === undefined) throw notYours();
      const isNew = !sessions.has(key) && !subscriptions.has(key);
      const last = isNew ? await findUtterance(store, floor, { speakerUri }) : undefined;
      const after = subscriptions.get(key) ?? last?.seq ?? firstFor(floor, speakerUri);
      const its = { ...clientFeatures };
      const { renderer, readFrom } = await openRenderer(store, { floor, speakerUri, after, clientFeatures: its });
      // After a restart of the floor its last words may still be worked on, or be asked about.
      const isUnfinished = last !== undefined && (!isIdle(floor, last.turn) || (await isAsked(store, floor, last.seq)));
      const known = sessions.get(key);
      stay(key);
      if (known !== undefined) {
        Object.assign(known.clientFeatures, clientFeatures);
        return known;
      }
      makeRoom();
      const scene = { server, viewers, conversationId, speakerUri, renderer, readFrom, clientFeatures: its };
      const session = createNemoSession({ ...scene, onLeft: () => left(key) });
      session.unknownTurn = last?.turn;
      if (last !== undefined && isUnfinished) {
        renderer.begin(clock.now());
        renderer.joined(last.turn);
      }
      sessions.set(key, session);
      return session;
    },
    close() {
      isClosed = true;
      for (const key of [...leaving.keys()]) stay(key);
      for (const session of sessions.values()) session.close();
    },
  };
}

/**
 * What the client received before is unknown. Output begins after the person's last utterance, so that nothing is lost;
 * a part may be sent twice. Without an utterance, it begins where the person joined.
 */
function firstFor(floor: Floor, speakerUri: string): number {
  const since = seatNamed(floor, speakerUri)?.since ?? floor.seq;
  return Math.max(0, since - 1, floor.seq - earlierMax);
}
