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
