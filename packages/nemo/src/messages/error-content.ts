import { type Issue, isRecord } from "@plenary/protocol";
import { clipped, wordsOf } from "../format-text.ts";
import { type ErrorCode, type ErrorContent, isErrorCode } from "./server-message.ts";

/** Why something could not be read. */
export type Fault = { fault: ErrorContent };

const words: Record<ErrorCode, string> = {
  unknown_error: "Something went wrong",
  workflow_error: "An agent failed",
  invalid_message: "The message could not be read",
  invalid_message_type: "The type of the message is not known here",
  invalid_user_message_content: "The message says nothing",
  invalid_data_content: "A part of the message has the wrong shape",
  user_auth_error: "Authentication failed",
};

/** `details` never quotes a value of the message: it might be a credential. */
export function fault(code: ErrorCode, details: string): Fault {
  return { fault: { code, message: words[code], details } };
}

export function isFault(value: unknown): value is Fault {
  return isRecord(value) && "fault" in value;
}

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

const troubleLengthMax = 2_000;

export function troubleIn(value: unknown): ErrorContent {
  if (!isRecord(value))
    return { code: "unknown_error", message: clipped(wordsOf(value), troubleLengthMax), details: "" };
  const details = wordsOf(value.details);
  return {
    code: isErrorCode(value.code) ? value.code : "unknown_error",
    message: clipped(wordsOf(value.message), troubleLengthMax),
    // The toolkit's word for nothing.
    details: details === "default" ? "" : clipped(details, troubleLengthMax),
  };
}
