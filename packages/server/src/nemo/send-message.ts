import { type Floor, isIdle, ownerOf } from "@plenary/floor";
import { type ErrorContent, textOfParts } from "@plenary/nemo";
import { replyFeature } from "@plenary/protocol";
import type { ConversationContext, LifecycleContext, ProcessContext, ReceivingContext } from "../context.ts";
import { jsonTextOf } from "../conversation/decode.ts";
import { untilIdle } from "../conversation/wait-for-idle.ts";
import { assertOpen, Problem } from "../errors.ts";
import { timeOf } from "../ports/clock.ts";
import { unknownConversation } from "./error-text.ts";
import type { MessageResult, NemoOutput, NemoPerson, OutputSink } from "./participant.ts";
import { findUtterance, replayTurn } from "./person-log.ts";
import type { NemoSession } from "./session.ts";
import { watchTurn } from "./turn-completion.ts";
import {
  type ClientMessage,
  envelopeText,
  type OutgoingUtterance,
  outgoingUtterance,
  utteranceId,
  utteranceOf,
} from "./utterance.ts";

/** How long the first message waits for the invited agents. */
const inviteWaitMs = 10_000;
/** How long it waits until their greetings were sent. */
const sentMs = 1_000;

type InvalidAnswer = Extract<MessageResult, { kind: "lack" }>;
type ParticipantContext = { server: ConversationContext; session: NemoSession; person: NemoPerson; sink: OutputSink };

export type NemoParticipant = ReturnType<typeof createParticipant>;

/** One person in one conversation, while one client is connected. The session outlives it. */
export function createParticipant(context: ParticipantContext) {
  const { session, sink } = context;
  const { renderer } = session;
  return {
    /**
     * Begins a turn. An open turn is stopped first. Throws the problem. `mayAnswer`: the client has no control for
     * questions, so a message without `to` may answer the open one.
     */
    say: (message: ClientMessage, { mayAnswer } = { mayAnswer: false }) =>
      inOrder(session, () => say(context, message, mayAnswer)),
    /** Answers the question that is shown. */
    reply: (texts: readonly string[]) =>
      inOrder(session, async () => session.send((await reply(context, texts))?.output ?? [])),
    /** Like `reply`, but a wrong answer produces no output: the promise resolves with the error. */
    answer: (texts: readonly string[]) => inOrder(session, async () => (await reply(context, texts))?.error),
    /** Shows the client that its message was refused. */
    showError(error: ErrorContent, messageId?: string): void {
      if (messageId !== undefined && !renderer.isOpen()) session.parentId = messageId;
      session.send(renderer.showError(error));
    },
    /** `unsent`: text that this client did not get, for the next client. */
    leave: (unsent?: string) => session.detach(sink, unsent),
  };
}

const sendQueues = new WeakMap<NemoSession, Promise<unknown>>();

/** Messages of two clients of one person are sent one after the other. */
function inOrder<T>(session: NemoSession, work: () => Promise<T>): Promise<T> {
  const next = (sendQueues.get(session) ?? Promise.resolve()).then(work, work);
  sendQueues.set(session, next);
  return next;
}

