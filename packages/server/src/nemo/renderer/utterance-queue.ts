import type { Draft } from "../../delivery/drafts.ts";
import { Bubble, type BubbleSpeaker, createVoice } from "./bubble.ts";
import type { RendererParticipants } from "./participants.ts";

/** An utterance as far as it was sent: its text and its attachments. */
export type SpeakerOutput = {
  id: string;
  seq: number;
  sender: string;
  relayedFrom?: string;
  isPrivate: boolean;
  words: string;
  /** Pictures and the like, a line for each; Markdown of ours. */
  beside: string;
  /** It says that something failed. */
  isTrouble: boolean;
};

/** Kept from before the turn, and waiting within one. */
const lateMax = 200;
const lateCharsMax = 256 * 1024;
/** Drafts shown at the same time; of more, only the finished utterance is sent. */
const draftsMax = 32;
const draftCharsMax = 256 * 1024;
/** Utterances whose drafts may come after them. */
const doneMax = 256;

/** All utterances to send, one speaker after the other. What is not sent in one turn is sent in the next. */
export class SpeakerOutputs {
  readonly #people: RendererParticipants;
  readonly #bubble: Bubble;
  #voices: BubbleSpeaker[] = [];
  #isOpen = false;
  #leftOut = 0;
  /** Utterances that are over: their drafts have nothing to say. */
  readonly #done = new Set<string>();

  constructor(people: RendererParticipants) {
    this.#people = people;
    this.#bubble = new Bubble(people);
  }

