import { type Floor, isIdle } from "@plenary/floor";
import type { ServerContext } from "../context.ts";
import { beginningOf } from "../conversation/pending-replies.ts";
import { maySee, readerFor } from "../conversation/visibility.ts";
import { untilIdle, withoutRetries } from "../conversation/wait-for-idle.ts";
import { traceIdOf } from "../observability/trace-ids.ts";
import { comesLater, stillAtWork } from "./error-text.ts";
import type { NemoSession } from "./session.ts";

/** D4: the longest wait for a turn. While an agent works on an answer, the limits of its delivery apply instead. */
const ceilingMs = 120_000;
/** After that: how often to check whether an agent still works. */
const lookMs = 10_000;

/** Ends the open turn when nothing of it is awaited and all output was sent. Also returns when no client listens. */
export async function watchTurn(server: ServerContext, session: NemoSession): Promise<void> {
  const { renderer, conversationId } = session;
  const { clock, store } = server;
  const isOpen = () => session.isHeard() && renderer.isOpen();
  const isSpeaking = () => session.isSaying || session.isCatchingUp;
  while (isOpen()) {
    // A question waits as long as it says, and then the agents have their time again.
    if (isSpeaking() || renderer.isAsking()) {
      const quiet = isSpeaking() ? undefined : session.quiet();
      if (quiet !== undefined && (await isQuiet(server, session))) quiet();
      await session.changed(quiet === undefined ? ceilingMs : quietMs);
      session.lastWordMs = clock.now();
      continue;
    }
    const turns = [...renderer.turns()];
    const isSame = () => isOpen() && !isSpeaking() && !renderer.isAsking() && `${turns}` === `${renderer.turns()}`;
    const leftMs = Math.max(lookMs, session.lastWordMs + ceilingMs - clock.now());
    await Promise.all(turns.map((turn) => untilIdle(server, { conversationId, turn, ms: leftMs })));
    const floor = await store.load(conversationId);
    if (!isSame()) continue;
    const isLate = session.lastWordMs + ceilingMs <= clock.now();
    if (isLate && floor !== undefined && isUnderWay(server, floor, turns)) continue;
    if (floor !== undefined && renderer.seq() < floor.seq && !isLate) {
      await session.changed(leftMs);
      continue;
    }
    const againMs = session.lastWordMs + secondTryMs - clock.now();
    const lapseMs = session.lapsedMs + secondTryMs - clock.now();
    const isRetried = againMs > 0 && floor !== undefined && retriedIn(server, session, floor).length > 0;
    if (isRetried || lapseMs > 0) {
      await session.changed(Math.max(lapseMs, isRetried ? againMs : 0));
      continue;
    }
    const silent = floor === undefined ? [] : await silentIn(server, session, floor);
    if (!isSame()) continue;
    if (isLate && floor !== undefined && turns.some((turn) => !isIdle(floor, turn))) {
      session.tell(renderer.remark(`${stillAtWork} ${comesLater}`));
    }
    for (const { speakerUri, failure, detail } of silent) session.tell(renderer.missed(speakerUri, failure, detail));
    session.tell(renderer.complete(traceOf(server, session)));
  }
}

/** A delivery of these turns is not answered yet. */
function isUnderWay({ effectRunner }: ServerContext, { id, open }: Floor, turns: readonly string[]): boolean {
  return open.some((one) => turns.includes(one.turn) && !effectRunner.isRetrying(id, one.id));
}

/**
 * A broken connection is opened again: the client hears only of agents that are still not reached after this time. After a
 * lapsed question, the turn stays open for the same time, so that the agent that asked can react.
 */
const secondTryMs = 1_000;

/** How often it is looked whether somebody is still at work while a question waits. */
const quietMs = 500;

/** No agent works on it, and all output was sent. */
async function isQuiet(server: ServerContext, { conversationId, renderer }: NemoSession): Promise<boolean> {
  const turns = [...renderer.turns()];
  await Promise.all(turns.map((turn) => untilIdle(server, { conversationId, turn, ms: quietMs })));
  const floor = await server.store.load(conversationId);
  if (floor === undefined) return true;
  const open = withoutRetries(floor, server.effectRunner);
  return renderer.seq() >= floor.seq && turns.every((turn) => isIdle(open, turn));
}

/** Of the words that began it: those who were invited before came for them. */
function traceOf({ self }: ServerContext, { conversationId, renderer, begunBy }: NemoSession): string | undefined {
  const turn = begunBy ?? renderer.turns()[0];
  return turn === undefined ? undefined : traceIdOf({ conversationId, turn }, self());
}

const entriesMax = 1_000;

/** Who did not answer, as far as this person may know that it was asked. */
async function silentIn(server: ServerContext, session: NemoSession, floor: Floor) {
  const { store } = server;
  const { renderer, begunAfter, speakerUri: me } = session;
  const turns = renderer.turns();
  const entries = await store.entries(floor.id, { after: begunAfter, limit: entriesMax });
  const missed = entries.flatMap((entry) =>
    entry.kind === "missed" && entry.isUncounted !== true && turns.includes(entry.turn) ? [entry] : [],
  );
  // It is tried again for a while, and nobody waits for that (D4).
  const retried = retriedIn(server, session, floor).map(({ id: delivery, to: speakerUri }) => {
    return { delivery, speakerUri, failure: "unreachable", detail: undefined };
  });
  const reader = readerFor(floor, me);
  const all = [...missed, ...retried];
  const begun = await Promise.all(all.map(({ delivery }) => beginningOf(store, floor.id, delivery)));
  return all.filter((_, index) => {
    const entry = begun[index];
    // That somebody who was invited does not come is in the log for all.
    const isInvite = entry?.kind === "event" && entry.event.eventType === "invite";
    return entry !== undefined && !isInvite && maySee(entry, reader);
  });
}

function retriedIn({ effectRunner }: ServerContext, { renderer }: NemoSession, floor: Floor) {
  const turns = renderer.turns();
  return floor.open.filter(({ id, turn }) => turns.includes(turn) && effectRunner.isRetrying(floor.id, id));
}
