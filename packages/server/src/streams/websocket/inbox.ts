import { type Entry, type Floor, seatOf } from "@plenary/floor";
import type {
  AccessContext,
  ConversationContext,
  FloorContext,
  ProcessContext,
  ReceivingContext,
  StorageContext,
} from "../../context.ts";
import { decodeEnvelope, type JsonText, jsonTextOf } from "../../conversation/decode.ts";
import { isEndOf } from "../../conversation/log-lookup.ts";
import { tail } from "../../conversation/notifier.ts";
import { deliveryIn } from "../../conversation/reply-authorization.ts";
import { trailIn } from "../../delivery/message.ts";
import { assertOpen, isOurs, Problem } from "../../errors.ts";
import { assertSpeaker } from "../../ports/principal.ts";
import { speakerAt } from "../../ports/speaker-uri.ts";
import { jsonObjectIn } from "../../routing/body.ts";
import {
  createExpectedFrames,
  createFrameLimit,
  createReadPause,
  type FrameLimitOptions,
  type FrameOrigin,
  refusalOf,
} from "./frame-limits.ts";
import { type ClientFrame, deliveryNamedIn, idOf, readFrame } from "./frames.ts";

export type InboxOptions = FrameLimitOptions & {
  server: ConversationContext & AccessContext;
  /** Pauses or resumes reading from the socket. */
  setPaused: (isPaused: boolean) => void;
};

type AnswerFrame = Record<string, unknown>;

/** Takes the frames of a socket in order, and answers each with an ack or a nack. */
export type Inbox = { take(text: string): void; refuse(problem: Problem): void };

export function createInbox(options: InboxOptions): Inbox {
  const { limits, send, server } = options;
  const pauseReading = createReadPause(options.setPaused);
  const isAdmitted = createFrameLimit(options);
  const isExpected = createExpectedFrames(options, pauseReading);
  const answers = new Map<string, Promise<AnswerFrame | undefined>>();
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let resume = () => {};

  const nackOf = (error: unknown, origin: FrameOrigin): AnswerFrame => {
    if (isOurs(error)) server.onError(error);
    const nack = refusalOf(options, error, origin);
    // A temporary failure is not stored, so the client can repeat the frame.
    const { status } = nack.problem;
    if (origin.id !== undefined && (status === 429 || status >= 500)) answers.delete(origin.id);
    return nack;
  };
  const remember = (id: string, answer: Promise<AnswerFrame | undefined>) => {
    answers.set(id, answer);
    const [oldest] = answers.keys();
    if (answers.size > limits.answersKeptMax && oldest !== undefined) answers.delete(oldest);
  };
  const credential = createCredentialCheck(options);
  const answerTo = async ({ frame, document }: ReadFrame, origin: FrameOrigin) => {
    try {
      if (!credential.isFresh()) await credential.check();
      return await takeFrame(options, document, readFrame(frame, options));
    } catch (error) {
      return nackOf(error, origin);
    }
  };
  const sendLater = (answer: Promise<AnswerFrame | undefined>) => {
    answer.then((frame) => frame && send(frame)).catch(server.onError);
  };
  const enter = () => {
    waiting += 1;
    if (waiting === limits.framesWaitingMax) resume = pauseReading();
  };
  const leave = () => {
    waiting -= 1;
    if (waiting <= limits.framesWaitingMax / 2) resume();
  };

  return {
    refuse(problem) {
      if (isAdmitted({})) send(nackOf(problem, {}));
    },
    take(text) {
      const read = frameIn(text);
      const origin = "error" in read ? {} : originOf(read.frame);
      const isExpectedFrame = isExpected(origin, text.length);
      if (!isExpectedFrame && !isAdmitted(origin)) return;
      if ("error" in read) return send(nackOf(read.error, origin));
      const { id } = origin;
      const known = id === undefined ? undefined : answers.get(id);
      if (known !== undefined) return sendLater(known);
      if (!isExpectedFrame && waiting >= limits.framesWaitingMax) return send(nackOf(new Problem("busy"), origin));
      enter();
      const answer = waiting === 1 ? answerTo(read, origin) : last.then(() => answerTo(read, origin));
      if (id !== undefined) remember(id, answer);
      last = answer;
      answer
        .then((frame) => {
          leave();
          if (frame !== undefined) send(frame);
        })
        .catch(server.onError);
    },
  };
}

function originOf(frame: Record<string, unknown>): FrameOrigin {
  const id = idOf(frame);
  return { ...deliveryNamedIn(frame), ...(id !== undefined && { id }) };
}

type ReadFrame = { frame: Record<string, unknown>; document: JsonText };

/** Parsed once: the envelope is decoded from the same document, where repeated keys are detected. */
function frameIn(text: string): ReadFrame | { error: unknown } {
  try {
    const document = jsonTextOf(text);
    return { frame: jsonObjectIn(document), document };
  } catch (error) {
    return { error };
  }
}