async function say(context: ParticipantContext, message: ClientMessage, mayAnswer: boolean): Promise<void> {
  const { server, session, person } = context;
  const { renderer, conversationId, speakerUri } = session;
  const { clock } = server;
  await finishEarlierTurn(context);
  const gap = afterEarlier(session);
  const knownId = utteranceId(speakerUri, conversationId, message);
  const id = knownId ?? server.ids.newId();
  if (knownId !== undefined && (await isSaid(context, knownId))) return repeatAnswer(context, message.id, knownId);
  const words = mayAnswer ? replyTextIn(context, message) : undefined;
  if (words !== undefined) return answer(context, { words, messageId: message.id, id });
  // An invalid message throws here, before it stops the open turn.
  let utterance =
    session.inviteTurn === undefined ? outgoingUtterance(message, await floorOf(context), speakerUri) : undefined;
  session.isSending = true;
  try {
    const stopped = renderer.isOpen() ? [...renderer.turns()] : [];
    session.parentId = message.id;
    session.waitingSinceMs = clock.now();
    session.begunBy = undefined;
    session.begunAfter = renderer.seq();
    session.send([...gap, ...renderer.begin(clock.now())]);
    // Output about the stop belongs to the new message.
    if (stopped.length > 0) await stopTurns(context, stopped);
    await waitForInvited(context);
    utterance ??= outgoingUtterance(message, await floorOf(context), speakerUri);
    session.begunBy = await send(server, person, { conversationId, utterance, id });
    renderer.addTurn(session.begunBy);
  } catch (error) {
    // The caller shows the error, and that ends the turn.
    session.send(renderer.complete().filter(({ kind }) => kind !== "complete"));
    throw error;
  } finally {
    session.isSending = false;
    session.send([]);
  }
  follow(server, session);
}

/** If the last turn ended while the client was in another chat, the client gets its rest first. Nothing is stopped. */
async function finishEarlierTurn(context: ParticipantContext): Promise<void> {
  const { session } = context;
  const { renderer } = session;
  if (!session.isCatchingUp || !renderer.isOpen() || renderer.hasPrompt()) return;
  const floor = await floorOf(context);
  if (renderer.turns().some((turn) => !isIdle(floor, turn))) return;
  await untilSent(context, floor);
  if (renderer.isOpen()) session.send(renderer.complete().filter(({ kind }) => kind !== "complete"));
}

/** A paragraph break between the missed output and the new one. */
function afterEarlier(session: NemoSession): NemoOutput[] {
  const { tail } = session;
  [session.isCatchingUp, session.tail] = [false, ""];
  if (tail === "" || tail === "\n\n") return [];
  return [{ kind: "delta", text: tail.endsWith("\n") ? "\n" : "\n\n" }];
}

/** The text of the message, if it answers the question that is shown. */
function replyTextIn(
  { server, session }: ParticipantContext,
  { parts, to, isPrivate }: ClientMessage,
): string | undefined {
  const words = textOfParts(parts);
  const isForAsker = to === undefined && !isPrivate && parts.every(({ type }) => type === "text");
  const { renderer } = session;
  return isForAsker && renderer.isOpen() && renderer.isAnswer([words], server.clock.now()) ? words : undefined;
}

/** A message that answers a question: the output belongs to the message. */
async function answer(
  context: ParticipantContext,
  given: { words: string; messageId: string; id: string },
): Promise<void> {
  const { session } = context;
  session.parentId = given.messageId;
  session.send((await reply(context, [given.words], given.id))?.output ?? []);
  session.begunBy = session.renderer.turns().at(-1);
}

async function isSaid({ server, session }: ParticipantContext, dialogEventId: string): Promise<boolean> {
  const { conversationId, speakerUri } = session;
  const [hashes = []] = await server.lookups.seen(conversationId, [{ sender: speakerUri, dialogEventId }]);
  return hashes.length > 0;
}

/** A repeated message gets the output of the first one. */
async function repeatAnswer(context: ParticipantContext, messageId: string, dialogEventId: string): Promise<void> {
  const { server, session, sink } = context;
  const { renderer, speakerUri } = session;
  // The turn is open: the rest goes to the current client.
  if (renderer.isOpen() && session.parentId === messageId) return;
  const floor = await floorOf(context);
  const first = await findUtterance(server.log, floor, { speakerUri, dialogEventId });
  const output = await replayTurn(server, { floor, speakerUri, first });
  if (renderer.isOpen() && sink.isForOneMessage !== true) {
    session.send(output.filter(({ kind }) => kind !== "complete" && kind !== "trace"));
    return;
  }
  if (!renderer.isOpen()) session.parentId = messageId;
  sink.send(output, messageId);
}

