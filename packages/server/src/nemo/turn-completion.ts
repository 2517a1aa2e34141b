import { type Floor, isIdle } from "@plenary/floor";
import type { ConversationContext, DeliveringContext, FloorContext, StorageContext } from "../context.ts";
import { beginningOf } from "../conversation/log-lookup.ts";
import { maySee, readerFor } from "../conversation/visibility.ts";
import { untilIdle, withoutRetries } from "../conversation/wait-for-idle.ts";
import { traceIdOf } from "../observability/spans.ts";
import { comesLater, stillAtWork } from "./error-text.ts";
import type { NemoSession } from "./session.ts";

/** D4: the longest wait for a turn. While an agent works on an answer, the limits of its delivery apply instead. */
const ceilingMs = 120_000;
/** After that: the interval at which to check whether an agent still works. */
const agentCheckMs = 10_000;

/** Ends the open turn when it is idle and all output was sent. Also returns when no client is attached. */
export async function watchTurn(server: ConversationContext, session: NemoSession): Promise<void> {
  const { renderer, conversationId } = session;
  const { clock, log } = server;
  const isOpen = () => session.hasClient() && renderer.isOpen();
  const isSpeaking = () => session.isSending || session.isCatchingUp;
  while (isOpen()) {
    // A question has its own timeout; afterwards the time limit of the agents starts again.
    if (isSpeaking() || renderer.hasPrompt()) {
      const notifyIdle = isSpeaking() ? undefined : session.idleNotifier();
      if (notifyIdle !== undefined && (await isIdleNow(server, session))) notifyIdle();
      await session.changed(notifyIdle === undefined ? ceilingMs : idleCheckMs);
      session.waitingSinceMs = clock.now();
      continue;
    }
    const turns = [...renderer.turns()];
    const isSame = () => isOpen() && !isSpeaking() && !renderer.hasPrompt() && `${turns}` === `${renderer.turns()}`;
    const leftMs = Math.max(agentCheckMs, session.waitingSinceMs + ceilingMs - clock.now());
    await Promise.all(turns.map((turn) => untilIdle(server, { conversationId, turn, ms: leftMs })));
    const floor = await log.load(conversationId);
    if (!isSame()) continue;
    const isLate = session.waitingSinceMs + ceilingMs <= clock.now();
    if (isLate && floor !== undefined && isUnderWay(server, floor, turns)) continue;
    if (floor !== undefined && renderer.seq() < floor.seq && !isLate) {
      await session.changed(leftMs);
      continue;
    }
    const againMs = session.waitingSinceMs + secondTryMs - clock.now();
    const lapseMs = session.promptExpiredMs + secondTryMs - clock.now();
    const isRetried = againMs > 0 && floor !== undefined && retriedIn(server, session, floor).length > 0;
    if (isRetried || lapseMs > 0) {
      await session.changed(Math.max(lapseMs, isRetried ? againMs : 0));
      continue;
    }
    const unanswered = floor === undefined ? [] : await unansweredIn(server, session, floor);
    if (!isSame()) continue;
    if (isLate && floor !== undefined && turns.some((turn) => !isIdle(floor, turn))) {
      session.send(renderer.addNotice(`${stillAtWork} ${comesLater}`));
    }
    for (const { speakerUri, failure, detail } of unanswered)
      session.send(renderer.missed(speakerUri, failure, detail));
    session.send(renderer.complete(traceOf(server, session)));
  }
}

/** A delivery of these turns is not answered yet. */
function isUnderWay({ effectRunner }: DeliveringContext, { id, open }: Floor, turns: readonly string[]): boolean {
  return open.some((one) => turns.includes(one.turn) && !effectRunner.isRetrying(id, one.id));
}

/**
 * Deliveries are retried: the client gets an error only for agents that are unreachable after this time. After an expired
 * question, the turn stays open for the same time, so that the agent that asked can react.
 */
const secondTryMs = 1_000;

/** The interval of idle checks while a question is open. */
const idleCheckMs = 500;

/** No agent works on the turn, and all output was sent. */
async function isIdleNow(server: ConversationContext, { conversationId, renderer }: NemoSession): Promise<boolean> {
  const turns = [...renderer.turns()];
  await Promise.all(turns.map((turn) => untilIdle(server, { conversationId, turn, ms: idleCheckMs })));
  const floor = await server.log.load(conversationId);
  if (floor === undefined) return true;
  const open = withoutRetries(floor, server.effectRunner);
  return renderer.seq() >= floor.seq && turns.every((turn) => isIdle(open, turn));
}

/** The trace of the message that began the turn, not that of the invites before it. */
function traceOf({ self }: FloorContext, { conversationId, renderer, begunBy }: NemoSession): string | undefined {
  const turn = begunBy ?? renderer.turns()[0];
  return turn === undefined ? undefined : traceIdOf({ conversationId, turn }, self);
}

const entriesMax = 1_000;

/** Agents that did not answer, where the person may see the event that was delivered to them. */
async function unansweredIn(server: StorageContext & DeliveringContext, session: NemoSession, floor: Floor) {
  const { log } = server;
  const { renderer, begunAfter, speakerUri: me } = session;
  const turns = renderer.turns();
  const entries = await log.entries(floor.id, { after: begunAfter, limit: entriesMax });
  const missed = entries.flatMap((entry) =>
    entry.kind === "missed" && entry.isUncounted !== true && turns.includes(entry.turn) ? [entry] : [],
  );
  // Retries go on for a while; the turn does not wait for them (D4).
  const retried = retriedIn(server, session, floor).map(({ id: delivery, to: speakerUri }) => {
    return { delivery, speakerUri, failure: "unreachable", detail: undefined };
  });
  const reader = readerFor(floor, me);
  const all = [...missed, ...retried];
  const begun = await Promise.all(all.map(({ delivery }) => beginningOf(log, floor.id, delivery)));
  return all.filter((_, index) => {
    const entry = begun[index];
    // The log shows failed invites to all.
    const isInvite = entry?.kind === "event" && entry.event.eventType === "invite";
    return entry !== undefined && !isInvite && maySee(entry, reader);
  });
}

function retriedIn({ effectRunner }: DeliveringContext, { renderer }: NemoSession, floor: Floor) {
  const turns = renderer.turns();
  return floor.open.filter(({ id, turn }) => turns.includes(turn) && effectRunner.isRetrying(floor.id, id));
}
