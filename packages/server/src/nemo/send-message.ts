import { type Floor, isIdle, ownerOf } from "@plenary/floor";
import { textOfParts } from "@plenary/nemo";
import { replyFeature } from "@plenary/protocol";
import type { ServerContext } from "../context.ts";
import { untilIdle } from "../conversation/wait-for-idle.ts";
import { assertOpen, Problem } from "../errors.ts";
import { timeOf } from "../ports/clock.ts";
import type { MessageResult, NemoOutput } from "./output.ts";
import type { NemoParticipant, NemoPerson, OutputSink } from "./participant.ts";
import { findUtterance, replayTurn } from "./person-log.ts";
import type { NemoSession } from "./session.ts";
import { notYours } from "./start-conversation.ts";
import { watchTurn } from "./turn-completion.ts";
import {
  type ClientMessage,
  envelopeText,
  type OutgoingUtterance,
  outgoingUtterance,
  utteranceId,
  utteranceOf,
} from "./utterance.ts";

/** How long the first words wait for those who were just invited. */
const arrivalMs = 10_000;
/** And until what they said on joining was sent. */
const sentMs = 1_000;

type MissingPart = Extract<MessageResult, { kind: "lack" }>;
type ParticipantContext = { server: ServerContext; session: NemoSession; person: NemoPerson; sink: OutputSink };

/** Where one client of a person speaks from. */
export function createParticipant({ server, session, person, sink }: ParticipantContext): NemoParticipant {
  const context = { server, session, person, sink };
  const { renderer } = session;
  return {
    say: (message, { mayAnswer } = { mayAnswer: false }) => inOrder(session, () => say(context, message, mayAnswer)),
    reply: (texts) => inOrder(session, async () => session.tell((await reply(context, texts))?.output ?? [])),
    answer: (texts) => inOrder(session, async () => (await reply(context, texts))?.error),
    trouble(error, messageId) {
      if (messageId !== undefined && !renderer.isOpen()) session.parentId = messageId;
      session.tell(renderer.trouble(error));
    },
    leave: (unsent) => session.leave(sink, unsent),
  };
}

const lines = new WeakMap<NemoSession, Promise<unknown>>();

/** Of what two clients of one person say at once, one is first. */
function inOrder<T>(session: NemoSession, work: () => Promise<T>): Promise<T> {
  const next = (lines.get(session) ?? Promise.resolve()).then(work, work);
  lines.set(session, next);
  return next;
}

async function say(context: ParticipantContext, message: ClientMessage, mayAnswer: boolean): Promise<void> {
  const { server, session, person } = context;
  const { renderer, conversationId, speakerUri } = session;
  const { clock } = server;
  await conclude(context);
  const apart = afterEarlier(session);
  const known = utteranceId(speakerUri, conversationId, message);
  const id = known ?? server.ids.newId();
  if (known !== undefined && (await isSaid(context, known))) return sayAgain(context, message.id, known);
  const words = mayAnswer ? replyTextIn(context, message) : undefined;
  if (words !== undefined) return answer(context, { words, messageId: message.id, id });
  // What cannot be said stops nobody.
  let saying =
    session.arrival === undefined ? outgoingUtterance(message, await floorOf(context), speakerUri) : undefined;
  session.isSaying = true;
  try {
    const stopped = renderer.isOpen() ? [...renderer.turns()] : [];
    session.parentId = message.id;
    session.lastWordMs = clock.now();
    session.begunBy = undefined;
    session.begunAfter = renderer.seq();
    session.tell([...apart, ...renderer.begin(clock.now())]);
    // Output about the stop belongs to the message that stops.
    if (stopped.length > 0) await stopTurns(context, stopped);
    await arrive(context);
    saying ??= outgoingUtterance(message, await floorOf(context), speakerUri);
    session.begunBy = await send(server, person, { conversationId, saying, id });
    renderer.joined(session.begunBy);
  } catch (error) {
    // The agent that asked says why; the turn ends with that.
    session.tell(renderer.complete().filter(({ kind }) => kind !== "complete"));
    throw error;
  } finally {
    session.isSaying = false;
    session.tell([]);
  }
  follow(server, session);
}

/** The last turn ended while the client was in another chat: the client gets its end first, and nothing has to be stopped. */
async function conclude(context: ParticipantContext): Promise<void> {
  const { session } = context;
  const { renderer } = session;
  if (!session.isCatchingUp || !renderer.isOpen() || renderer.isAsking()) return;
  const floor = await floorOf(context);
  if (renderer.turns().some((turn) => !isIdle(floor, turn))) return;
  await untilSent(context, floor);
  if (renderer.isOpen()) session.tell(renderer.complete().filter(({ kind }) => kind !== "complete"));
}

/** What comes now stands apart from the rest of what was asked before. */
function afterEarlier(session: NemoSession): NemoOutput[] {
  const { tail } = session;
  [session.isCatchingUp, session.tail] = [false, ""];
  if (tail === "" || tail === "\n\n") return [];
  return [{ kind: "delta", text: tail.endsWith("\n") ? "\n" : "\n\n" }];
}

/** The words, if they answer the question that is shown. */
function replyTextIn(
  { server, session }: ParticipantContext,
  { parts, to, isPrivate }: ClientMessage,
): string | undefined {
  const words = textOfParts(parts);
  const isForAsker = to === undefined && !isPrivate && parts.every(({ type }) => type === "text");
  const { renderer } = session;
  return isForAsker && renderer.isOpen() && renderer.isAnswer([words], server.clock.now()) ? words : undefined;
}