  utterance({ id, seq, sender, relayedFrom, isPrivate, words, beside, isTrouble }: SpeakerOutput): void {
    this.#finish(sender, id);
    const begun = this.#drafted(sender, id);
    const voice = begun ?? createVoice({ id, speakerUri: sender, isPrivate }, this.#people);
    if (isPrivate && !voice.isPrivate && voice.output > 0) voice.afterthought = "*(private)*";
    Object.assign(
      voice,
      { seq, isPrivate, beside, isTrouble, state: "final" },
      relayedFrom !== undefined && { relayedFrom },
    );
    finalText(voice, words);
    if (begun === undefined) this.#voices.push(voice);
    this.#makeRoom();
  }

  draft(draft: Draft): void {
    const { speakerUri, dialogEventId: id, delta = "", offset, end } = draft;
    const voice = this.#drafted(speakerUri, id) ?? this.#beginDraft(draft);
    if (voice === undefined) return;
    // Words that are missing in between come with the finished utterance, and so does all that follows them.
    const isGap = delta !== "" && offset !== voice.text.length;
    if (isGap || voice.text.length + delta.length > draftCharsMax) voice.isFull = true;
    if (!voice.isFull) {
      voice.text += delta;
      voice.rest += delta;
    }
    // After `final` the utterance itself comes, and has its last words.
    if (end === "dropped") this.#drop(voice, speakerUri);
  }

  /** A paragraph of the narrator itself, in Markdown; it waits for its place like everybody. */
  line(text: string): void {
    const voice = createVoice({ id: "", speakerUri: undefined, isPrivate: false }, this.#people);
    this.#voices.push(Object.assign(voice, { text, state: "final" }));
    this.#makeRoom();
  }

  /** Drops what was not sent yet. */
  erase(seq: number): void {
    this.#voices = this.#voices.filter((one) => one.seq !== seq || one.isShown);
  }

  /** Whether a part of that utterance was sent. */
  isBegun(sender: string, id: string): boolean {
    return (this.#drafted(sender, id)?.output ?? 0) > 0;
  }

  /** The utterance is shown in another way. */
  forget(sender: string, id: string): void {
    this.#finish(sender, id);
    const begun = this.#drafted(sender, id);
    if (begun !== undefined) this.#remove(begun);
  }

  /** First come those who have finished. */
  begin(isBargeIn: boolean): void {
    this.#isOpen = true;
    this.#bubble.turnPage();
    for (const voice of this.#voices) voice.isShown = false;
    // A stopped utterance does not run on into the next answer. If it is finished all the same, it is sent then.
    if (isBargeIn) for (const voice of this.#live()) voice.isCut = true;
    this.#voices = [...this.#waiting(), ...this.#live()];
  }

  /** The output that may be sent by now. */
  tell(nowMs: number): string {
    if (!this.#isOpen) return "";
    const alone = this.#alone();
    if (alone !== undefined) return this.#bubble.goOn(alone);
    let output = this.#leftOutWords();
    for (;;) {
      const voice = this.#next(nowMs);
      if (voice === undefined) return output;
      output += this.#bubble.goOn(voice);
      if (voice.state !== "live") this.#remove(voice);
      else if (!this.#isTooMuch()) return output;
      else {
        output += this.#bubble.interrupt(voice, "*(goes on below)*");
        this.#remove(voice);
        this.#voices.push(voice);
      }
    }
  }

  /** Mostly one speaks and nobody waits: then there is nothing to choose, word for word. */
  #alone(): BubbleSpeaker | undefined {
    const [only, other] = this.#voices;
    if (only === undefined || other !== undefined || this.#leftOut > 0) return undefined;
    return only.isShown && only.state === "live" && !only.isCut ? only : undefined;
  }

  /** Whatever is there, because the turn ends. */
  flush(): string {
    let output = this.tell(Number.POSITIVE_INFINITY);
    for (const voice of this.#voices.filter(({ isCut }) => !isCut)) {
      output += this.#bubble.goOn(voice);
      if (voice.state !== "live") this.#remove(voice);
      else if (voice.isShown) output += this.#bubble.interrupt(voice, stillSpeaking);
    }
    this.#isOpen = false;
    return output;
  }

  /** The text for a turn that ended without other output. */
  fill(words: string): string {
    return this.#bubble.isEmpty() ? this.#bubble.paragraph(words) : "";
  }

  /** When somebody who has just come is waited for no longer to tell its name. */
  nextAtMs(): number | undefined {
    if (!this.#isOpen || this.#alone() !== undefined) return undefined;
    const times = this.#voices.flatMap((voice) => this.#heldUntilMs(voice) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** The person says something: greetings before it are no answer. */
  asked(): void {
    this.#bubble.asked();
  }

  /** Whether somebody has said something since then, besides that it failed. */
  hasSpoken(): boolean {
    return this.#bubble.hasSpoken();
  }

  /** The current speaker until it is done; then the first that may speak. */
  #next(nowMs: number): BubbleSpeaker | undefined {
    const maySend = (one: BubbleSpeaker) =>
      (!one.isCut || one.state !== "live") && ((this.#heldUntilMs(one) ?? 0) <= nowMs || this.#isTooMuch());
    const voice = this.#voices.find(maySend);
    // It is not to be interrupted by one before it whose name is known a moment later.
    if (voice !== undefined && voice !== this.#voices[0]) {
      this.#remove(voice);
      this.#voices.unshift(voice);
    }
    return voice;
  }

  #heldUntilMs({ speakerUri, output, isShown, isCut }: BubbleSpeaker): number | undefined {
    return speakerUri === undefined || output > 0 || isShown || isCut ? undefined : this.#people.nameDueMs(speakerUri);
  }

  /** A draft whose beginning was missed waits for its utterance, or its text would be sent twice. */
  #beginDraft({ speakerUri, dialogEventId: id, to, delta = "", offset }: Draft): BubbleSpeaker | undefined {
    if (delta === "" || offset !== 0) return undefined;
    if (this.#done.has(keyOf(speakerUri, id)) || this.#people.isMe(speakerUri)) return undefined;
    if (to?.private === true && to.speakerUri !== undefined && !this.#people.isMe(to.speakerUri)) return undefined;
    if (this.#live().length >= draftsMax) return undefined;
    const voice = createVoice({ id, speakerUri, isPrivate: to?.private === true }, this.#people);
    this.#voices.push(voice);
    return voice;
  }

  #drop(voice: BubbleSpeaker, speakerUri: string): void {
    this.#finish(speakerUri, voice.id);
    voice.state = "dropped";
    if (voice.isShown && this.#isOpen) return;
    this.#remove(voice);
    // It was said that more would come.
    if (voice.output > 0 && !voice.isCut) this.line(`*(${this.#people.nameFor(speakerUri)} stopped)*`);
  }

  /** Within a turn nothing is left out: the current speaker is interrupted. */
  #makeRoom(): void {
    while (!this.#isOpen && this.#isTooMuch()) {
      const [oldest] = this.#waiting();
      if (oldest === undefined) return;
      this.#remove(oldest);
      this.#leftOut += 1;
    }
  }

  #isTooMuch(): boolean {
    const late = this.#waiting();
    return (
      late.length > lateMax || late.reduce((sum, { text, output }) => sum + text.length - output, 0) > lateCharsMax
    );
  }

  #leftOutWords(): string {
    const count = this.#leftOut;
    this.#leftOut = 0;
    if (count === 0) return "";
    const what = count === 1 ? "1 earlier utterance was" : `${count} earlier utterances were`;
    return this.#bubble.paragraph(`*(${what} left out: too much was said since your last message)*`);
  }

  #waiting(): BubbleSpeaker[] {
    return this.#voices.filter(({ state }) => state === "final");
  }

  #live(): BubbleSpeaker[] {
    return this.#voices.filter(({ state }) => state === "live");
  }

  #drafted(speakerUri: string, id: string): BubbleSpeaker | undefined {
    const isMeant = (one: BubbleSpeaker) => one.id === id && this.#people.isSame(one.speakerUri ?? "", speakerUri);
    return this.#voices.find((one) => one.state === "live" && isMeant(one));
  }

  #remove(voice: BubbleSpeaker): void {
    this.#voices = this.#voices.filter((one) => one !== voice);
  }

  #finish(speakerUri: string, id: string): void {
    this.#done.add(keyOf(speakerUri, id));
    const [oldest] = this.#done;
    if (this.#done.size > doneMax && oldest !== undefined) this.#done.delete(oldest);
  }
}

const stillSpeaking = "*(still speaking; the rest comes with your next message)*";

function keyOf(speakerUri: string, id: string): string {
  return `${speakerUri.length} ${speakerUri}${id}`;
}

/** The part that was not sent yet, or everything if the text that was sent differs. */
function finalText(voice: BubbleSpeaker, final: string): void {
  const output = voice.text.slice(0, voice.output);
  if (final.startsWith(output)) voice.text = final;
  else if (final.trimEnd() === output.trimEnd()) voice.text = output;
  else Object.assign(voice, { text: final, isAfresh: true });
  voice.rest = voice.text.slice(voice.output);
}
