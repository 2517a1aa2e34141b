import type { Issue } from "@plenary/protocol";
import { fault } from "./fault.ts";
import type { ErrorContent } from "./server-message.ts";

/** The engine's words about a text that is no JSON quote it, and keys may be anything: neither is repeated. */
const problems: Record<string, string> = {
  "json-syntax": "The text is not JSON",
  "json-duplicate-key": "A key is given twice in one object",
  "json-forbidden-key": "A key is one of __proto__, prototype, constructor",
  "json-depth": "The nesting goes too deep",
  "json-number": "A number is too large to be kept",
  "json-surrogate": "A text holds half a surrogate pair",
};

// Only these may be named as a place.
const knownKeys = new Set(
  "type schema_type id conversation_id thread_id parent_id content messages role text image_url url input_audio data format user name email security api_key token payload method username password error timestamp to private".split(
    " ",
  ),
);

export function unreadable(issues: readonly Issue[]): ErrorContent {
  const issue = issues[0];
  const problem = problems[issue?.rule ?? ""] ?? "The text could not be read";
  const place = placeOf(issue?.path ?? "");
  const { fault: error } = fault("invalid_message", `${problem}${place}; ${issue?.fix ?? "send one JSON object"}.`);
  return error;
}

function placeOf(pointer: string): string {
  const keys = pointer.split("/").filter((key) => key !== "");
  const unknownAt = keys.findIndex((key) => !knownKeys.has(key) && !/^\d{1,6}$/u.test(key));
  const known = unknownAt === -1 ? keys : keys.slice(0, unknownAt);
  return known.length === 0 ? "" : ` (in /${known.join("/")})`;
}
