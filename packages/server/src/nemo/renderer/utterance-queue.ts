import type { Draft } from "../../delivery/drafts.ts";
import { Bubble, type BubbleUtterance, createBubbleUtterance } from "./bubble.ts";
import type { RendererParticipants } from "./participants.ts";

/** An utterance of the log, with its text and attachments. */
type FinishedUtterance = {
  id: string;
  seq: number;
  sender: string;
  relayedFrom: string | undefined;
  isPrivate: boolean;
  words: string;
  /** A paragraph for each attachment; Markdown of the floor. */
  attachments: string;
  /** The agent reports a failure with it. */
  isFailure: boolean;
};

/** Limits of the finished utterances that wait, outside and within a turn. */
const lateMax = 200;
const lateCharsMax = 256 * 1024;
/** Drafts at the same time; beyond it, only the finished utterance is sent. */
const draftsMax = 32;
const draftCharsMax = 256 * 1024;
/** Finished utterances that are remembered, because pieces of their drafts may arrive later. */
const doneMax = 256;

/** Utterances to send, one speaker after the other. The rest of one turn is sent in the next. */
export class UtteranceQueue {
  readonly #participants: RendererParticipants;
  readonly #bubble: Bubble;
  #utterances: BubbleUtterance[] = [];
  #isOpen = false;
  #omitted = 0;
  /** Finished and dropped utterances: later pieces of their drafts are ignored. */
  readonly #done = new Set<string>();

  constructor(participants: RendererParticipants) {
    this.#participants = participants;
    this.#bubble = new Bubble(participants);
  }

