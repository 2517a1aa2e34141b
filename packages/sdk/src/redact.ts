const gap = "[\\s\\p{Cc}]";
const headers = "authorization|proxy-authorization|cookie|set-cookie|x-api-key|webhook-signature";
/** Parts of names: a value under such a name is a credential, in any notation. */
const strong = "[\\w-]{0,40}(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|private[_-]?key)[\\w-]{0,40}";
/** Whole names: common words, so only as a parameter of a URL or as a quoted key. */
const weak = "ticket|invite|code|state|key|sig|signature|session|auth|credential";

/** Patterns of credentials, and their replacements. */
const secrets: readonly [RegExp, string][] = [
  // Whole headers and addresses first, so that the narrower patterns leave no rest of them.
  [new RegExp(`(["']?\\b(?:${headers})["']?${gap}*[:=]${gap}*)(?!\\[secret\\])[^\\r\\n]+`, "giu"), "$1[secret]"],
  [/(\b[a-z][a-z\d+.-]*:\/\/)[^\s/?#]*@/giu, "$1[secret]@"],
  [new RegExp(`\\b(Bearer|Basic|Digest)${gap}+[^\\s"',]+`, "giu"), "$1 [secret]"],
  [new RegExp(`((?:[#?&;]|%23|%3f|%26)(?:${strong}|${weak})(?:=|%3d))[^\\s&#"'<>]+`, "giu"), "$1[secret]"],
  [new RegExp(`((["'])(?:${strong}|${weak})\\2${gap}*:${gap}*(["']))(?:\\\\.|(?!\\3)[^\\\\])*`, "gisu"), "$1[secret]"],
  [new RegExp(`(\\b${strong}${gap}*[:=]${gap}*(["']))(?:\\\\.|(?!\\2)[^\\\\])*`, "gisu"), "$1[secret]"],
  [new RegExp(`(\\b${strong}=)(?!\\[secret\\])[^\\s&#"'<>,;]+`, "giu"), "$1[secret]"],
  // The keys, links and sessions of a floor, and its signing secrets.
  [/\bplenary([igsp]?)_[\w-]+/gu, "plenary$1_[secret]"],
  [/\bwhsec_[\w+/=-]+/gu, "whsec_[secret]"],
  // A JWT.
  [/\beyJ[\w-]{5,}(?:\.[\w-]*)*/gu, "[secret]"],
  // An operator's token: 32 random bytes in base64url.
  [/(?<![\w-])(?=[a-z\d_-]{0,42}[A-Z])(?=[A-Z\d_-]{0,42}[a-z])[\w-]{43}(?![\w-])/gu, "[secret]"],
  // Node quotes the text it could not parse, which may be a message.
  [/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON/gsu, ", which is not valid JSON"],
];

/** Removes credentials from a text for a log or a screen. */
export function redact(text: string): string {
  return secrets.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text);
}
