/** Characters that change the text direction, lone surrogates and control characters, except line breaks and tabs. */
const steering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]|(?![\n\t])\p{Cc}/gu;

/** Removes characters with which a text could change the text around it. */
export function plain(text: string): string {
  // The common case: plain ASCII.
  if (/^[\n\t -~]*$/u.test(text)) return text;
  return text.replace(/\r\n?|[\u2028\u2029]/gu, "\n").replace(steering, "");
}

/** The same on one line, cut to this length. */
export function oneLine(text: string, charsMax: number): string {
  // Cut first: the text may be very long.
  const short = text.length > charsMax * 2 ? text.slice(0, charsMax * 2) : text;
  const line = plain(short)
    .replace(/\s{2,}|[^\S ]/gu, " ")
    .trim();
  return line.length > charsMax || short !== text ? `${[...line.slice(0, charsMax)].join("").trimEnd()}…` : line;
}
