// Standard Webhooks 1.0.0, with Web Crypto only, so that it runs on every runtime.

export type SignatureProblem =
  /** A header is missing: the request is not signed. */
  | "missing-header"
  /** webhook-timestamp is not a number. */
  | "bad-timestamp"
  | "too-old"
  | "too-new"
  /** Signed with another secret, or the content was changed. */
  | "no-match";

export type Verification = { ok: true } | { ok: false; problem: SignatureProblem; detail: string };

export type SignedRequest = {
  headers: Pick<Headers, "get">;
  /** The raw body: parsing and serializing may change it. */
  body: string | Uint8Array;
  /** One matching secret is enough, so that secrets can be rotated. */
  secrets: readonly string[];
  now?: Date;
  toleranceS?: number;
};

type Key = Uint8Array<ArrayBuffer>;
type SignatureHeaders = { ok: true; id: string; timestamp: string; signatures: Key[] };
type Refusal = Verification & { ok: false };

const keyBytesMin = 24;
const keyBytesMax = 64;
const signaturesMax = 16;
const defaultToleranceS = 300;

/** Checks that one of these secrets signed the request recently. Throws when a secret is malformed. */
export async function verifySignature({ secrets, body, headers, ...when }: SignedRequest): Promise<Verification> {
  const keys = decodeSecrets(secrets);
  const claim = readSignatureHeaders(headers, when);
  return claim.ok ? matchSignatures(claim, body, keys) : claim;
}

export function readSignatureHeaders(
  headers: Pick<Headers, "get">,
  { now = new Date(), toleranceS = defaultToleranceS }: Pick<SignedRequest, "now" | "toleranceS"> = {},
): SignatureHeaders | Refusal {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  const [id = "", timestamp = "", signature = ""] = names.map((name) => headers.get(name) ?? "");
  const missing = names.find((name) => !headers.get(name));
  if (missing !== undefined) return refusal("missing-header", `the header ${missing} is missing`);
  if (!/^\d{1,12}$/u.test(timestamp)) return refusal("bad-timestamp", "webhook-timestamp is not a number of seconds");
  const ageS = Math.floor(now.getTime() / 1_000) - Number(timestamp);
  if (ageS > toleranceS) return refusal("too-old", `the request was signed more than ${toleranceS} s ago`);
  if (-ageS > toleranceS)
    return refusal("too-new", `the request is signed for more than ${toleranceS} s in the future`);
  return { ok: true, id, timestamp, signatures: signaturesIn(signature) };
}

/** Compares in constant time, every signature with every key. */
export async function matchSignatures(
  { id, timestamp, signatures }: SignatureHeaders,
  body: string | Uint8Array,
  keys: readonly Key[],
): Promise<Verification> {
  const content = signed(id, timestamp, body);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const checks = keys.map(async (bytes) => {
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
    return Promise.all(signatures.map((signature) => crypto.subtle.verify("HMAC", key, signature, content)));
  });
  const isSigned = (await Promise.all(checks)).flat().includes(true);
  return isSigned ? { ok: true } : refusal("no-match", "no signature matches a configured secret");
}

/** Throws on an empty list or secret: a configuration mistake must not turn verification off. */
export function decodeSecrets(secrets: readonly string[]): Key[] {
  if (secrets.length === 0) throw new Error("`secrets` is empty: leave it out to accept unsigned requests");
  return secrets.map((secret) => {
    const [, base64 = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(String(secret)) ?? [];
    const key = bytesOf(base64);
    if (key !== undefined && key.length >= keyBytesMin && key.length <= keyBytesMax) return key;
    // The message does not contain the value, which may be a real secret with a typing error.
    throw new Error(`a secret must be whsec_ followed by ${keyBytesMin} to ${keyBytesMax} bytes in base64`);
  });
}

/** Only v1 signatures are supported. */
function signaturesIn(header: string): Key[] {
  const ours = header.split(" ").filter((one) => one.startsWith("v1,"));
  const decoded = ours.slice(0, signaturesMax).map((one) => bytesOf(one.slice(3)));
  return decoded.filter((bytes) => bytes !== undefined);
}

function signed(id: string, timestamp: string, body: string | Uint8Array): Key {
  const encoder = new TextEncoder();
  const head = encoder.encode(`${id}.${timestamp}.`);
  const rest = typeof body === "string" ? encoder.encode(body) : body;
  const content = new Uint8Array(head.length + rest.length);
  content.set(head);
  content.set(rest, head.length);
  return content;
}

function bytesOf(base64: string): Key | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function refusal(problem: SignatureProblem, detail: string): Refusal {
  return { ok: false, problem, detail };
}
