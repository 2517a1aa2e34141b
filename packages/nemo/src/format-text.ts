/** A string as it is, undefined and null as the empty string, other values as JSON. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Never cuts inside a surrogate pair. */
export function clipText(text: string, lengthMax: number, mark = "…"): string {
  if (text.length <= lengthMax) return text;
  const end = lengthMax - mark.length;
  const isInside = /[\uD800-\uDBFF]/u.test(text.charAt(end - 1));
  return `${text.slice(0, isInside ? end - 1 : end)}${mark}`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * Clients show names and payloads of steps as HTML, where `<workflow>` would vanish as a tag. Escaped text, such as the
 * payloads of the toolkit, stays unchanged, so that a forwarded step is not escaped twice.
 */
export function escapeHtml(text: string): string {
  return text.replace(/[<>]|&(?!(?:amp|lt|gt|quot|#39);)/gu, (mark) => entities[mark] ?? mark);
}
