const hidden = "[secret]";
const leftOut = "[content]";

/** Of a name that is judged; the value of a longer one is hidden. */
const nameCharsMax = 256;

/** Parts of names whose values are credentials, as `sessionToken`, `set-cookie` or `client_secret`. */
const secretPart =
  /token|secret|passw(?:or)?d|passphrase|authorization|cookie|apikey|privatekey|ticket|jwt|credential/u;
const secretNames = new Set(["key", "pwd", "signature", "whsec", "invite", "bearer"]);
/** Last words of names that say something about a credential, as `tokenId` or `cookie_count`. */
const harmlessEnds = new Set(["id", "ids", "count", "length", "kind", "type", "file"]);

const contentNames = new Set([
  // Parts of envelopes.
  ...["openfloor", "envelope", "event", "events", "dialogevent", "dialoghistory", "features", "tokens"],
  ...["utterance", "utterances", "text", "texts", "whisper"],
  // Parts of logs and requests.
  ...["entry", "entries", "transcript", "body", "rawbody", "payload"],
]);

/** What is shown instead of a value that its name does not allow: credentials, and what was said in a conversation. */
export function insteadOf(name: string, value: unknown): string | undefined {
  if (typeof value === "boolean" || value === null || value === undefined) return undefined;
  if (name.length > nameCharsMax) return hidden;
  const words = wordsOf(name);
  const joined = words.join("");
  if (contentNames.has(joined) && typeof value !== "number") return leftOut;
  const isSecret = secretPart.test(joined) && !harmlessEnds.has(words.at(-1) ?? "");
  return isSecret || secretNames.has(joined) ? hidden : undefined;
}

/** `sessionToken`, `session_token` and `Session-Token` have the words session and token. */
function wordsOf(name: string): string[] {
  const separated = name.replace(/([a-z\d])([A-Z])/gu, "$1 $2");
  return separated.toLowerCase().split(/[^a-z\d]+/u);
}
