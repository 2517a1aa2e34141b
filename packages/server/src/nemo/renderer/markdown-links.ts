/** Tracks whether a backtick can start code. Within a URL, or within the target of a link, it cannot. */
export class LinkTracker {
  /** The last characters of the current word. */
  #word = "";
  #isAddress = false;
  #link: "none" | "parenthesis" | "bracket" | "unclear" = "none";

  mayStartCode(): boolean {
    return !this.#isAddress && this.#link === "none";
  }

  read(text: string): void {
    const start = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\t"), text.lastIndexOf("\n")) + 1;
    const seen = this.#word + text;
    this.#readLinks(seen, this.#word.length);
    if (start > 0) this.#isAddress = false;
    const word = start > 0 ? text.slice(start) : seen;
    this.#isAddress ||= /[@/]|www\./iu.test(word);
    this.#word = word.slice(-4);
  }

  /** A faster `read` for text without brackets, `@` and slashes. */
  readWords(text: string): void {
    if (this.#link !== "none" || this.#word.endsWith("]")) {
      this.read(text);
      return;
    }
    const start = text.lastIndexOf(" ") + 1;
    if (start > 0) this.#isAddress = false;
    const word = start > 0 ? text.slice(start) : this.#word + text;
    if (word.includes(".") && /www\./iu.test(word)) this.#isAddress = true;
    this.#word = word.length > 4 ? word.slice(-4) : word;
  }

  /** A mark that may or may not end the target of a link. */
  readMark(): void {
    if (this.#link !== "none") this.#link = "unclear";
    this.#word = "";
  }

  endParagraph(): void {
    this.#link = "none";
    this.#isAddress = false;
    this.#word = "";
  }

  /** `from`: the characters before it were read already, but a link may begin at the last one of them. */
  #readLinks(seen: string, from: number): void {
    if (this.#link === "none" && !seen.includes("[") && !seen.includes("]")) return;
    for (let at = from; at < seen.length; at += 1) {
      const character = seen.charAt(at);
      if (this.#link === "none") this.#link = beginning[seen.slice(Math.max(0, at - 1), at + 1)] ?? "none";
      else if (character === ends[this.#link]) this.#link = "none";
      else if (/["'([]/u.test(character)) this.#link = "unclear";
    }
  }
}

const beginning: Readonly<Record<string, "parenthesis" | "bracket">> = {
  "](": "parenthesis",
  "][": "bracket",
  "[^": "bracket",
};
const ends = { parenthesis: ")", bracket: "]", unclear: undefined } as const;