/** A message that is an answer: what comes of it belongs to the message. */
async function answer(
  context: ParticipantContext,
  given: { words: string; messageId: string; id: string },
): Promise<void> {
  const { session } = context;
  session.parentId = given.messageId;
  session.tell((await reply(context, [given.words], given.id))?.output ?? []);
  session.begunBy = session.renderer.turns().at(-1);
}

async function isSaid({ server, session }: ParticipantContext, dialogEventId: string): Promise<boolean> {
  const { conversationId, speakerUri } = session;
  const [hashes = []] = await server.store.seen(conversationId, [{ sender: speakerUri, dialogEventId }]);
  return hashes.length > 0;
}

/** A message that comes a second time is answered by what became of the first. */
async function sayAgain(context: ParticipantContext, messageId: string, dialogEventId: string): Promise<void> {
  const { server, session, sink } = context;
  const { renderer, speakerUri } = session;
  // It is being answered: the rest goes to the client that listens now.
  if (renderer.isOpen() && session.parentId === messageId) return;
  const floor = await floorOf(context);
  const first = await findUtterance(server.store, floor, { speakerUri, dialogEventId });
  const output = await replayTurn(server, { floor, speakerUri, first });
  if (renderer.isOpen() && sink.isForOne !== true) {
    session.tell(output.filter(({ kind }) => kind !== "complete" && kind !== "trace"));
    return;
  }
  if (!renderer.isOpen()) session.parentId = messageId;
  sink.tell(output, messageId);
}

/** A second message takes the place of what is still being worked on for this person; what others wait for goes on. */
async function stopTurns({ server, session, person }: ParticipantContext, turns: readonly string[]): Promise<void> {
  const { conversationId } = session;
  const floor = await server.store.load(conversationId);
  const by = floor !== undefined && ownerOf(floor) === person.speakerUri ? "owner" : "person";
  const command = { verb: "pause", turns } as const;
  await server.receiver.command(conversationId, command, { by: { by, speakerUri: person.speakerUri } });
}

/** Agents that were just invited hear the first message, and what they say on joining is part of the turn. */
async function arrive({ server, session, sink }: ParticipantContext): Promise<void> {
  const { arrival: turn, renderer, conversationId } = session;
  if (turn === undefined) return;
  session.arrival = undefined;
  renderer.joined(turn);
  await untilIdle(server, { conversationId, turn, ms: arrivalMs });
  await untilSent({ server, session }, await server.store.load(conversationId));
  sink.arrived?.();
}

/** Waits until the client got all entries of this floor, at most one second. */
async function untilSent(
  { server, session }: Pick<ParticipantContext, "server" | "session">,
  floor: Floor | undefined,
) {
  const { clock } = server;
  const { renderer } = session;
  const untilMs = clock.now() + sentMs;
  const isUnsent = () => renderer.seq() < (floor?.seq ?? 0) || renderer.isHolding();
  while (isUnsent() && session.isHeard() && clock.now() < untilMs) await session.changed(sentMs);
}

/** Resolves with what is wrong when it is not an answer. */
async function reply(
  context: ParticipantContext,
  texts: readonly string[],
  dialogEventId?: string,
): Promise<MissingPart | undefined> {
  const { server, session, person } = context;
  const { renderer, conversationId } = session;
  const { clock } = server;
  const answer = renderer.reply(texts, clock.now());
  if (answer.kind === "lack") return answer;
  const { id, to, isPrivate, values, words: text } = answer;
  const saying = { text, to, isPrivate, features: { interactionReply: replyFeature(id, values) } };
  session.isSaying = true;
  try {
    const turn = await send(server, person, { conversationId, saying, id: dialogEventId ?? server.ids.newId() });
    session.lastWordMs = clock.now();
    renderer.joined(turn);
    session.tell(renderer.replied(clock.now()));
  } finally {
    session.isSaying = false;
    session.tell([]);
  }
  follow(server, session);
  return undefined;
}

async function floorOf({ server, session }: ParticipantContext): Promise<Floor> {
  const floor = await server.store.load(session.conversationId);
  if (floor === undefined) throw notYours();
  return floor;
}

type UtteranceWords = { conversationId: string; saying: OutgoingUtterance; id: string };

/** The turn that it became. The log reports refused utterances; an envelope refused as a whole throws. */
async function send(
  server: ServerContext,
  { principal, speakerUri }: NemoPerson,
  words: UtteranceWords,
): Promise<string> {
  const { conversationId, saying, id } = words;
  assertOpen(server);
  const event = utteranceOf(saying, { speakerUri, id, startTime: timeOf(server.clock) });
  const text = envelopeText(conversationId, speakerUri, [event]);
  const { entries } = await server.receiver.envelope(text, { principal });
  const received = entries.find(({ kind }) => kind === "received");
  if (received === undefined) throw new Problem("unavailable", { detail: "the same was said a moment ago" });
  return received.turn;
}

const followed = new WeakSet<NemoSession>();

/** Until the open turn is over, or nobody listens. */
export function follow(server: ServerContext, session: NemoSession): void {
  if (followed.has(session)) return;
  followed.add(session);
  watchTurn(server, session).then(
    () => {
      followed.delete(session);
      // The next one may have begun in between.
      if (session.isHeard() && session.renderer.isOpen()) follow(server, session);
    },
    (error: unknown) => {
      followed.delete(session);
      server.onError(error);
    },
  );
}
