import type { NemoOutput } from "../participant.ts";
import { SafeText } from "./markdown.ts";
import type { RendererParticipants } from "./participants.ts";

/** An utterance on its way to the client, from its first draft piece to its end. */
export type BubbleUtterance = {
  id: string;
  /** Undefined: a notice of the floor. */
  speakerUri: string | undefined;
  relayedFrom?: string | undefined;
  /** Number of the log entry. */
  seq?: number;
  isPrivate: boolean;
  text: string;
  /** Characters of the text that were sent, in this turn or before. */
  sentChars: number;
  /** The rest of the text. Kept apart: cutting it from the long text for each piece would copy the text. */
  unsent: string;
  /** The attachments, as Markdown of the floor. */
  attachments: string;
  state: "live" | "final" | "dropped";
  safe: SafeText;
  /** A part of it was sent in this turn. */
  isShown: boolean;
  /** Its turn was stopped: nothing of it is sent before it is final. */
  isStopped: boolean;
  /** Pieces of the draft are missing or too long; the finished utterance has them. */
  isFull: boolean;
  /** The final text differs from the sent part: the whole text follows in a new paragraph. */
  isRestarted: boolean;
  /** A mark for the end: only the finished utterance says that it is private. */
  lateMark: string;
  /** The agent reports a failure with it. */
  isFailure: boolean;
};

export function createBubbleUtterance(
  about: Pick<BubbleUtterance, "id" | "speakerUri" | "isPrivate">,
  participants: RendererParticipants,
): BubbleUtterance {
  // Written out, so that all of these objects have one hidden class: each piece of a draft reads several fields.
  return {
    id: about.id,
    speakerUri: about.speakerUri,
    isPrivate: about.isPrivate,
    text: "",
    sentChars: 0,
    unsent: "",
    attachments: "",
    state: "live",
    safe: safeText(about, participants),
    isShown: false,
    isStopped: false,
    isFull: false,
    isRestarted: false,
    lateMark: "",
    isFailure: false,
  };
}

function safeText(
  { speakerUri = "" }: Pick<BubbleUtterance, "speakerUri">,
  participants: RendererParticipants,
): SafeText {
  return new SafeText((name) => participants.isNameOfOther(name, speakerUri));
}

/** The text that a client shows for a turn. Each method returns the text that it adds. */
export class Bubble {
  readonly #participants: RendererParticipants;
  #tail = "";
  /** Utterances that were added since the person's last message. */
  readonly #appended = new Set<BubbleUtterance>();

  constructor(participants: RendererParticipants) {
    this.#participants = participants;
  }

  startTurn(): void {
    this.#tail = "";
    this.#appended.clear();
  }

  isEmpty(): boolean {
    return this.#tail === "";
  }

  /** Utterances before the person's message do not answer it. */
  personSpoke(): void {
    this.#appended.clear();
  }

  hasAnswer(): boolean {
    return [...this.#appended].some(({ isFailure }) => !isFailure);
  }

  paragraph(text: string): string {
    return this.#gap() + this.#write(text);
  }

  /** Adds the text of this utterance that is known and not sent. */
  append(utterance: BubbleUtterance): string {
    if (utterance.speakerUri === undefined) return this.paragraph(utterance.text);
    let output = this.#text(utterance);
    if (utterance.state !== "live") output += this.#end(utterance);
    if (output !== "") this.#appended.add(utterance);
    return output;
  }

  /** The utterance continues further down, or in the next turn. */
  interrupt(utterance: BubbleUtterance, mark: string): string {
    utterance.isShown = false;
    return this.#write(utterance.safe.end()) + this.#mark(mark) + this.#gap();
  }

  #text(utterance: BubbleUtterance): string {
    let output = utterance.isRestarted ? this.#restart(utterance) : "";
    const { unsent } = utterance;
    if (unsent === "") return output;
    if (!utterance.isShown) output += this.#begin(utterance, unsent);
    utterance.sentChars = utterance.text.length;
    utterance.unsent = "";
    return output + this.#write(utterance.safe.push(unsent));
  }

  #begin(utterance: BubbleUtterance, unsent: string): string {
    utterance.isShown = true;
    const again = utterance.sentChars > 0 ? utterance.safe.again() : "";
    return this.#gap() + this.#write(this.#heading(utterance, again + unsent)) + this.#write(again);
  }

  #restart(utterance: BubbleUtterance): string {
    const output = utterance.isShown ? this.#write(utterance.safe.end()) + this.#gap() : "";
    Object.assign(utterance, {
      isRestarted: false,
      safe: safeText(utterance, this.#participants),
      sentChars: 0,
      unsent: utterance.text,
    });
    return output;
  }

  #end(utterance: BubbleUtterance): string {
    let output = "";
    if (utterance.isShown) {
      output += this.#write(utterance.safe.end());
      if (utterance.state === "dropped") output += this.#mark("*(stopped)*");
      if (utterance.lateMark !== "") output += this.#mark(utterance.lateMark);
    }
    if (utterance.attachments !== "") {
      output += utterance.isShown ? this.#gap() : this.#begin(utterance, "");
      output += this.#write(utterance.attachments);
    }
    return output + (utterance.isShown && this.#isNamed(utterance) ? this.#gap() : "");
  }

  #heading(utterance: BubbleUtterance, unsent: string): string {
    const { speakerUri: sender = "", relayedFrom, isPrivate } = utterance;
    const line = { sender, ...(relayedFrom !== undefined && { relayedFrom }) };
    const name = this.#isNamed(utterance) ? `**${this.#participants.speakerWords(line)}:** ` : "";
    const head = `${name}${isPrivate ? "*(private)* " : ""}`;
    return head !== "" && blockStart.test(unsent) ? `${head.trimEnd()}\n\n` : head;
  }

  #isNamed({ speakerUri, relayedFrom }: BubbleUtterance): boolean {
    return relayedFrom !== undefined || this.#participants.needsName(speakerUri ?? "");
  }

  #mark(mark: string): string {
    return this.#write(this.#tail.endsWith("\n") ? mark : ` ${mark}`);
  }

  /** Line ends up to an empty line. */
  #gap(): string {
    if (this.#tail === "" || this.#tail === "\n\n") return "";
    return this.#write(this.#tail.endsWith("\n") ? "\n" : "\n\n");
  }

  #write(text: string): string {
    this.#tail = text.length > 1 ? text.slice(-2) : (this.#tail + text).slice(-2);
    return text;
  }
}

/** The start of a Markdown block (list, code block, heading): it needs a line of its own. */
const blockStart = /^\s*(?:[`~#>|+-]|\*\s|\d{1,9}[.)]\s)/u;

/** Size limit of one delta, in UTF-8. */
const deltaBytesMax = 16 * 1024;

/** Cuts a text into deltas, between characters. */
export function deltas(text: string): NemoOutput[] {
  if (text === "") return [];
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= deltaBytesMax) return [{ kind: "delta", text }];
  const output: NemoOutput[] = [];
  const buffer = new Uint8Array(deltaBytesMax);
  for (let start = 0; start < text.length; ) {
    const rest = text.slice(start);
    const { read } = new TextEncoder().encodeInto(rest, buffer);
    output.push({ kind: "delta", text: rest.slice(0, read) });
    start += read;
  }
  return output;
}
