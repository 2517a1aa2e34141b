/** Checks and repairs of Markdown source before parsing. */

const plainMax = 400;
const marks = /[\\`*_[\]<>#|~&\n\r@]|:\/\/|www\./iu;
const listStart = /^\s|^[-+=]|^\d+[.)]\s/u;

/** Contains no Markdown. */
export function isPlain(text: string): boolean {
  return text.length <= plainMax && !marks.test(text) && !listStart.test(text);
}

const marksInBlockMax = 3_000;
const nested = /^(?:[ \t]{0,8}(?:>|[-*+]|\d{1,9}[.)])){60}/mu;

/** Expensive input: the parser's time grows with the square of such marks. */
export function isHard(text: string): boolean {
  return nested.test(text) || text.split(/\n[ \t]*\n/u).some((block) => countOf(block, "*_[<&`") > marksInBlockMax);
}

function countOf(block: string, characters: string): number {
  let count = 0;
  if (block.length > marksInBlockMax) for (const character of block) if (characters.includes(character)) count += 1;
  return count;
}

/** Closes open marks at the end of a growing text, so that its rendering does not flicker. */
export function closeOpen(text: string): string {
  const fence = openFence(text);
  if (fence !== undefined) return `${text}\n${fence}`;
  const start = lastBlock(text);
  return text.slice(0, start) + closeInline(text.slice(start));
}

const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*)$/u;

function openFence(text: string): string | undefined {
  let open: string | undefined;
  for (const line of text.split("\n")) {
    const [, fence, rest = ""] = fenceLine.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === undefined) open = fence;
    else if (fence[0] === open[0] && fence.length >= open.length && rest.trim() === "") open = undefined;
  }
  return open;
}

function lastBlock(text: string): number {
  return Math.max(0, text.lastIndexOf("\n\n"));
}

function closeInline(block: string): string {
  const { code, rest } = splitCode(block);
  if (code !== undefined) return closeEmphasis(rest, `${code.text}${code.ticks}`);
  return closeEmphasis(withoutHalfLink(rest), "");
}

/** Splits off an unfinished code span. */
function splitCode(block: string): { rest: string; code?: { text: string; ticks: string } } {
  let from = 0;
  for (;;) {
    const begin = /`+/u.exec(block.slice(from));
    if (begin === null) return { rest: block };
    const [ticks] = begin;
    const at = from + begin.index;
    const end = block.indexOf(ticks, at + ticks.length);
    if (end >= 0) {
      from = end + ticks.length;
      continue;
    }
    const text = block.slice(at);
    return text === ticks ? { rest: block.slice(0, at) } : { rest: block.slice(0, at), code: { text, ticks } };
  }
}

function withoutHalfLink(block: string): string {
  return block.replace(/!?\[([^[\]\n]*)\]\([^()\n]*$/u, "$1").replace(/!?\[([^[\]\n]*)$/u, "$1");
}

const emphasis = /`+[^`]*`+|\\.|\*{1,3}|_{1,3}|~~/gu;

function closeEmphasis(block: string, tail: string): string {
  const open: { mark: string; at: number }[] = [];
  for (const { 0: mark, index } of block.matchAll(emphasis)) {
    if (!/^[*_~]/u.test(mark)) continue;
    const [before = " ", after = " "] = [block[index - 1], block[index + mark.length]];
    const isOpening = /\S/u.test(after) || (index + mark.length === block.length && tail !== "");
    if (open.at(-1)?.mark === mark && /\S/u.test(before)) open.pop();
    else if (mark[0] === "_" && /\w/u.test(before)) continue;
    else if (isOpening || index + mark.length === block.length) open.push({ mark, at: index });
  }
  const last = open.at(-1);
  // A mark at the end has nothing to emphasise yet.
  const isBare = last !== undefined && tail === "" && last.at + last.mark.length === block.length && last.at > 0;
  if (isBare) open.pop();
  const words = isBare ? block.slice(0, last.at) : block;
  const blanks = /\s*$/u.exec(words)?.[0] ?? "";
  const closers = open
    .map(({ mark }) => mark)
    .reverse()
    .join("");
  if (closers === "") return words + tail;
  return tail === "" ? words.slice(0, words.length - blanks.length) + closers + blanks : words + tail + closers;
}
