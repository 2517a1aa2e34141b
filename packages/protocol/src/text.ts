import type { DialogEvent } from "./dialog-event.ts";

/** Spec 1.10.1: the words of a dialog event are the values of its text tokens, one after the other, nothing between. */
export function textOf(dialogEvent: DialogEvent): string {
  const tokens = dialogEvent.features.text?.tokens ?? [];
  return tokens.map(({ value }) => (typeof value === "string" ? value : "")).join("");
}

/** Part of the words is at a valueUrl, so `textOf` gives only the rest (D28: the floor never fetches it). */
export function needsFetching(dialogEvent: DialogEvent): boolean {
  const tokens = dialogEvent.features.text?.tokens ?? [];
  return tokens.some(({ value, valueUrl }) => value === undefined && valueUrl !== undefined);
}
