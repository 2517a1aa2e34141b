import { type Entry, type Floor, seatOf } from "@plenary/floor";
import type { ServerContext } from "../../context.ts";
import { decodeEnvelope } from "../../conversation/decode.ts";
import { isEndOf } from "../../conversation/log-tail.ts";
import { tail } from "../../conversation/notifier.ts";
import { deliveryIn } from "../../conversation/reply-authorization.ts";
import { trailIn } from "../../delivery/baggage.ts";
import type { SocketOutbound } from "../../delivery/socket/outbound.ts";
import { assertOpen, isOurs, Problem, problemDocument } from "../../errors.ts";
import type { StreamLimits } from "../../limits.ts";
import { assertSpeaker, type Principal } from "../../ports/principal.ts";
import { speakerAt } from "../../ports/relay-address.ts";
import { jsonObjectIn } from "../../routing/body.ts";
import { type ClientFrame, deliveryNamedIn, idOf, readFrame } from "./frames.ts";

export type InboxOptions = {
  server: ServerContext;
  sockets: SocketOutbound;
  limits: StreamLimits;
  principal: Principal;
  speaker: string;
  isAgent: boolean;
  send: (frame: Record<string, unknown>) => void;
  /** Closes the socket. */
  hangUp: (code: number, reason: string) => void;
  /** Stops reading from the socket, or goes on. */
  hold: (isHeld: boolean) => void;
};

type AnswerFrame = Record<string, unknown>;

/** What a socket sends, one frame after the other, each answered: taken, or why not. */
export type Inbox = { take(text: string): void; refuse(problem: Problem): void };

export function createInbox(options: InboxOptions): Inbox {
  const { limits, send, server } = options;
  const hold = createHold(options.hold);
  const isAdmitted = createFrameLimit(options);
  const isExpected = createExpectation(options, hold);
  const kept = new Map<string, Promise<AnswerFrame | undefined>>();
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let readOn = () => {};

  const nackOf = (error: unknown, about: FrameOrigin): AnswerFrame => {
    if (isOurs(error)) server.onError(error);
    const nack = refusalOf(options, error, about);
    // What may go better next time is not what this id is answered with for ever.
    const { status } = nack.problem;
    if (about.id !== undefined && (status === 429 || status >= 500)) kept.delete(about.id);
    return nack;
  };
  const remember = (id: string, answer: Promise<AnswerFrame | undefined>) => {
    kept.set(id, answer);
    const [oldest] = kept.keys();
    if (kept.size > limits.answersKeptMax && oldest !== undefined) kept.delete(oldest);
  };
  const answered = async (text: string, frame: Record<string, unknown>, about: FrameOrigin) => {
    try {
      await assertWelcome(options);
      return await takeFrame(options, text, readFrame(frame, options));
    } catch (error) {
      return nackOf(error, about);
    }
  };
  const sendLater = (answer: Promise<AnswerFrame | undefined>) => {
    answer.then((frame) => frame && send(frame)).catch(server.onError);
  };
  const enter = () => {
    waiting += 1;
    if (waiting === limits.framesWaitingMax) readOn = hold();
  };
  const leave = () => {
    waiting -= 1;
    if (waiting <= limits.framesWaitingMax / 2) readOn();
  };

  return {
    refuse(problem) {
      if (isAdmitted({})) send(nackOf(problem, {}));
    },
    take(text) {
      const read = readText(text);
      const about = "error" in read ? {} : aboutOf(read.frame);
      const isFree = isExpected(about, text.length);
      if (!isFree && !isAdmitted(about)) return;
      if ("error" in read) return send(nackOf(read.error, about));
      const { id } = about;
      const known = id === undefined ? undefined : kept.get(id);
      if (known !== undefined) return sendLater(known);
      if (!isFree && waiting >= limits.framesWaitingMax) return send(nackOf(new Problem("busy"), about));
      enter();
      const answer = last.then(() => answered(text, read.frame, about));
      last = answer.finally(leave);
      if (id !== undefined) remember(id, answer);
      sendLater(answer);
    },
  };
}

/** How a frame names itself, and the delivery that it belongs to. */
type FrameOrigin = { id?: string; inReplyTo?: string; isDraft?: boolean };

function aboutOf(frame: Record<string, unknown>): FrameOrigin {
  const id = idOf(frame);
  return { ...deliveryNamedIn(frame), ...(id !== undefined && { id }) };
}

function readText(text: string): { frame: Record<string, unknown> } | { error: unknown } {
  try {
    return { frame: jsonObjectIn(text) };
  } catch (error) {
    return { error };
  }
}

/** Names the delivery in a refusal, so that the agent can repeat its answer. */
function refusalOf({ server }: InboxOptions, error: unknown, { id, inReplyTo }: FrameOrigin) {
  const problem = problemDocument(error, server.ids.random);
  return { nack: id ?? null, problem: { ...problem, ...(inReplyTo !== undefined && { inReplyTo }) } };
}

/** Backpressure: as long as anything holds, nothing more is read from the socket. Returns the way to let go. */
function createHold(setHeld: (isHeld: boolean) => void): () => () => void {
  let holders = 0;
  return () => {
    holders += 1;
    if (holders === 1) setHeld(true);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      holders -= 1;
      if (holders === 0) setHeld(false);
    };
  };
}

/**
 * Answers and drafts of open deliveries are bounded by the deliveries, not by the rate of the credential: one answer to
 * each, and drafts no faster than they are read. What only claims to be one is counted like any other frame.
 */
