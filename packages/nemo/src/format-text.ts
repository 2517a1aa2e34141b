/** Any value as words: a text as it is, nothing as no words, anything else as JSON. */
export function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Cut between characters, never inside one. */
export function clipped(text: string, lengthMax: number, mark = "…"): string {
  if (text.length <= lengthMax) return text;
  const end = lengthMax - mark.length;
  const isInside = /[\uD800-\uDBFF]/u.test(text.charAt(end - 1));
  return `${text.slice(0, isInside ? end - 1 : end)}${mark}`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * Clients show names and payloads of steps as HTML: `<workflow>` would vanish as a tag. What is escaped already, as the
 * toolkit's payloads are, stays as it is, so that a step on its way through several hands is not escaped twice.
 */
export function escaped(text: string): string {
  return text.replace(/[<>]|&(?!(?:amp|lt|gt|quot|#39);)/gu, (mark) => entities[mark] ?? mark);
}
