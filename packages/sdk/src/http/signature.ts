// Standard Webhooks 1.0.0, with nothing but what every runtime with Request and Response has.

export type SignatureProblem =
  /** A header is not there: the request is not signed at all. */
  | "missing-header"
  /** The time of the request cannot be read. */
  | "bad-timestamp"
  | "too-old"
  | "too-new"
  /** Somebody else's secret, or not what was signed. */
  | "no-match";

export type Verification = { ok: true } | { ok: false; problem: SignatureProblem; detail: string };

export type SignedRequest = {
  headers: Pick<Headers, "get">;
  /** As it came; read and written again it may be another. */
  body: string | Uint8Array;
  /** Any of them will do, so that one can be replaced by another without a gap. */
  secrets: readonly string[];
  now?: Date;
  toleranceS?: number;
};

type Key = Uint8Array<ArrayBuffer>;
type Claim = { ok: true; id: string; timestamp: string; signatures: Key[] };
type Refusal = Verification & { ok: false };

const keyBytesMin = 24;
const keyBytesMax = 64;
const signaturesMax = 16;
const defaultToleranceS = 300;

/** Whether one of these secrets has signed this request, lately. Throws when a secret is none. */
export async function verifySignature({ secrets, body, headers, ...when }: SignedRequest): Promise<Verification> {
  const keys = keysOf(secrets);
  const claim = claimIn(headers, when);
  return claim.ok ? matches(claim, body, keys) : claim;
}

/** What the headers alone say. */
export function claimIn(
  headers: Pick<Headers, "get">,
  { now = new Date(), toleranceS = defaultToleranceS }: Pick<SignedRequest, "now" | "toleranceS"> = {},
): Claim | Refusal {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  const [id = "", timestamp = "", signature = ""] = names.map((name) => headers.get(name) ?? "");
  const missing = names.find((name) => !headers.get(name));
  if (missing !== undefined) return refusal("missing-header", `there is no ${missing}`);
  if (!/^\d{1,12}$/u.test(timestamp)) return refusal("bad-timestamp", "webhook-timestamp is no number of seconds");
  const ageS = Math.floor(now.getTime() / 1_000) - Number(timestamp);
  if (ageS > toleranceS) return refusal("too-old", `it was signed more than ${toleranceS} s ago`);
  if (-ageS > toleranceS) return refusal("too-new", `it was signed more than ${toleranceS} s from now`);
  return { ok: true, id, timestamp, signatures: signaturesIn(signature) };
}

/** Compares in constant time, and every signature with every key. */
export async function matches(
  { id, timestamp, signatures }: Claim,
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
  return isSigned ? { ok: true } : refusal("no-match", "no signature of it is by a secret that is known here");
}

/** Whoever leaves a secret empty by mistake must not have an agent that believes everybody. */
export function keysOf(secrets: readonly string[]): Key[] {
  if (secrets.length === 0) throw new Error("there is no secret: leave `secrets` out to take unsigned requests");
  return secrets.map((secret) => {
    const [, base64 = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(String(secret)) ?? [];
    const key = bytesOf(base64);
    if (key !== undefined && key.length >= keyBytesMin && key.length <= keyBytesMax) return key;
    // Not repeated: it may be one that was spoiled on its way.
    throw new Error(`a secret is whsec_ and ${keyBytesMin} to ${keyBytesMax} bytes in base64`);
  });
}

/** Other versions than v1 are other ways to sign, which we do not know. */
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
