/** What turns the direction of the text around it, or is no character at all. Lines and tabs stay. */
const steering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]|(?![\n\t])\p{Cc}/gu;

/** Words of strangers in a document: they stand where they stand, and change nothing around them. */
export function plain(text: string): string {
  // Most words are of nothing else, and are not looked through twice.
  if (/^[\n\t -~]*$/u.test(text)) return text;
  return text.replace(/\r\n?|[\u2028\u2029]/gu, "\n").replace(steering, "");
}

/** The same on one line, and no longer than this. */
export function oneLine(text: string, charsMax: number): string {
  // Cut before anything is looked through: it may be very long.
  const short = text.length > charsMax * 2 ? text.slice(0, charsMax * 2) : text;
  const line = plain(short)
    .replace(/\s{2,}|[^\S ]/gu, " ")
    .trim();
  return line.length > charsMax || short !== text ? `${[...line.slice(0, charsMax)].join("").trimEnd()}…` : line;
}
