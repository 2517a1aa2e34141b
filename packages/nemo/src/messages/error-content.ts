import { type Issue, isRecord } from "@plenary/protocol";
import { clipText, toText } from "../format-text.ts";
import { type ErrorCode, type ErrorContent, isErrorCode } from "./server-message.ts";

/** A value could not be parsed. A class, because input may be an object with any keys. */
export class ParseFailure {
  readonly error: ErrorContent;

  constructor(error: ErrorContent) {
    this.error = error;
  }
}

const errorMessages: Record<ErrorCode, string> = {
  unknown_error: "Something went wrong",
  workflow_error: "An agent failed",
  invalid_message: "The message could not be read",
  invalid_message_type: "Unknown message type",
  invalid_user_message_content: "The message is empty",
  invalid_data_content: "A part of the message is invalid",
  user_auth_error: "Authentication failed",
};

/** `details` must not quote a value of the message, which may be a credential. */
export function parseFailure(code: ErrorCode, details: string): ParseFailure {
  return new ParseFailure({ code, message: errorMessages[code], details });
}

export function invalidData(details: string): ParseFailure {
  return parseFailure("invalid_data_content", details);
}

export function isParseFailure(value: unknown): value is ParseFailure {
  return value instanceof ParseFailure;
}

/** Our own texts, because the errors of the JSON parser quote the input. */
const problems: Record<string, string> = {
  "json-syntax": "The text is not JSON",
  "json-duplicate-key": "A key is given twice in one object",
  "json-forbidden-key": "A key is one of __proto__, prototype, constructor",
  "json-depth": "The nesting goes too deep",
  "json-number": "A number is too large to be kept",
  "json-surrogate": "A text holds half a surrogate pair",
};

// Only these keys may appear in an error.
const knownKeys = new Set(
  "type schema_type id conversation_id thread_id parent_id content messages role text image_url url input_audio data format user name email security api_key token payload method username password error timestamp to private".split(
    " ",
  ),
);

export function unreadable(issues: readonly Issue[]): ErrorContent {
  const issue = issues[0];
  const problem = problems[issue?.rule ?? ""] ?? "The text could not be read";
  const place = placeOf(issue?.path ?? "");
  const { error } = parseFailure("invalid_message", `${problem}${place}; ${issue?.fix ?? "send one JSON object"}.`);
  return error;
}

function placeOf(pointer: string): string {
  const keys = pointer.split("/").filter((key) => key !== "");
  const unknownAt = keys.findIndex((key) => !knownKeys.has(key) && !/^\d{1,6}$/u.test(key));
  const known = unknownAt === -1 ? keys : keys.slice(0, unknownAt);
  return known.length === 0 ? "" : ` (in /${known.join("/")})`;
}

const errorLengthMax = 2_000;

export function readErrorContent(value: unknown): ErrorContent {
  if (!isRecord(value)) return { code: "unknown_error", message: clipText(toText(value), errorLengthMax), details: "" };
  const details = toText(value.details);
  return {
    code: isErrorCode(value.code) ? value.code : "unknown_error",
    message: clipText(toText(value.message), errorLengthMax),
    // The toolkit writes "default" for an empty value.
    details: details === "default" ? "" : clipText(details, errorLengthMax),
  };
}
