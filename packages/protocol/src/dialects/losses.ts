import type { Envelope } from "../model/envelope.ts";
import { type Dialect, schemaUrlOf, versionOf } from "../model/version.ts";
import type { Loss } from "../repair/issue.ts";
import { type JsonPath, pointer } from "../repair/json-path.ts";

/** Notes the loss of a value, by its keys below `at`. */
export function lose(losses: Loss[], at: JsonPath, keys: readonly (string | number)[], why: string): void {
  const place = keys.reduce<JsonPath>((up, key) => ({ up, key }), at);
  losses.push({ path: pointer(place), why });
}

/** The schema section is rewritten for another dialect; reading it back gives our own version and URL. */
export function schemaLosses(schema: Envelope["schema"], dialect: Dialect): Loss[] {
  const losses: Loss[] = [];
  const why = `rewritten for ${versionOf[dialect]}`;
  if (schema.version !== versionOf["1.1"]) losses.push({ path: "/openFloor/schema/version", why });
  if (schema.url !== undefined && schema.url !== schemaUrlOf("1.1"))
    losses.push({ path: "/openFloor/schema/url", why });
  return losses;
}

/** The unspecified keys of an object, without those that have another meaning in an older dialect. */
export function withoutTaken(
  others: Record<string, unknown>,
  taken: readonly string[],
  at: JsonPath,
  losses: Loss[],
): Record<string, unknown> {
  const found = taken.filter((key) => Object.hasOwn(others, key));
  for (const key of found) lose(losses, at, [key], `"${key}" means something of its own in that version`);
  return found.length === 0
    ? others
    : Object.fromEntries(Object.entries(others).filter(([key]) => !found.includes(key)));
}
