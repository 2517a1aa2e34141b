// What a document says may not steer the terminal it is shown on: control characters, and the marks that turn the
// direction of writing, could hide or fake lines of a report.
const controlCharacters = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** On one line, with such characters written as JSON writes them. */
export function printable(text: string): string {
  return text.replace(controlCharacters, (char) => {
    const escaped = JSON.stringify(char).slice(1, -1);
    return escaped === char ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : escaped;
  });
}

/** The same with one character for one, so that a mark under it stays in place. */
export function printableInPlace(text: string): string {
  return text.replace(controlCharacters, (char) => (char === "\t" ? " " : "\ufffd"));
}

/** More of one text is nobody's reading; the whole of it is in the log. */
const textMax = 20_000;
/** Marks upon marks climb over the lines above. */
const marksMax = 4;

/** Of several lines: as it was written, without what moves cursors, clears screens or turns the direction of writing. */
export function sanitizeText(text: string, max = textMax): string {
  const short = text.length > max ? `${text.slice(0, max)} … (cut here: /raw has all of it)` : text;
  return limitMarks(short.replace(/\r\n?|\u2028|\u2029/gu, "\n"))
    .replace(/\t/gu, "    ")
    .replace(controlCharacters, (character) => (character === "\n" ? character : "\ufffd"))
    .replace(/\n{3,}/gu, "\n\n")
    .trimEnd();
}

/** On one line, for names, titles and reasons. */
export function sanitizeLine(text: string, max = 300): string {
  const line = limitMarks(text)
    .replace(/[\s\u2028\u2029]+/gu, " ")
    .replace(controlCharacters, "")
    .trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

function limitMarks(text: string): string {
  return text.replace(/(\p{M}+)/gu, (marks) => [...marks].slice(0, marksMax).join(""));
}
