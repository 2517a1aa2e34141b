// Positions of the parts of a JSON text. JSON.parse does not report them, and Node 20 often does not say where a syntax
// error is. So a document with issues is scanned once more, without recursion and without building values.

/** Offsets into the text, end exclusive. A member starts at its key, an item at its value. */
export type Range = { start: number; end: number };

export type JsonPositions = {
  /** By JSON pointer (RFC 6901): the requested parts that exist, and their parents. */
  ranges: Map<string, Range>;
  /** The offset of the first syntax error. */
  brokenAt: number | undefined;
};

/** Deeper nesting is an attempt to exhaust memory; the scan stops there. */
const depthMax = 10_000;

export function findPositions(text: string, pointers: Iterable<string>): JsonPositions {
  const ranges = new Map<string, Range>();
  const cursor: Cursor = {
    text,
    ranges,
    levels: [],
    at: skipBlanks(text, 0),
    slot: { wanted: wantedBy(pointers), start: undefined },
    expect: "value",
  };
  let end = 0;
  while (cursor.at < text.length) {
    if (cursor.levels.length > depthMax) return { ranges, brokenAt: undefined };
    if (!take(cursor)) return { ranges, brokenAt: cursor.at };
    end = cursor.at;
    cursor.at = skipBlanks(text, end);
  }
  return { ranges, brokenAt: cursor.expect === "nothing" ? undefined : end };
}

/** The range of the pointer, or of the innermost parent that exists. */
export function nearestRange(ranges: Map<string, Range>, pointer: string): (Range & { isExact: boolean }) | undefined {
  for (let path = pointer; ; path = path.slice(0, path.lastIndexOf("/"))) {
    const range = ranges.get(path);
    if (range !== undefined) return { ...range, isExact: path === pointer };
    if (path === "") return undefined;
  }
}

/** The pointers as a tree, so that one scan finds them all and decodes no other keys. */
type Wanted = { pointer: string; steps: Map<string, Wanted> };

function wantedBy(pointers: Iterable<string>): Wanted {
  const root: Wanted = { pointer: "", steps: new Map() };
  for (const pointer of pointers) {
    let here = root;
    for (const step of pointer.split("/").slice(1)) {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      const next = here.steps.get(key) ?? { pointer: `${here.pointer}/${step}`, steps: new Map() };
      here.steps.set(key, next);
      here = next;
    }
  }
  return root;
}

/** The value that comes next; its start is known beforehand only after a key. */
type Slot = { wanted: Wanted | undefined; start: number | undefined };

type Level = { closer: "}" | "]"; wanted: Wanted | undefined; start: number; items: number };

type Expect = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd" | "nothing";

type Cursor = {
  readonly text: string;
  readonly ranges: Map<string, Range>;
  readonly levels: Level[];
  at: number;
  slot: Slot;
  expect: Expect;
};

/** Takes one token. False on a syntax error; the cursor then points at it. */
function take(cursor: Cursor): boolean {
  switch (cursor.expect) {
    case "value":
      return takeValue(cursor);
    case "valueOrEnd":
      return takeEnd(cursor) || takeValue(cursor);
    case "key":
      return takeKey(cursor);
    case "keyOrEnd":
      return takeEnd(cursor) || takeKey(cursor);
    case "colon":
      cursor.expect = "value";
      return takeChar(cursor, ":");
    case "commaOrEnd":
      return takeEnd(cursor) || takeComma(cursor);
    case "nothing":
      return false;
  }
}

function takeChar(cursor: Cursor, char: string): boolean {
  if (cursor.text[cursor.at] !== char) return false;
  cursor.at += 1;
  return true;
}

