import type { NemoOutput } from "../output.ts";
import { createSafeText, type SafeText } from "./markdown.ts";
import type { RendererParticipants } from "./participants.ts";

/** Somebody who says something, from the first word that is known to the last. */
export type BubbleSpeaker = {
  id: string;
  /** None: a line of the narrator. */
  speakerUri: string | undefined;
  relayedFrom?: string;
  /** Of the utterance in the log. */
  seq?: number;
  isPrivate: boolean;
  text: string;
  /** How many characters of the text were sent, in this turn or before. */
  output: number;
  /** The others. Kept beside the text, which is long and would be copied with each piece that comes. */
  rest: string;
  /** What goes with the words, in Markdown of ours. */
  beside: string;
  state: "live" | "final" | "dropped";
  safe: SafeText;
  /** In this turn. */
  isShown: boolean;
  /** Of a stopped turn: nothing of it is sent before it is final. */
  isCut: boolean;
  /** It has more words than are kept of a draft; the finished utterance brings them. */
  isFull: boolean;
  /** The text that was sent differs: the whole text follows in a new paragraph. */
  isAfresh: boolean;
  /** What the finished utterance says of itself that its beginning did not. */
  afterthought: string;
  /** Its words say that something failed. */
  isTrouble: boolean;
};

export function createVoice(
  about: Pick<BubbleSpeaker, "id" | "speakerUri" | "isPrivate">,
  people: RendererParticipants,
): BubbleSpeaker {
  // Written out, so that all voices are of one shape: each piece of a draft reads several of these.
  return {
    id: about.id,
    speakerUri: about.speakerUri,
    isPrivate: about.isPrivate,
    text: "",
    output: 0,
    rest: "",
    beside: "",
    state: "live",
    safe: safeText(about, people),
    isShown: false,
    isCut: false,
    isFull: false,
    isAfresh: false,
    afterthought: "",
    isTrouble: false,
  };
}

function safeText({ speakerUri = "" }: Pick<BubbleSpeaker, "speakerUri">, people: RendererParticipants): SafeText {
  return createSafeText((name) => people.isNameOfOther(name, speakerUri));
}

/** The one text that a client shows for a turn, and how voices are written into it. Each method returns what it adds. */
export class Bubble {
  readonly #people: RendererParticipants;
  #tail = "";
  /** Who has said something since the person did. */
  readonly #spoken = new Set<BubbleSpeaker>();

  constructor(people: RendererParticipants) {
    this.#people = people;
  }

  /** A new one. */
  turnPage(): void {
    this.#tail = "";
    this.#spoken.clear();
  }

  /** Nothing is in it. */
  isEmpty(): boolean {
    return this.#tail === "";
  }

  /** What was said before is no answer to what comes now. */
  asked(): void {
    this.#spoken.clear();
  }

  hasSpoken(): boolean {
    return [...this.#spoken].some(({ isTrouble }) => !isTrouble);
  }

  paragraph(text: string): string {
    return this.#gap() + this.#write(text);
  }

  /** All text of this speaker that is known and not sent. */
  goOn(voice: BubbleSpeaker): string {
    if (voice.speakerUri === undefined) return this.paragraph(voice.text);
    let output = this.#words(voice);
    if (voice.state !== "live") output += this.#end(voice);
    if (output !== "") this.#spoken.add(voice);
    return output;
  }

  /** It goes on in another place. */
  interrupt(voice: BubbleSpeaker, mark: string): string {
    voice.isShown = false;
    return this.#write(voice.safe.end()) + this.#mark(mark) + this.#gap();
  }

  #words(voice: BubbleSpeaker): string {
    let output = voice.isAfresh ? this.#startAfresh(voice) : "";
    const { rest } = voice;
    if (rest === "") return output;
    if (!voice.isShown) output += this.#begin(voice, rest);
    voice.output = voice.text.length;
    voice.rest = "";
    return output + this.#write(voice.safe.push(rest));
  }

  #begin(voice: BubbleSpeaker, rest: string): string {
    voice.isShown = true;
    const again = voice.output > 0 ? voice.safe.again() : "";
    return this.#gap() + this.#write(this.#headOf(voice, again + rest)) + this.#write(again);
  }

  #startAfresh(voice: BubbleSpeaker): string {
    const output = voice.isShown ? this.#write(voice.safe.end()) + this.#gap() : "";
    Object.assign(voice, { isAfresh: false, safe: safeText(voice, this.#people), output: 0, rest: voice.text });
    return output;
  }

  #end(voice: BubbleSpeaker): string {
    let output = "";
    if (voice.isShown) {
      output += this.#write(voice.safe.end());
      if (voice.state === "dropped") output += this.#mark("*(stopped)*");
      if (voice.afterthought !== "") output += this.#mark(voice.afterthought);
    }
    if (voice.beside !== "") {
      output += voice.isShown ? this.#gap() : this.#begin(voice, "");
      output += this.#write(voice.beside);
    }
    return output + (voice.isShown && this.#isNamed(voice) ? this.#gap() : "");
  }

  #headOf(voice: BubbleSpeaker, rest: string): string {
    const { speakerUri: sender = "", relayedFrom, isPrivate } = voice;
    const line = { sender, ...(relayedFrom !== undefined && { relayedFrom }) };
    const name = this.#isNamed(voice) ? `**${this.#people.speakerWords(line)}:** ` : "";
    const head = `${name}${isPrivate ? "*(private)* " : ""}`;
    return head !== "" && blockStart.test(rest) ? `${head.trimEnd()}\n\n` : head;
  }

  #isNamed({ speakerUri, relayedFrom }: BubbleSpeaker): boolean {
    return relayedFrom !== undefined || this.#people.needsName(speakerUri ?? "");
  }

  #mark(mark: string): string {
    return this.#write(this.#tail.endsWith("\n") ? mark : ` ${mark}`);
  }

  /** What is lacking to an empty line. */
  #gap(): string {
    if (this.#tail === "" || this.#tail === "\n\n") return "";
    return this.#write(this.#tail.endsWith("\n") ? "\n" : "\n\n");
  }

  #write(text: string): string {
    this.#tail = text.length > 1 ? text.slice(-2) : (this.#tail + text).slice(-2);
    return text;
  }
}

/** What begins a list, a listing, a heading or the like means that only at the start of a line. */
const blockStart = /^\s*(?:[`~#>|+-]|\*\s|\d{1,9}[.)]\s)/u;

/** One delta, in UTF-8. */
const deltaBytesMax = 16 * 1024;

/** A text in pieces that a client takes, cut between characters. */
export function deltas(text: string): NemoOutput[] {
  if (text === "") return [];
  // No character takes more than three bytes for each unit of its length.
  if (text.length * 3 <= deltaBytesMax) return [{ kind: "delta", text }];
  return [...pieces(text)].map((piece): NemoOutput => ({ kind: "delta", text: piece }));
}

function* pieces(text: string): Generator<string> {
  let [start, end, bytes] = [0, 0, 0];
  for (const character of text) {
    const size = bytesOf(character.codePointAt(0) ?? 0);
    if (bytes + size > deltaBytesMax) {
      yield text.slice(start, end);
      [start, bytes] = [end, 0];
    }
    bytes += size;
    end += character.length;
  }
  yield text.slice(start);
}

function bytesOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