const credentialFreshMs = 1_000;

/** Checked while frames arrive: the credential may end while the socket is open. */
function createCredentialCheck({ server, principal }: InboxOptions) {
  const { clock, identity } = server;
  let checkedMs = Number.NEGATIVE_INFINITY;
  return {
    /** It was valid within the last second, and has not expired since. */
    isFresh(): boolean {
      const nowMs = clock.now();
      return nowMs >= checkedMs && nowMs < Math.min(checkedMs + credentialFreshMs, principal.untilMs ?? nowMs + 1);
    },
    async check(): Promise<void> {
      if (!(await identity.isLive(principal)))
        throw new Problem("unauthorized", { detail: "this credential has ended" });
      checkedMs = clock.now();
    },
  };
}

async function takeFrame(
  options: InboxOptions,
  document: JsonText,
  frame: ClientFrame,
): Promise<AnswerFrame | undefined> {
  const { server, principal } = options;
  switch (frame.kind) {
    case "envelope": {
      assertOpen(server);
      const { entries, refused } = await server.receiver.envelope({
        document,
        principal,
        ...trailIn(frame.baggage),
      });
      return ackOf(frame.id, entries, refused);
    }
    case "answer":
      return takeAnswer(options, document, frame);
    case "draft":
      if (options.sockets.draft(options.speaker, frame.inReplyTo, frame.piece)) return undefined;
      throw new Problem("refused", {
        detail: "no open delivery waits for this answer",
        extra: { inReplyTo: frame.inReplyTo },
      });
  }
}

function ackOf(id: string, entries: readonly Entry[], refused: readonly unknown[] = []): AnswerFrame {
  return { ack: id, seq: entries.map(({ seq }) => seq), ...(refused.length > 0 && { refused }) };
}

async function takeAnswer(
  options: InboxOptions,
  document: JsonText,
  { id, inReplyTo, conversationId }: ClientFrame & { kind: "answer" },
): Promise<AnswerFrame | undefined> {
  const { server, principal, sockets, speaker } = options;
  if (principal.speakers !== "anyone") {
    assertSpeaker(principal, decodeEnvelope(document, undefined, server).envelope.sender.speakerUri);
  }
  const delivery = deliveryIn(inReplyTo);
  const floor = id === undefined || conversationId === undefined ? undefined : await server.log.load(conversationId);
  switch (sockets.answer(speaker, inReplyTo, document)) {
    case "taken":
      if (id === undefined) return undefined;
      // A manifest or an answer for another floor is not written to the log.
      if (floor === undefined || !isOpenTo(server, floor, delivery, speaker)) return ackOf(id, []);
      return ackOf(id, await entriesOfAnswer(server, { conversationId: floor.id, delivery, after: floor.seq }));
    case "unreadable":
      decodeEnvelope(document, undefined, server);
      throw new Problem("bad-envelope");
    case "unknown": {
      // After a restart of the floor the delivery may still be open; otherwise the log records the answer as late.
      const late = await server.receiver.envelope({ document, principal, inReplyTo });
      if (id !== undefined) return ackOf(id, late.entries, late.refused);
      const [refusal] = late.refused;
      if (refusal === undefined) return undefined;
      throw new Problem("refused", { status: 409, detail: refusal.problem, extra: { ...refusal, inReplyTo } });
    }
  }
}

/** Delivery ids are unique per conversation only, so the recipient is checked too. */
function isOpenTo({ self }: FloorContext, floor: Floor, delivery: string, speaker: string): boolean {
  const open = floor.open.find(({ id }) => id === delivery);
  if (open === undefined) return false;
  const serviceUrl = open.serviceUrl ?? seatOf(floor, open.to)?.identification.serviceUrl;
  const reached = serviceUrl === undefined ? undefined : speakerAt(self.serviceUrl, serviceUrl);
  return (reached ?? open.to) === speaker;
}

const writtenWithinMs = 30_000;

/** Waits until the log contains the answer: an ack promises that it is durable. */
async function entriesOfAnswer(
  server: ProcessContext & StorageContext & ReceivingContext,
  { conversationId, delivery, after }: { conversationId: string; delivery: string; after: number },
): Promise<Entry[]> {
  const controller = new AbortController();
  const { clock } = server;
  const cancel = clock.at(clock.now() + writtenWithinMs, () => controller.abort());
  try {
    for await (const entry of tail(server, conversationId, { after, signal: controller.signal })) {
      if (!isEndOf(entry, delivery)) continue;
      const next = await server.log.entries(conversationId, { after: entry.seq, limit: 256 });
      return [entry, ...next.filter(({ causedBy }) => causedBy === entry.seq)];
    }
  } finally {
    cancel();
  }
  throw new Problem("unavailable", { detail: "the answer was accepted, but is not in the log yet" });
}
