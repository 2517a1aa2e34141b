import { type Floor, isIdle, ownerOf } from "@plenary/floor";
import { textOfParts } from "@plenary/nemo";
import { replyFeature } from "@plenary/protocol";
import type { Running } from "../context.ts";
import { untilIdle } from "../conversation/wait-for-idle.ts";
import { assertOpen, Problem } from "../errors.ts";
import { timeOf } from "../ports/clock.ts";
import { findUtterance } from "./log-search.ts";
import type { Reply, Told } from "./output.ts";
import type { NemoPerson, NemoSeat, Outlet } from "./participant.ts";
import { retold } from "./replay-turn.ts";
import type { Sitting } from "./session.ts";
import { notYours } from "./start-conversation.ts";
import { watchTurn } from "./turn-completion.ts";
import { envelopeText, type Said, type Saying, sayingOf, utteranceId, utteranceOf } from "./utterance.ts";

/** How long the first words wait for those who were just invited. */
const arrivalMs = 10_000;
/** And until what they said on coming was told. */
const toldMs = 1_000;

type Lack = Extract<Reply, { kind: "lack" }>;
type Place = { running: Running; sitting: Sitting; person: NemoPerson; outlet: Outlet };

/** Where one client of a person speaks from. */
export function takeSeat({ running, sitting, person, outlet }: Place): NemoSeat {
  const place = { running, sitting, person, outlet };
  const { narrator } = sitting;
  return {
    say: (message, { mayAnswer } = { mayAnswer: false }) => inOrder(sitting, () => say(place, message, mayAnswer)),
    reply: (texts) => inOrder(sitting, async () => sitting.tell((await reply(place, texts))?.told ?? [])),
    answer: (texts) => inOrder(sitting, async () => (await reply(place, texts))?.error),
    trouble(error, messageId) {
      if (messageId !== undefined && !narrator.isOpen()) sitting.parentId = messageId;
      sitting.tell(narrator.trouble(error));
    },
    leave: (untold) => sitting.leave(outlet, untold),
  };
}

const lines = new WeakMap<Sitting, Promise<unknown>>();

/** Of what two clients of one person say at once, one is first. */
function inOrder<T>(sitting: Sitting, work: () => Promise<T>): Promise<T> {
  const next = (lines.get(sitting) ?? Promise.resolve()).then(work, work);
  lines.set(sitting, next);
  return next;
}

async function say(place: Place, message: Said, mayAnswer: boolean): Promise<void> {
  const { running, sitting, person } = place;
  const { narrator, conversationId, speakerUri } = sitting;
  const { clock } = running;
  await conclude(place);
  const apart = afterEarlier(sitting);
  const known = utteranceId(speakerUri, conversationId, message);
  const id = known ?? running.ids.newId();
  if (known !== undefined && (await isSaid(place, known))) return sayAgain(place, message.id, known);
  const words = mayAnswer ? answerIn(place, message) : undefined;
  if (words !== undefined) return answer(place, { words, messageId: message.id, id });
  // What cannot be said stops nobody.
  let saying = sitting.arrival === undefined ? sayingOf(message, await floorOf(place), speakerUri) : undefined;
  sitting.isSaying = true;
  try {
    const stopped = narrator.isOpen() ? [...narrator.turns()] : [];
    sitting.parentId = message.id;
    sitting.lastWordMs = clock.now();
    sitting.begunBy = undefined;
    sitting.begunAfter = narrator.seq();
    sitting.tell([...apart, ...narrator.begin(clock.now())]);
    // What is told of the stop belongs to the message that stops.
    if (stopped.length > 0) await stopTurns(place, stopped);
    await arrive(place);
    saying ??= sayingOf(message, await floorOf(place), speakerUri);
    sitting.begunBy = await send(running, person, { conversationId, saying, id });
    narrator.joined(sitting.begunBy);
  } catch (error) {
    // Whoever asked says why; the turn ends with that.
    sitting.tell(narrator.complete().filter(({ kind }) => kind !== "complete"));
    throw error;
  } finally {
    sitting.isSaying = false;
    sitting.tell([]);
  }
  follow(running, sitting);
}

/** The last turn ended while the client was in another chat: the client gets its end first, and nothing has to be stopped. */
async function conclude(place: Place): Promise<void> {
  const { sitting } = place;
  const { narrator } = sitting;
  if (!sitting.isCatchingUp || !narrator.isOpen() || narrator.isAsking()) return;
  const floor = await floorOf(place);
  if (narrator.turns().some((turn) => !isIdle(floor, turn))) return;
  await untilTold(place, floor);
  if (narrator.isOpen()) sitting.tell(narrator.complete().filter(({ kind }) => kind !== "complete"));
}

/** What comes now stands apart from the rest of what was asked before. */
function afterEarlier(sitting: Sitting): Told[] {
  const { tail } = sitting;
  [sitting.isCatchingUp, sitting.tail] = [false, ""];
  if (tail === "" || tail === "\n\n") return [];
  return [{ kind: "delta", text: tail.endsWith("\n") ? "\n" : "\n\n" }];
}

/** The words, if they answer the question that is shown. */
function answerIn({ running, sitting }: Place, { parts, to, isPrivate }: Said): string | undefined {
  const words = textOfParts(parts);
  const isForAsker = to === undefined && !isPrivate && parts.every(({ type }) => type === "text");
  const { narrator } = sitting;
  return isForAsker && narrator.isOpen() && narrator.isAnswer([words], running.clock.now()) ? words : undefined;
}

