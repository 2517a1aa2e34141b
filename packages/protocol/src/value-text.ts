/** Strings, numbers and booleans have words. An object of a stranger may only pretend to: { "toString": 1 }. */
export function wordsOfValue(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** Its words, else its JSON; nothing for what is nested deeper than can be written. */
export function shownValue(value: unknown): string {
  return wordsOfValue(value) ?? jsonOf(value);
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
