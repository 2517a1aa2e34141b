import { plain } from "@plenary/transcript";
import { LinkTracker } from "./markdown-links.ts";

const carriageReturn = 13;
/** At most this many characters are held back; then the sanitizer decides with what it has. */
const heldCharsMax = 2_048;

/** Most pieces match this. Within a line they are sent unchanged. */
const wordsOnly = /^[\w ,.;:'"?()-]+$/u;

type Fence = { mark: string; length: number; opening: string };
type Step = { length: number; text?: string };

/**
 * Sanitizes Markdown of agents for a client that shows raw HTML. Outside code, a `<` that could begin a tag or a comment
 * becomes `&lt;`, an image becomes a link, so that the client fetches nothing, and character references are escaped. Text
 * counts as code only when every Markdown parser agrees. Undecided text is held back, so the result does not depend on
 * where the text is cut into pieces.
 */
export class SafeText {
  /** Another conversant has that name, so the text may not show it like the name of a speaker. */
  readonly #isTaken: (name: string) => boolean;
  #held = "";
  /** The first half of a surrogate pair, or of a CRLF. */
  #half = "";
  #fence: Fence | undefined;
  #isLineStart = true;
  #hasIndent = false;
  /** Pairs of backticks are code in this paragraph: no single backtick came before. */
  #hasSpans = true;
  /** Fences are code: parsers agree about all lines before. */
  #hasFences = true;
  #cutFence: Fence | undefined;
  readonly #links = new LinkTracker();

  constructor(isTaken: (name: string) => boolean) {
    this.#isTaken = isTaken;
  }

  /** The text that can be sent by now. */
  push(text: string): string {
    if (this.#isWithinLine() && wordsOnly.test(text)) {
      this.#links.readWords(text);
      return text;
    }
    const all = this.#half + text;
    const last = all.charCodeAt(all.length - 1);
    const isCut = last === carriageReturn || (last >= 0xd800 && last <= 0xdbff);
    const end = isCut ? all.length - 1 : all.length;
    this.#half = all.slice(end);
    this.#held += plain(all.slice(0, end));
    return this.#take(false);
  }

  /** The rest. Closes an open code block: it would include the text that follows. */
  end(): string {
    this.#held += plain(this.#half);
    this.#half = "";
    const rest = this.#take(true);
    this.#cutFence = this.#fence;
    if (this.#fence === undefined) return rest;
    const close = `${this.#isLineStart ? "" : "\n"}${this.#fence.mark.repeat(this.#fence.length)}\n`;
    this.#fence = undefined;
    this.#isLineStart = true;
    return rest + close;
  }

  /** The text continues in another place: returns the opening line of the code block that `end` closed. */
  again(): string {
    this.#fence ??= this.#cutFence;
    // The start of the paragraph is in another place, so pairs of backticks are unknown.
    this.#hasSpans = false;
    if (this.#fence === undefined) return "";
    this.#isLineStart = true;
    return this.#fence.opening;
  }

  /** No text is held back, and the next character is not the first of a line. */
  #isWithinLine(): boolean {
    return !this.#isLineStart && this.#held === "" && this.#half === "" && this.#fence === undefined;
  }

  #take(isEnd: boolean): string {
    let out = "";
    while (this.#held !== "") {
      const step = this.#next(isEnd) ?? (this.#held.length > heldCharsMax ? this.#next(true) : undefined);
      if (step === undefined) break;
      out += step.text ?? this.#held.slice(0, step.length);
      this.#held = this.#held.slice(step.length);
    }
    return out;
  }

  /** The next step; undefined when it needs more text. */
  #next(isEnd: boolean): Step | undefined {
    if (this.#fence !== undefined) return this.#inFence(this.#fence, isEnd);
    return this.#isLineStart ? this.#atLineStart(isEnd) : this.#inLine(isEnd);
  }

  #inFence({ mark, length }: Fence, isEnd: boolean): Step | undefined {
    const { line, isWhole } = this.#line();
    const marks = /^ {0,3}(`*|~*)[ \t]*$/u.exec(line)?.[1];
    if (this.#isLineStart && marks !== undefined) {
      if (!isWhole && !isEnd) return undefined;
      if (marks.startsWith(mark.repeat(length))) this.#fence = undefined;
    }
    this.#isLineStart = isWhole;
    return { length: line.length + (isWhole ? 1 : 0) };
  }

  #atLineStart(isEnd: boolean): Step | undefined {
    const blanks = /^[ \t]+/u.exec(this.#held)?.[0];
    if (blanks !== undefined) {
      this.#hasIndent = true;
      return { length: blanks.length };
    }
    if (this.#held.startsWith("\n")) {
      this.#hasSpans = true;
      this.#hasIndent = false;
      this.#links.endParagraph();
      return { length: 1 };
    }
    const named = nameAt(this.#held, isEnd);
    if (named === "later") return undefined;
    if (named !== undefined && this.#isTaken(named.name)) {
      this.#isLineStart = false;
      return { length: named.marks.length, text: named.marks.replace(/./gu, "\\$&") };
    }
    const marks = /^(?:`+|~+|\$+)/u.exec(this.#held)?.[0] ?? "";
    if (marks !== "" && marks.length === this.#held.length && !isEnd) return undefined;
    if (marks.startsWith("$$")) this.#hasFences = false;
    if (/^[`~]{3}/u.test(marks)) {
      const opening = this.#opening(marks, isEnd);
      if (opening !== "none") return opening;
    }
    this.#isLineStart = false;
    return this.#inLine(isEnd);
  }

  #opening(marks: string, isEnd: boolean): Step | "none" | undefined {
    const { line, isWhole } = this.#line();
    const [mark = ""] = marks;
    const isInline = mark === "`" && line.slice(marks.length).includes("`");
    if (isInline) return "none";
    if (!isWhole && !isEnd) return undefined;
    const isClear = this.#hasFences && !this.#hasIndent && line.length <= heldCharsMax;
    if (!isClear) {
      this.#hasFences = false;
      return "none";
    }
    const opening = `${line.replaceAll("<", "&lt;")}\n`;
    this.#fence = { mark, length: marks.length, opening };
    this.#isLineStart = isWhole;
    return { length: line.length + (isWhole ? 1 : 0), text: isWhole ? opening : opening.slice(0, -1) };
  }

  #inLine(isEnd: boolean): Step | undefined {
    const unmarked = /^[^`<\\\n$!&]+/u.exec(this.#held)?.[0];
    if (unmarked !== undefined) {
      this.#links.read(unmarked);
      return { length: unmarked.length };
    }
    switch (this.#held[0]) {
      case "\n":
        this.#isLineStart = true;
        this.#hasIndent = false;
        this.#links.read("\n");
        return { length: 1 };
      case "\\":
        return this.#escape(isEnd);
      case "`":
        return this.#span(isEnd);
      case "<":
        this.#links.readMark();
        return angle(this.#held, isEnd);
      case "!":
        return this.#bang(isEnd);
      case "&":
        return this.#reference(isEnd);
      default:
        // Some parsers read the text between two `$` as a formula, with its backticks.
        this.#hasSpans = false;
        return { length: 1 };
    }
  }

  #escape(isEnd: boolean): Step | undefined {
    const [, next] = this.#held;
    if (next === undefined && !isEnd) return undefined;
    this.#links.readMark();
    if (next === "`") this.#hasSpans = false;
    if (next !== undefined && "\\`!&".includes(next)) return { length: 2 };
    return next === "<" ? { length: 2, text: "&lt;" } : { length: 1 };
  }

  #bang(isEnd: boolean): Step | undefined {
    const [, next] = this.#held;
    if (next === undefined && !isEnd) return undefined;
    this.#links.read("!");
    return next === "[" ? { length: 1, text: "\\!" } : { length: 1 };
  }

  /** Character references could imitate the letters of a name, or hide a line start. */
  #reference(isEnd: boolean): Step | undefined {
    const [, word, end] = /^&(#?[a-z\d]{0,32})(;?)/iu.exec(this.#held) ?? [];
    const isUnclear = end === "" && this.#held.length === 1 + (word?.length ?? 0);
    if (isUnclear && !isEnd) return undefined;
    this.#links.read("&");
    return end === ";" && !harmless.has(word ?? "") ? { length: 1, text: "&amp;" } : { length: 1 };
  }

  #span(isEnd: boolean): Step | undefined {
    const [marks = ""] = /^`+/u.exec(this.#held) ?? [];
    if (!this.#links.mayStartCode()) this.#hasSpans = false;
    if (!this.#hasSpans && (marks.length < this.#held.length || isEnd)) return { length: marks.length };
    // A code span is at most as long as the text that can be held back.
    const { line, isWhole } = this.#line(heldCharsMax + 1);
    const close = closing(line, marks.length, isWhole || (isEnd && line.length === this.#held.length));
    if (close === undefined && !isWhole && !isEnd) return undefined;
    if (close !== undefined && !line.slice(0, close).includes("|")) return { length: close };
    this.#hasSpans = false;
    return { length: marks.length };
  }

  #line(charsMax = Number.POSITIVE_INFINITY): { line: string; isWhole: boolean } {
    const held = this.#held.slice(0, charsMax);
    const end = held.indexOf("\n");
    return end === -1 ? { line: held, isWhole: false } : { line: held.slice(0, end), isWhole: true };
  }
}

/** References that authors need in Markdown. */
const harmless: ReadonlySet<string> = new Set(["lt", "gt", "amp", "quot"]);

/** The end of the code span that begins with `length` backticks. The last run of an incomplete line may still grow. */
function closing(line: string, length: number, isWhole: boolean): number | undefined {
  for (const { index, 0: marks } of line.slice(length).matchAll(/`+/gu)) {
    const end = length + index + marks.length;
    if (marks.length === length && (isWhole || end < line.length)) return end;
  }
  return undefined;
}

/** A URL in angle brackets stays a link. */
function angle(held: string, isEnd: boolean): Step | undefined {
  const link = /^<https?:\/\/[^\s<>`"]*>/iu.exec(held)?.[0];
  if (link !== undefined) return { length: link.length };
  const mayBecome = /^<(?:h|ht|htt|https?|https?:|https?:\/|https?:\/\/[^\s<>`"]*)?$/iu.test(held);
  if (mayBecome && !isEnd) return undefined;
  return /^<[a-z/!?]/iu.test(held) ? { length: 1, text: "&lt;" } : { length: 1 };
}

const nameCharsMax = 110;

/** Bold text, with or without more emphasis, and a character like a colon in it or after it. */
const bold = /^([*_]{2,6})([^*\n]+?)[*_]{2,6}[ \t]*([:：﹕∶]|[^:：﹕∶]|$)/u;
const boldBegun = /^(?:[*_]{1,6}|[*_]{2,6}[^*\n]+[*_]{0,6}[ \t]*)$/u;
const colonAtEnd = /\s*[:：﹕∶]\s*$/u;

/** A bold name at the start of a line, which is how the renderer names speakers. "later": it needs more text. */
function nameAt(held: string, isEnd: boolean): { name: string; marks: string } | "later" | undefined {
  const [, marks, inner = "", next = ""] = bold.exec(held.slice(0, nameCharsMax)) ?? [];
  if (marks !== undefined && (next !== "" || isEnd)) {
    const isNaming = colonAtEnd.test(next) || colonAtEnd.test(inner);
    return isNaming ? { name: unlinked(inner.replace(colonAtEnd, "")), marks } : undefined;
  }
  const isBegun = held.length < nameCharsMax && boldBegun.test(held);
  return isBegun && !isEnd ? "later" : undefined;
}

/** The text of a link: clients show only that. */
function unlinked(name: string): string {
  return name
    .trim()
    .replace(/^\[(.*)\](?:\([^)]*\)|\[[^\]]*\])?$/u, "$1")
    .trim();
}