function takeValue(cursor: Cursor): boolean {
  const { text, at, slot } = cursor;
  const start = slot.start ?? at;
  const char = text[at];
  if (char === "{" || char === "[") {
    const closer = char === "{" ? "}" : "]";
    cursor.levels.push({ closer, wanted: slot.wanted, start, items: 0 });
    cursor.at += 1;
    cursor.expect = char === "{" ? "keyOrEnd" : "valueOrEnd";
    if (char === "[") nextItem(cursor);
    return true;
  }
  if (!(char === '"' ? takeString(cursor) : takeLiteral(cursor))) return false;
  finish(cursor, slot.wanted, start);
  return true;
}

function takeKey(cursor: Cursor): boolean {
  const { text, at, levels } = cursor;
  if (text[at] !== '"' || !takeString(cursor)) return false;
  const steps = levels.at(-1)?.wanted?.steps;
  const wanted = steps === undefined ? undefined : steps.get(JSON.parse(text.slice(at, cursor.at)));
  cursor.slot = { wanted, start: at };
  cursor.expect = "colon";
  return true;
}

function takeComma(cursor: Cursor): boolean {
  if (!takeChar(cursor, ",")) return false;
  if (cursor.levels.at(-1)?.closer === "}") {
    cursor.expect = "key";
  } else {
    cursor.expect = "value";
    nextItem(cursor);
  }
  return true;
}

function takeEnd(cursor: Cursor): boolean {
  const level = cursor.levels.at(-1);
  if (level === undefined || !takeChar(cursor, level.closer)) return false;
  cursor.levels.pop();
  finish(cursor, level.wanted, level.start);
  return true;
}

function nextItem(cursor: Cursor): void {
  const level = cursor.levels.at(-1);
  cursor.slot = { wanted: level?.wanted?.steps.get(String(level.items)), start: undefined };
  if (level !== undefined) level.items += 1;
}

// Of a duplicate key the last one counts, as in JSON.parse.
function finish(cursor: Cursor, wanted: Wanted | undefined, start: number): void {
  if (wanted !== undefined) cursor.ranges.set(wanted.pointer, { start, end: cursor.at });
  cursor.expect = cursor.levels.length === 0 ? "nothing" : "commaOrEnd";
}

const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function takeString(cursor: Cursor): boolean {
  const { text, at: opening } = cursor;
  for (let at = opening + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      cursor.at = at + 1;
      return true;
    }
    if (code === 0x5c) {
      escapeSequence.lastIndex = at;
      const found = escapeSequence.exec(text);
      cursor.at = at;
      if (found === null) return false;
      at += found[0].length - 1;
    } else if (code < 0x20) {
      cursor.at = at;
      return false;
    }
  }
  // For an unterminated string, its start is more useful than the end of the file.
  cursor.at = opening;
  return false;
}

const literal = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[ \t\r\n,:[\]{}"]|$)/y;

function takeLiteral(cursor: Cursor): boolean {
  literal.lastIndex = cursor.at;
  const [taken] = literal.exec(cursor.text) ?? [];
  cursor.at += taken?.length ?? 0;
  return taken !== undefined;
}

const notBlank = /[^ \t\r\n]/g;

function skipBlanks(text: string, from: number): number {
  notBlank.lastIndex = from;
  return notBlank.exec(text)?.index ?? text.length;
}

/** Line and column as editors count them: from 1, columns in UTF-16 units. */
export type SourcePosition = {
  line: number;
  column: number;
  /** The line; a long one is cut to a window around the position. */
  excerpt: string;
  /** Offset of the marked part in the excerpt, and its length on this line. */
  markStart: number;
  markLength: number;
};

const excerptCharsMax = 100;
const ellipsis = "...";

/** Finds line and column of offsets. With rising offsets it reads the text once. */
export function createPositionFinder(text: string): (range: Range) => SourcePosition {
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
  const before = from > lineStart ? ellipsis : "";
  const shown = text.slice(from, to).trimEnd();
  const markLength = Math.min(end, from + shown.length) - start;
  return {
    excerpt: before + shown + (to < lineEnd ? ellipsis : ""),
    markStart: before.length + start - from,
    markLength: Math.max(1, markLength),
  };
}