  add({ id, seq, sender, relayedFrom, isPrivate, words, attachments, isFailure }: FinishedUtterance): void {
    this.#markDone(sender, id);
    const begun = this.#openDraft(sender, id);
    const utterance = begun ?? createBubbleUtterance({ id, speakerUri: sender, isPrivate }, this.#participants);
    if (isPrivate && !utterance.isPrivate && utterance.sentChars > 0) utterance.lateMark = "*(private)*";
    Object.assign(utterance, { seq, relayedFrom, isPrivate, attachments, isFailure, state: "final" });
    finalText(utterance, words);
    if (begun === undefined) this.#utterances.push(utterance);
    this.#dropOldest();
  }

  draft(draft: Draft): void {
    const { speakerUri, dialogEventId: id, delta = "", offset, end } = draft;
    const utterance = this.#openDraft(speakerUri, id) ?? this.#beginDraft(draft);
    if (utterance === undefined) return;
    // After a missing piece, the rest comes with the finished utterance.
    const isGap = delta !== "" && offset !== utterance.text.length;
    if (isGap || utterance.text.length + delta.length > draftCharsMax) utterance.isFull = true;
    if (!utterance.isFull) {
      utterance.text += delta;
      utterance.unsent += delta;
    }
    // After `final`, the utterance itself has the rest of the text.
    if (end === "dropped") this.#drop(utterance, speakerUri);
  }

  /** Adds a paragraph of the floor, in Markdown, to the queue. */
  addNotice(text: string): void {
    const utterance = createBubbleUtterance({ id: "", speakerUri: undefined, isPrivate: false }, this.#participants);
    this.#utterances.push(Object.assign(utterance, { text, state: "final" }));
    this.#dropOldest();
  }

  /** Drops an erased utterance that was not shown yet. */
  erase(seq: number): void {
    this.#utterances = this.#utterances.filter((one) => one.seq !== seq || one.isShown);
  }

  /** Whether a part of that utterance was sent. */
  isPartlySent(sender: string, id: string): boolean {
    return (this.#openDraft(sender, id)?.sentChars ?? 0) > 0;
  }

  /** The utterance has no text to show. */
  forget(sender: string, id: string): void {
    this.#markDone(sender, id);
    const begun = this.#openDraft(sender, id);
    if (begun !== undefined) this.#remove(begun);
  }

  /** Finished utterances come first. */
  begin(isBargeIn: boolean): void {
    this.#isOpen = true;
    this.#bubble.startTurn();
    for (const utterance of this.#utterances) utterance.isShown = false;
    // A stopped utterance does not continue in the next answer. If it is finished later, the rest is sent then.
    if (isBargeIn) for (const utterance of this.#live()) utterance.isStopped = true;
    this.#utterances = [...this.#finished(), ...this.#live()];
  }

  /** The text that may be sent now. */
  takeText(nowMs: number): string {
    if (!this.#isOpen) return "";
    const alone = this.#onlySpeaker();
    if (alone !== undefined) return this.#bubble.append(alone);
    let output = this.#omittedNotice();
    for (;;) {
      const utterance = this.#nextSpeaker(nowMs);
      if (utterance === undefined) return output;
      output += this.#bubble.append(utterance);
      if (utterance.state !== "live") this.#remove(utterance);
      else if (!this.#isTooMuch()) return output;
      else {
        output += this.#bubble.interrupt(utterance, "*(goes on below)*");
        this.#remove(utterance);
        this.#utterances.push(utterance);
      }
    }
  }

  /** The usual case: one utterance is shown and no other waits. It saves the search for the next speaker. */
  #onlySpeaker(): BubbleUtterance | undefined {
    const [only, other] = this.#utterances;
    if (only === undefined || other !== undefined || this.#omitted > 0) return undefined;
    return only.isShown && only.state === "live" && !only.isStopped ? only : undefined;
  }

  /** All remaining text, because the turn ends. */
  flush(): string {
    let output = this.takeText(Number.POSITIVE_INFINITY);
    for (const utterance of this.#utterances.filter(({ isStopped }) => !isStopped)) {
      output += this.#bubble.append(utterance);
      if (utterance.state !== "live") this.#remove(utterance);
      else if (utterance.isShown) output += this.#bubble.interrupt(utterance, stillSpeaking);
    }
    this.#isOpen = false;
    return output;
  }

  /** The text for a turn that ended without other output. */
  fill(words: string): string {
    return this.#bubble.isEmpty() ? this.#bubble.paragraph(words) : "";
  }

  /** When the wait for the name of a new agent ends. */
  nextAtMs(): number | undefined {
    if (!this.#isOpen || this.#onlySpeaker() !== undefined) return undefined;
    const times = this.#utterances.flatMap((utterance) => this.#heldUntilMs(utterance) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Utterances before the person's message, such as greetings, do not answer it. */
  personSpoke(): void {
    this.#bubble.personSpoke();
  }

  /** Whether an utterance other than a failure came since then. */
  hasAnswer(): boolean {
    return this.#bubble.hasAnswer();
  }

  /** The current utterance until it ends; then the first that may be sent. */
  #nextSpeaker(nowMs: number): BubbleUtterance | undefined {
    const maySend = (one: BubbleUtterance) =>
      (!one.isStopped || one.state !== "live") && ((this.#heldUntilMs(one) ?? 0) <= nowMs || this.#isTooMuch());
    const utterance = this.#utterances.find(maySend);
    // Moved to the front, so that an earlier utterance whose name arrives later does not interrupt it.
    if (utterance !== undefined && utterance !== this.#utterances[0]) {
      this.#remove(utterance);
      this.#utterances.unshift(utterance);
    }
    return utterance;
  }

  #heldUntilMs({ speakerUri, sentChars, isShown, isStopped }: BubbleUtterance): number | undefined {
    return speakerUri === undefined || sentChars > 0 || isShown || isStopped
      ? undefined
      : this.#participants.nameDueMs(speakerUri);
  }

  /** A draft without its beginning waits for its utterance, or its text would be sent twice. */
  #beginDraft({ speakerUri, dialogEventId: id, to, delta = "", offset }: Draft): BubbleUtterance | undefined {
    if (delta === "" || offset !== 0) return undefined;
    if (this.#done.has(keyOf(speakerUri, id)) || this.#participants.isMe(speakerUri)) return undefined;
    if (to?.private === true && to.speakerUri !== undefined && !this.#participants.isMe(to.speakerUri))
      return undefined;
    if (this.#live().length >= draftsMax) return undefined;
    const utterance = createBubbleUtterance({ id, speakerUri, isPrivate: to?.private === true }, this.#participants);
    this.#utterances.push(utterance);
    return utterance;
  }

  #drop(utterance: BubbleUtterance, speakerUri: string): void {
    this.#markDone(speakerUri, utterance.id);
    utterance.state = "dropped";
    if (utterance.isShown && this.#isOpen) return;
    this.#remove(utterance);
    // The client expects the rest.
    if (utterance.sentChars > 0 && !utterance.isStopped)
      this.addNotice(`*(${this.#participants.nameFor(speakerUri)} stopped)*`);
  }

  /** Outside a turn, the oldest are dropped. Within a turn, the current speaker is interrupted instead. */
  #dropOldest(): void {
    while (!this.#isOpen && this.#isTooMuch()) {
      const [oldest] = this.#finished();
      if (oldest === undefined) return;
      this.#remove(oldest);
      this.#omitted += 1;
    }
  }

  #isTooMuch(): boolean {
    const late = this.#finished();
    return (
      late.length > lateMax ||
      late.reduce((sum, { text, sentChars }) => sum + text.length - sentChars, 0) > lateCharsMax
    );
  }

  #omittedNotice(): string {
    const count = this.#omitted;
    this.#omitted = 0;
    if (count === 0) return "";
    const what = count === 1 ? "1 earlier utterance was" : `${count} earlier utterances were`;
    return this.#bubble.paragraph(`*(${what} left out: too much was said since your last message)*`);
  }

  #finished(): BubbleUtterance[] {
    return this.#utterances.filter(({ state }) => state === "final");
  }

  #live(): BubbleUtterance[] {
    return this.#utterances.filter(({ state }) => state === "live");
  }

  #openDraft(speakerUri: string, id: string): BubbleUtterance | undefined {
    const isMeant = (one: BubbleUtterance) =>
      one.id === id && this.#participants.isSame(one.speakerUri ?? "", speakerUri);
    return this.#utterances.find((one) => one.state === "live" && isMeant(one));
  }

  #remove(utterance: BubbleUtterance): void {
    this.#utterances = this.#utterances.filter((one) => one !== utterance);
  }

  #markDone(speakerUri: string, id: string): void {
    this.#done.add(keyOf(speakerUri, id));
    const [oldest] = this.#done;
    if (this.#done.size > doneMax && oldest !== undefined) this.#done.delete(oldest);
  }
}

const stillSpeaking = "*(still speaking; the rest comes with your next message)*";

function keyOf(speakerUri: string, id: string): string {
  return `${speakerUri.length} ${speakerUri}${id}`;
}

/** Keeps the sent part if the final text begins with it; otherwise the whole text is sent again. */
function finalText(utterance: BubbleUtterance, final: string): void {
  const sent = utterance.text.slice(0, utterance.sentChars);
  if (final.startsWith(sent)) utterance.text = final;
  else if (final.trimEnd() === sent.trimEnd()) utterance.text = sent;
  else Object.assign(utterance, { text: final, isRestarted: true });
  utterance.unsent = utterance.text.slice(utterance.sentChars);
}
