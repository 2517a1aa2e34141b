import type { Envelope } from "../envelope.ts";
import type { Loss } from "../issue.ts";
import { type Dialect, schemaUrlOf, versionOf } from "../version.ts";

/** The schema section is written anew for another dialect; a reader of it brings back our own version and URL. */
export function schemaLosses(schema: Envelope["schema"], dialect: Dialect): Loss[] {
  const losses: Loss[] = [];
  const why = `rewritten for ${versionOf[dialect]}`;
  if (schema.version !== versionOf["1.1"]) losses.push({ path: "/openFloor/schema/version", why });
  if (schema.url !== undefined && schema.url !== schemaUrlOf("1.1"))
    losses.push({ path: "/openFloor/schema/url", why });
  return losses;
}
