// What a document says may not steer the terminal it is shown on: control characters, and the marks that turn the
// direction of writing, could hide or fake lines of a report.
const steering = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** On one line, with such characters written as JSON writes them. */
export function printable(text: string): string {
  return text.replace(steering, (char) => {
    const escaped = JSON.stringify(char).slice(1, -1);
    return escaped === char ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : escaped;
  });
}

/** The same with one character for one, so that a mark under it stays in place. */
export function printableInPlace(text: string): string {
  return text.replace(steering, (char) => (char === "\t" ? " " : "\ufffd"));
}
