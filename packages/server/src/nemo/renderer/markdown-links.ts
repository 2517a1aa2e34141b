/**
 * Whether a backtick begins code where it stands. Within an address, or within what a link goes to, it is part of that, and
 * what seems to be code after it is none.
 */
export class LinkWatch {
  /** The end of the word that is being read. */
  #word = "";
  #isAddress = false;
  #link: "none" | "parenthesis" | "bracket" | "unclear" = "none";

  isClear(): boolean {
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

  /** The same of a text in which no link begins and that holds neither `@` nor a slash. */
  readWords(text: string): void {
    if (this.#link !== "none" || this.#word.endsWith("]")) {
      this.read(text);
      return;
    }
    const start = text.lastIndexOf(" ") + 1;
    if (start > 0) this.#isAddress = false;
    const word = start > 0 ? text.slice(start) : this.#word + text;
    // Most words have no point.
    if (word.includes(".") && /www\./iu.test(word)) this.#isAddress = true;
    this.#word = word.length > 4 ? word.slice(-4) : word;
  }

  /** Something that may end where a link goes to, or not. */
  readMark(): void {
    if (this.#link !== "none") this.#link = "unclear";
    this.#word = "";
  }

  endParagraph(): void {
    this.#link = "none";
    this.#isAddress = false;
    this.#word = "";
  }

  /** `from`: before it everything was read already, but a link may begin at its last character. */
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
