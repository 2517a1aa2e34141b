import { createHmac } from "node:crypto";

export type Signing = {
  /** The webhook-id. Only the floor chooses it: a full stop in it would shift the signed parts. */
  id: string;
  body: string;
  secrets: readonly string[];
  nowMs: number;
};

/** A new secret and the one it replaces. */
const liveSecretsMax = 2;
const keyBytesMin = 24;
const keyBytesMax = 64;

/**
 * Standard Webhooks 1.0.0: the time of this attempt and a signature per live secret; no headers without a secret. The id
 * and the body are the same for each attempt (D22), these headers are not.
 */
export function signatureHeaders({ id, body, secrets, nowMs }: Signing): Record<string, string> {
  if (secrets.length === 0) return {};
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signatures = secrets
    .slice(0, liveSecretsMax)
    .map((secret) => createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64"));
  return {
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.map((signature) => `v1,${signature}`).join(" "),
  };
}

/** The error does not quote the secret. */
function keyOf(secret: string): Buffer {
  const [, base64 = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(secret) ?? [];
  const key = Buffer.from(base64, "base64");
  if (key.length < keyBytesMin || key.length > keyBytesMax) {
    throw new Error(`a secret is whsec_ and ${keyBytesMin} to ${keyBytesMax} bytes in base64`);
  }
  return key;
}
