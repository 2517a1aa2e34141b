import { printable } from "./sanitize.ts";

const textMax = 8_192;
const causesMax = 5;

const gap = "[\\s\\p{Cc}]";
const names =
  "token|ticket|invite|code|state|secret|password|api_?key|access_token|refresh_token|id_token|client_secret";
const headers = "authorization|proxy-authorization|cookie|set-cookie|x-api-key|webhook-signature";

/** Patterns of credentials, and their replacements. */
const secrets: readonly [RegExp, string][] = [
  // Whole headers and addresses first, so that the narrower patterns leave no rest of them.
  [new RegExp(`(["']?\\b(?:${headers})["']?${gap}*[:=]${gap}*)(?!\\[secret\\])[^\\r\\n]+`, "giu"), "$1[secret]"],
  [/(\b[a-z][a-z\d+.-]*:\/\/)[^\s/?#]*@/giu, "$1[secret]@"],
  [new RegExp(`\\b(Bearer|Basic|Digest)${gap}+[^\\s"',]+`, "giu"), "$1 [secret]"],
  [new RegExp(`((?:[#?&;]|%23|%3f|%26)(?:${names})(?:=|%3d))[^\\s&#"'<>]+`, "giu"), "$1[secret]"],
  [new RegExp(`(["'](?:${names})["']${gap}*:${gap}*["'])[^"']*`, "giu"), "$1[secret]"],
  [/\bplenary([igsp]?)_[\w-]+/gu, "plenary$1_[secret]"],
  [/\bwhsec_[\w+/=-]+/gu, "whsec_[secret]"],
  [/\beyJ[\w-]{5,}(?:\.[\w-]*)*/gu, "[secret]"],
  // Node quotes the text it could not parse, which may be a message.
  [/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON/gsu, ", which is not valid JSON"],
];

/** Removes credentials. */
export function redact(text: string): string {
  return secrets.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text);
}

/** An error and its causes as one log line, without control characters and credentials. */
export function logLine(error: unknown): string {
  const said: string[] = [];
  for (let one = error; one !== undefined && said.length < causesMax; one = causeOf(one)) said.push(errorText(one));
  return printable(redact(said.join("\ncaused by: ").slice(0, textMax)));
}

function errorText(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } catch {
    return "an error without a message";
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
