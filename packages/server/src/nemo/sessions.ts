import { type Floor, isIdle, seatNamed } from "@plenary/floor";
import type { DeliveringContext, ProcessContext, StorageContext } from "../context.ts";
import { Problem } from "../errors.ts";
import type { Viewers } from "../streams/viewers.ts";
import { unknownConversation } from "./error-text.ts";
import type { JoinRequest, NemoPerson } from "./participant.ts";
import { findUtterance, isAsked, openRenderer } from "./person-log.ts";
import { NemoSession } from "./session.ts";

/** A session is kept for this long after its last client left. */
const rememberedMs = 30 * 60_000;
const sessionsMax = 10_000;
/** Dropped sessions whose last entry is remembered. */
const lastSeqsMax = 100_000;
/** A person without an utterance gets at most this many earlier entries. */
const earlierMax = 200;

/** Recent sessions by person and conversation. */
export function createNemoSessions(server: ProcessContext & StorageContext & DeliveringContext, viewers: Viewers) {
  const { clock, log } = server;
  const sessions = new Map<string, NemoSession>();
  const leaveTimers = new Map<string, () => void>();
  const lastSeqs = new Map<string, number>();
  let isClosed = false;
  const cancelLeaving = (key: string) => {
    leaveTimers.get(key)?.();
    leaveTimers.delete(key);
  };
  const forget = (key: string) => {
    const session = sessions.get(key);
    if (session === undefined || session.hasClient()) return;
    cancelLeaving(key);
    session.close();
    sessions.delete(key);
    lastSeqs.delete(key);
    // For a session with an open turn, output starts again at the person's last utterance.
    if (session.renderer.isOpen()) return;
    lastSeqs.set(key, session.renderer.seq());
    const [oldest] = lastSeqs.keys();
    if (lastSeqs.size > lastSeqsMax && oldest !== undefined) lastSeqs.delete(oldest);
  };
  const left = (key: string) => {
    cancelLeaving(key);
    if (isClosed) return;
    const cancel = clock.at(clock.now() + rememberedMs, () => forget(key));
    leaveTimers.set(key, cancel);
  };
  const makeRoom = () => {
    if (sessions.size < sessionsMax) return;
    const [oldest] = leaveTimers.keys();
    if (oldest === undefined) throw new Problem("busy", { detail: "too many NeMo clients are here" });
    forget(oldest);
  };
  return {
    async sessionOf({ speakerUri }: NemoPerson, { conversationId, clientFeatures }: JoinRequest): Promise<NemoSession> {
      const key = JSON.stringify([speakerUri, conversationId]);
      const floor = await log.load(conversationId);
      if (floor === undefined) throw unknownConversation();
      const isNew = !sessions.has(key) && !lastSeqs.has(key);
      const last = isNew ? await findUtterance(log, floor, { speakerUri }) : undefined;
      const after = lastSeqs.get(key) ?? last?.seq ?? firstFor(floor, speakerUri);
      const features = { ...clientFeatures };
      const { renderer, readFrom } = await openRenderer(log, { floor, speakerUri, after, clientFeatures: features });
      // After a restart of the floor, the last message may still be in work, or have an open question.
      const isUnfinished = last !== undefined && (!isIdle(floor, last.turn) || (await isAsked(log, floor, last.seq)));
      const known = sessions.get(key);
      cancelLeaving(key);
      if (known !== undefined) {
        Object.assign(known.clientFeatures, clientFeatures);
        return known;
      }
      makeRoom();
      const options = { server, viewers, conversationId, speakerUri, renderer, readFrom, clientFeatures: features };
      const session = new NemoSession({ ...options, onLeft: () => left(key) });
      session.unknownTurn = last?.turn;
      if (last !== undefined && isUnfinished) {
        renderer.begin(clock.now());
        renderer.addTurn(last.turn);
      }
      sessions.set(key, session);
      return session;
    },
    close(): void {
      isClosed = true;
      for (const key of [...leaveTimers.keys()]) cancelLeaving(key);
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
