const nameCharsMax = 110;

/** Bold, with whatever other emphasis, and what looks like a colon within it or after it. */
const bold = /^([*_]{2,6})([^*\n]+?)[*_]{2,6}[ \t]*([:：﹕∶]|[^:：﹕∶]|$)/u;
const boldBegun = /^(?:[*_]{1,6}|[*_]{2,6}[^*\n]+[*_]{0,6}[ \t]*)$/u;
const colonAtEnd = /\s*[:：﹕∶]\s*$/u;

/**
 * A bold name at the start of a line, as speakers are named here. "later": more must be known. Undefined: it is none.
 */
export function nameAt(held: string, isEnd: boolean): { name: string; marks: string } | "later" | undefined {
  const [, marks, inner = "", next = ""] = bold.exec(held.slice(0, nameCharsMax)) ?? [];
  if (marks !== undefined && (next !== "" || isEnd)) {
    const isNaming = colonAtEnd.test(next) || colonAtEnd.test(inner);
    return isNaming ? { name: unlinked(inner.replace(colonAtEnd, "")), marks } : undefined;
  }
  const isBegun = held.length < nameCharsMax && boldBegun.test(held);
  return isBegun && !isEnd ? "later" : undefined;
}

/** A link looks like the words in it. */
function unlinked(name: string): string {
  return name
    .trim()
    .replace(/^\[(.*)\](?:\([^)]*\)|\[[^\]]*\])?$/u, "$1")
    .trim();
}
