import type { DialogEvent } from "../model/dialog-event.ts";

/** Spec 1.10.1: the words of a dialog event are the values of its text tokens, one after the other, nothing between. */
export function textOf(dialogEvent: DialogEvent): string {
  const tokens = dialogEvent.features.text?.tokens ?? [];
  return tokens.map(({ value }) => (typeof value === "string" ? value : "")).join("");
}

/** True when part of the text is at a valueUrl; `textOf` gives only the rest (D28: the floor never fetches it). */
export function needsFetching(dialogEvent: DialogEvent): boolean {
  const tokens = dialogEvent.features.text?.tokens ?? [];
  return tokens.some(({ value, valueUrl }) => value === undefined && valueUrl !== undefined);
}

/** The text of a string, number or boolean. Objects are excluded: their `toString` may be data. */
export function wordsOfValue(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** The text of a value, else its JSON; empty for a value that JSON.stringify cannot write. */
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
