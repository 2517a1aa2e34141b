import { type Loss, type Place, pointer } from "../issue.ts";

/** The keys of an object that nobody specified, without those that an older dialect would understand in its own way. */
export function withoutTaken(
  others: Record<string, unknown>,
  taken: readonly string[],
  at: Place,
  losses: Loss[],
): Record<string, unknown> {
  const found = taken.filter((key) => Object.hasOwn(others, key));
  for (const key of found) {
    losses.push({ path: pointer({ up: at, key }), why: `"${key}" means something of its own in that version` });
  }
  return found.length === 0
    ? others
    : Object.fromEntries(Object.entries(others).filter(([key]) => !found.includes(key)));
}