function createExpectation(options: InboxOptions, hold: () => () => void) {
  const { server, sockets, speaker, isAgent } = options;
  let isPaced = false;
  const pace = (ms: number) => {
    if (ms === 0 || isPaced) return;
    isPaced = true;
    const readOn = hold();
    server.clock.at(server.clock.now() + ms, () => {
      isPaced = false;
      readOn();
    });
  };
  return ({ inReplyTo, isDraft }: FrameOrigin, chars: number): boolean => {
    if (!isAgent || inReplyTo === undefined) return false;
    if (isDraft !== true) return server.expectedAnswers.take(inReplyTo);
    const aheadMs = sockets.takeDraft(speaker, inReplyTo, chars);
    if (aheadMs === undefined) return false;
    pace(aheadMs);
    return true;
  };
}

/** Every other frame is counted before anything is done for it. False when it came too often and was refused. */
function createFrameLimit(options: InboxOptions): (about: FrameOrigin) => boolean {
  const { server, principal, limits, send, hangUp } = options;
  let refused = 0;
  return (about) => {
    try {
      server.access.admitFrame(principal);
      refused = Math.max(0, refused - 1);
      return true;
    } catch (error) {
      refused += 1;
      // What is still on its way when the socket is closed is not even answered.
      if (refused > limits.framesRefusedMax) hangUp(1008, "too many frames, connect again later");
      else send(refusalOf(options, error, about));
      return false;
    }
  };
}

/** A socket proves nothing by being open: each frame is its credential's. */
async function assertWelcome({ server, principal }: InboxOptions): Promise<void> {
  if (await server.identity.isLive(principal)) return;
  throw new Problem("unauthorized", { detail: "this credential has ended" });
}

async function takeFrame(options: InboxOptions, text: string, frame: ClientFrame): Promise<AnswerFrame | undefined> {
  const { server, principal } = options;
  switch (frame.kind) {
    case "envelope": {
      assertOpen(server);
      const { entries, refused } = await server.receiver.envelope(text, { principal, ...trailIn(frame.baggage) });
      return ackOf(frame.id, entries, refused);
    }
    case "answer":
      return takeAnswer(options, text, frame);
    case "draft":
      if (options.sockets.draft(options.speaker, frame.inReplyTo, frame.piece)) return undefined;
      throw new Problem("refused", { detail: "nobody waits for this answer", extra: { inReplyTo: frame.inReplyTo } });
  }
}

function ackOf(id: string, entries: readonly Entry[], refused: readonly unknown[] = []): AnswerFrame {
  return { ack: id, seq: entries.map(({ seq }) => seq), ...(refused.length > 0 && { refused }) };
}

async function takeAnswer(
  options: InboxOptions,
  text: string,
  { id, inReplyTo, conversationId }: ClientFrame & { kind: "answer" },
): Promise<AnswerFrame | undefined> {
  const { server, principal, sockets, speaker } = options;
  if (principal.speakers !== "anyone") {
    assertSpeaker(principal, decodeEnvelope(text, undefined, server).envelope.sender.speakerUri);
  }
  const delivery = deliveryIn(inReplyTo);
  const floor = id === undefined || conversationId === undefined ? undefined : await server.store.load(conversationId);
  switch (sockets.answer(speaker, inReplyTo, text)) {
    case "taken":
      if (id === undefined) return undefined;
      // What no log waits for, such as a manifest or an answer for another floor, leaves no trace in one.
      if (floor === undefined || !isOpenTo(server, floor, delivery, speaker)) return ackOf(id, []);
      return ackOf(id, await whatCameOf(server, { conversationId: floor.id, delivery, after: floor.seq }));
    case "unreadable":
      decodeEnvelope(text, undefined, server);
      throw new Problem("bad-envelope");
    case "unknown": {
      // It may be open still, when the floor was started anew in between; else it is written down as late.
      const late = await server.receiver.envelope(text, { principal, inReplyTo });
      if (id !== undefined) return ackOf(id, late.entries, late.refused);
      const [refusal] = late.refused;
      if (refusal === undefined) return undefined;
      throw new Problem("refused", { status: 409, detail: refusal.problem, extra: { ...refusal, inReplyTo } });
    }
  }
}

/** Deliveries count within one conversation: that another has one of this name does not say that it went to this speaker. */
function isOpenTo({ self }: ServerContext, floor: Floor, delivery: string, speaker: string): boolean {
  const open = floor.open.find(({ id }) => id === delivery);
  if (open === undefined) return false;
  const serviceUrl = open.serviceUrl ?? seatOf(floor, open.to)?.identification.serviceUrl;
  const reached = serviceUrl === undefined ? undefined : speakerAt(self().serviceUrl, serviceUrl);
  return (reached ?? open.to) === speaker;
}

const writtenWithinMs = 30_000;

/** An acknowledgement says that it is durable, so it waits for the log. */
async function whatCameOf(
  server: ServerContext,
  { conversationId, delivery, after }: { conversationId: string; delivery: string; after: number },
): Promise<Entry[]> {
  const controller = new AbortController();
  const { clock } = server;
  const cancel = clock.at(clock.now() + writtenWithinMs, () => controller.abort());
  try {
    for await (const entry of tail(server, conversationId, { after, signal: controller.signal })) {
      if (!isEndOf(entry, delivery)) continue;
      const next = await server.store.entries(conversationId, { after: entry.seq, limit: 256 });
      return [entry, ...next.filter(({ causedBy }) => causedBy === entry.seq)];
    }
  } finally {
    cancel();
  }
  throw new Problem("unavailable", { detail: "the answer was taken, but is not in the log yet" });
}
