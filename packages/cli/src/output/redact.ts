import { printable } from "./sanitize.ts";

/** An error says little in more. */
const textMax = 8_192;
const causesMax = 5;

const gap = "[\\s\\p{Cc}]";
const names =
  "token|ticket|invite|code|state|secret|password|api_?key|access_token|refresh_token|id_token|client_secret";
const headers = "authorization|proxy-authorization|cookie|set-cookie|x-api-key|webhook-signature";

/** What looks like something to be let in by, and what stands in its place. */
const secrets: readonly [RegExp, string][] = [
  // First whole headers and addresses, so that nothing of them is left over by the narrower ones.
  [new RegExp(`(["']?\\b(?:${headers})["']?${gap}*[:=]${gap}*)(?!\\[secret\\])[^\\r\\n]+`, "giu"), "$1[secret]"],
  [/(\b[a-z][a-z\d+.-]*:\/\/)[^\s/?#]*@/giu, "$1[secret]@"],
  [new RegExp(`\\b(Bearer|Basic|Digest)${gap}+[^\\s"',]+`, "giu"), "$1 [secret]"],
  [new RegExp(`((?:[#?&;]|%23|%3f|%26)(?:${names})(?:=|%3d))[^\\s&#"'<>]+`, "giu"), "$1[secret]"],
  [new RegExp(`(["'](?:${names})["']${gap}*:${gap}*["'])[^"']*`, "giu"), "$1[secret]"],
  [/\bplenary([igsp]?)_[\w-]+/gu, "plenary$1_[secret]"],
  [/\bwhsec_[\w+/=-]+/gu, "whsec_[secret]"],
  [/\beyJ[\w-]{5,}(?:\.[\w-]*)*/gu, "[secret]"],
  // Node quotes what it could not parse, and that may be what somebody said.
  [/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON/gsu, ", which is not valid JSON"],
];

/** Without what could let somebody in. */
export function redact(text: string): string {
  return secrets.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text);
}

/** What a log says of an error, its causes included: one line that steers no terminal and gives nothing away. */
export function logLine(error: unknown): string {
  const said: string[] = [];
  for (let one = error; one !== undefined && said.length < causesMax; one = causeOf(one)) said.push(errorText(one));
  return printable(redact(said.join("\ncaused by: ").slice(0, textMax)));
}

function errorText(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } catch {
    return "something that cannot be told";
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