/** A message that is an answer: what comes of it belongs to the message. */
async function answer(place: Place, given: { words: string; messageId: string; id: string }): Promise<void> {
  const { sitting } = place;
  sitting.parentId = given.messageId;
  sitting.tell((await reply(place, [given.words], given.id))?.told ?? []);
  sitting.begunBy = sitting.narrator.turns().at(-1);
}

async function isSaid({ running, sitting }: Place, dialogEventId: string): Promise<boolean> {
  const { conversationId, speakerUri } = sitting;
  const [hashes = []] = await running.store.seen(conversationId, [{ sender: speakerUri, dialogEventId }]);
  return hashes.length > 0;
}

/** A message that comes a second time is answered by what became of the first. */
async function sayAgain(place: Place, messageId: string, dialogEventId: string): Promise<void> {
  const { running, sitting, outlet } = place;
  const { narrator, speakerUri } = sitting;
  // It is being answered: the rest comes to whoever listens now.
  if (narrator.isOpen() && sitting.parentId === messageId) return;
  const floor = await floorOf(place);
  const first = await findUtterance(running.store, floor, { speakerUri, dialogEventId });
  const told = await retold(running, { floor, speakerUri, first });
  if (narrator.isOpen() && outlet.isForOne !== true) {
    sitting.tell(told.filter(({ kind }) => kind !== "complete" && kind !== "trace"));
    return;
  }
  if (!narrator.isOpen()) sitting.parentId = messageId;
  outlet.tell(told, messageId);
}

/** A second message takes the place of what is still being worked on for this person; what others wait for goes on. */
async function stopTurns({ running, sitting, person }: Place, turns: readonly string[]): Promise<void> {
  const { conversationId } = sitting;
  const floor = await running.store.load(conversationId);
  const by = floor !== undefined && ownerOf(floor) === person.speakerUri ? "owner" : "person";
  const command = { verb: "pause", turns } as const;
  await running.receiver.command(conversationId, command, { by: { by, speakerUri: person.speakerUri } });
}

/** Whoever was just invited is there for the first words, and what it says on coming is part of the turn. */
async function arrive({ running, sitting, outlet }: Place): Promise<void> {
  const { arrival: turn, narrator, conversationId } = sitting;
  if (turn === undefined) return;
  sitting.arrival = undefined;
  narrator.joined(turn);
  await untilIdle(running, { conversationId, turn, ms: arrivalMs });
  await untilTold({ running, sitting }, await running.store.load(conversationId));
  outlet.arrived?.();
}

/** Waits until the client got all entries of this floor, at most one second. */
async function untilTold({ running, sitting }: Pick<Place, "running" | "sitting">, floor: Floor | undefined) {
  const { clock } = running;
  const { narrator } = sitting;
  const untilMs = clock.now() + toldMs;
  const isUntold = () => narrator.seq() < (floor?.seq ?? 0) || narrator.isHolding();
  while (isUntold() && sitting.isHeard() && clock.now() < untilMs) await sitting.changed(toldMs);
}

/** Resolves with what is wrong when it is not an answer. */
async function reply(place: Place, texts: readonly string[], dialogEventId?: string): Promise<Lack | undefined> {
  const { running, sitting, person } = place;
  const { narrator, conversationId } = sitting;
  const { clock } = running;
  const answer = narrator.reply(texts, clock.now());
  if (answer.kind === "lack") return answer;
  const { id, to, isPrivate, values, words: text } = answer;
  const saying = { text, to, isPrivate, features: { interactionReply: replyFeature(id, values) } };
  sitting.isSaying = true;
  try {
    const turn = await send(running, person, { conversationId, saying, id: dialogEventId ?? running.ids.newId() });
    sitting.lastWordMs = clock.now();
    narrator.joined(turn);
    sitting.tell(narrator.replied(clock.now()));
  } finally {
    sitting.isSaying = false;
    sitting.tell([]);
  }
  follow(running, sitting);
  return undefined;
}

async function floorOf({ running, sitting }: Place): Promise<Floor> {
  const floor = await running.store.load(sitting.conversationId);
  if (floor === undefined) throw notYours();
  return floor;
}

type Words = { conversationId: string; saying: Saying; id: string };

/** The turn that it became. That its words were refused is told by the log; what is refused as a whole is thrown. */
async function send(running: Running, { principal, speakerUri }: NemoPerson, words: Words): Promise<string> {
  const { conversationId, saying, id } = words;
  assertOpen(running);
  const event = utteranceOf(saying, { speakerUri, id, startTime: timeOf(running.clock) });
  const text = envelopeText(conversationId, speakerUri, [event]);
  const { entries } = await running.receiver.envelope(text, { principal });
  const received = entries.find(({ kind }) => kind === "received");
  if (received === undefined) throw new Problem("unavailable", { detail: "the same was said a moment ago" });
  return received.turn;
}

const followed = new WeakSet<Sitting>();

/** Until the open turn is over, or nobody listens. */
export function follow(running: Running, sitting: Sitting): void {
  if (followed.has(sitting)) return;
  followed.add(sitting);
  watchTurn(running, sitting).then(
    () => {
      followed.delete(sitting);
      // The next one may have begun in between.
      if (sitting.isHeard() && sitting.narrator.isOpen()) follow(running, sitting);
    },
    (error: unknown) => {
      followed.delete(sitting);
      running.onError(error);
    },
  );
}
