import type { Range } from "./json-position.ts";

/** A place in a text as editors count it: from 1, columns in UTF-16 units. */
export type SourcePlace = {
  line: number;
  column: number;
  /** The line, cut to a window around the place where it is long. */
  excerpt: string;
  /** How far into the excerpt the marked part begins, and how much of it is on this line. */
  markStart: number;
  markLength: number;
};

const excerptCharsMax = 100;
const cut = "...";

/** Finds line and column of offsets; asked in rising order it reads the text once. */
export function createPlaceFinder(text: string): (range: Range) => SourcePlace {
  let line = 1;
  let lineStart = 0;
  return ({ start, end }) => {
    if (start < lineStart) [line, lineStart] = [1, 0];
    for (let feed = text.indexOf("\n", lineStart); feed !== -1 && feed < start; feed = text.indexOf("\n", lineStart)) {
      line += 1;
      lineStart = feed + 1;
    }
    return { line, column: start - lineStart + 1, ...excerptOf(text, lineStart, { start, end }) };
  };
}

function excerptOf(text: string, lineStart: number, { start, end }: Range) {
  const from = Math.max(lineStart, start - lineStart < excerptCharsMax / 2 ? lineStart : start - excerptCharsMax / 4);
  const feed = text.indexOf("\n", start);
  const lineEnd = feed === -1 ? text.length : feed;
  const to = Math.min(lineEnd, from + excerptCharsMax);
  const before = from > lineStart ? cut : "";
  const shown = text.slice(from, to).trimEnd();
  const markLength = Math.min(end, from + shown.length) - start;
  return {
    excerpt: before + shown + (to < lineEnd ? cut : ""),
    markStart: before.length + start - from,
    markLength: Math.max(1, markLength),
  };
}
