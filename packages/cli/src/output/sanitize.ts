// Untrusted text must not control the terminal: control characters and bidirectional marks could hide or fake lines.
const controlCharacters = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** One line, with control characters escaped as in JSON. */
export function printable(text: string): string {
  return text.replace(controlCharacters, (char) => {
    const escaped = JSON.stringify(char).slice(1, -1);
    return escaped === char ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : escaped;
  });
}

/** Replaces each control character by one character, so that a mark below the line stays aligned. */
export function printableInPlace(text: string): string {
  return text.replace(controlCharacters, (char) => (char === "\t" ? " " : "\ufffd"));
}

/** Longer texts are cut on the screen; the log has all of it. */
const textMax = 20_000;
/** More combining marks on one letter would cover the lines above. */
const marksMax = 4;

/** Several lines: keeps line breaks, replaces other control characters. */
export function sanitizeText(text: string, max = textMax): string {
  const short = text.length > max ? `${text.slice(0, max)} … (cut here: /raw has all of it)` : text;
  return limitMarks(short.replace(/\r\n?|\u2028|\u2029/gu, "\n"))
    .replace(/\t/gu, "    ")
    .replace(controlCharacters, (character) => (character === "\n" ? character : "\ufffd"))
    .replace(/\n{3,}/gu, "\n\n")
    .trimEnd();
}

/** One line, for names, titles and reasons. */
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