/** A second message stops the open turns of this person. Turns of others continue. */
async function stopTurns({ server, session, person }: ParticipantContext, turns: readonly string[]): Promise<void> {
  const { conversationId } = session;
  const floor = await server.log.load(conversationId);
  const by = floor !== undefined && ownerOf(floor) === person.speakerUri ? "owner" : "person";
  const command = { verb: "pause", turns } as const;
  await server.receiver.command(conversationId, command, { by: { by, speakerUri: person.speakerUri } });
}

/** The first message waits for the invited agents. Their greetings are part of its turn. */
async function waitForInvited({ server, session, sink }: ParticipantContext): Promise<void> {
  const { inviteTurn: turn, renderer, conversationId } = session;
  if (turn === undefined) return;
  session.inviteTurn = undefined;
  renderer.addTurn(turn);
  await untilIdle(server, { conversationId, turn, ms: inviteWaitMs });
  await untilSent({ server, session }, await server.log.load(conversationId));
  sink.agentsJoined?.();
}

/** Waits until the client got all entries of this floor, at most one second. */
async function untilSent(
  { server, session }: Pick<ParticipantContext, "server" | "session">,
  floor: Floor | undefined,
) {
  const { clock } = server;
  const { renderer } = session;
  const untilMs = clock.now() + sentMs;
  const isUnsent = () => renderer.seq() < (floor?.seq ?? 0) || renderer.isWaitingForName();
  while (isUnsent() && session.hasClient() && clock.now() < untilMs) await session.changed(sentMs);
}

/** Resolves with the error when the text is no valid answer. */
async function reply(
  context: ParticipantContext,
  texts: readonly string[],
  dialogEventId?: string,
): Promise<InvalidAnswer | undefined> {
  const { server, session, person } = context;
  const { renderer, conversationId } = session;
  const { clock } = server;
  const answer = renderer.reply(texts, clock.now());
  if (answer.kind === "lack") return answer;
  const { id, to, isPrivate, values, words: text } = answer;
  const utterance = { text, to, isPrivate, features: { interactionReply: replyFeature(id, values) } };
  session.isSending = true;
  try {
    const turn = await send(server, person, { conversationId, utterance, id: dialogEventId ?? server.ids.newId() });
    session.waitingSinceMs = clock.now();
    renderer.addTurn(turn);
    session.send(renderer.replyAccepted(clock.now()));
  } finally {
    session.isSending = false;
    session.send([]);
  }
  follow(server, session);
  return undefined;
}

async function floorOf({ server, session }: ParticipantContext): Promise<Floor> {
  const floor = await server.log.load(session.conversationId);
  if (floor === undefined) throw unknownConversation();
  return floor;
}

/** Returns the turn of the utterance. The log reports a refused utterance; an envelope refused as a whole throws. */
async function send(
  server: ProcessContext & ReceivingContext & LifecycleContext,
  { principal, speakerUri }: NemoPerson,
  { conversationId, utterance, id }: { conversationId: string; utterance: OutgoingUtterance; id: string },
): Promise<string> {
  assertOpen(server);
  const event = utteranceOf(utterance, { speakerUri, id, startTime: timeOf(server.clock) });
  const text = envelopeText(conversationId, speakerUri, [event]);
  const { entries } = await server.receiver.envelope({ document: jsonTextOf(text), principal });
  const received = entries.find(({ kind }) => kind === "received");
  if (received === undefined) throw new Problem("unavailable", { detail: "the same was said a moment ago" });
  return received.turn;
}

const followed = new WeakSet<NemoSession>();

/** Runs `watchTurn` until the turn is over or no client is attached; once for each session. */
export function follow(server: ConversationContext, session: NemoSession): void {
  if (followed.has(session)) return;
  followed.add(session);
  watchTurn(server, session).then(
    () => {
      followed.delete(session);
      // The next turn may have begun meanwhile.
      if (session.hasClient() && session.renderer.isOpen()) follow(server, session);
    },
    (error: unknown) => {
      followed.delete(session);
      server.onError(error);
    },
  );
}
