/** A piece of a text. `tag` is undefined for plain words. */
export type Piece = { text: string; tag?: "strong" | "em" | "code" | "a"; url?: string };

// No part can begin inside of itself, so the time is linear.
const formatted =
  /\*\*(?<strong>[^*\n]+)\*\*|(?<![\w*])\*(?<em>[^*\s][^*\n]*)\*(?![\w*])|`(?<code>[^`\n]+)`|\[(?<a>[^[\]\n]+)\]\((?<url>https?:\/\/[^\s()[\]]+)\)/gu;

/** Bold, emphasis, code and links. Other Markdown stays as it was written. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { index, 0: whole, groups = {} } of text.matchAll(formatted)) {
    if (index > end) pieces.push({ text: text.slice(end, index) });
    end = index + whole.length;
    const tag = (["strong", "em", "code", "a"] as const).find((name) => groups[name] !== undefined);
    if (tag !== undefined) pieces.push({ text: groups[tag] ?? "", tag, ...(groups.url && { url: groups.url }) });
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}
