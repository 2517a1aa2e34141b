import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { decodeSecrets, type SignedRequest, verifySignature } from "./signature.ts";

// The example of the Standard Webhooks libraries.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const timestamp = "1614265330";
const body = '{"test": 2432232314}';
const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const other = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

type Changes = Partial<Omit<SignedRequest, "headers">> & { headers?: Record<string, string | undefined> };

function verified({ headers = {}, ...changes }: Changes = {}, ageS = 0) {
  const all = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature, ...headers };
  const present = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const now = new Date((Number(timestamp) + ageS) * 1_000);
  return verifySignature({ headers: new Headers(present), body, secrets: [secret], now, ...changes });
}

function signedBy(by: string, { at = timestamp, content = body } = {}): string {
  const key = Buffer.from(by.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${at}.${content}`).digest("base64")}`;
}

test("the example of Standard Webhooks is verified, as text and as bytes", async () => {
  expect(await verified()).toEqual({ ok: true });
  expect(await verified({ body: new TextEncoder().encode(body) })).toEqual({ ok: true });
});

test("one matching secret of several is enough", async () => {
  expect(await verified({ secrets: [other, secret] })).toEqual({ ok: true });
  expect(await verified({ headers: { "webhook-signature": signedBy(other) }, secrets: [secret, other] })).toEqual({
    ok: true,
  });
});

test("one matching signature of several is enough, and unknown versions are ignored", async () => {
  for (const signatures of [
    [signedBy(other), signature],
    [signature, signedBy(other)],
    ["v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==", signature],
    ["v2,x", "nonsense", "v1,", "v1,***", "", signature],
  ]) {
    expect(await verified({ headers: { "webhook-signature": signatures.join(" ") } })).toEqual({ ok: true });
  }
});

const bare = signature.slice(3);

test.each<[string, Changes]>([
  ["another secret", { secrets: [other] }],
  ["another body", { body: `${body} ` }],
  ["no body", { body: "" }],
  ["another id", { headers: { "webhook-id": `${id}x` } }],
  ["another time, within tolerance", { headers: { "webhook-timestamp": String(Number(timestamp) + 1) } }],
  ["the same time, written otherwise", { headers: { "webhook-timestamp": `0${timestamp}` } }],
  ["a signature with another secret", { headers: { "webhook-signature": signedBy(other) } }],
  ["half a signature", { headers: { "webhook-signature": signature.slice(0, 23) } }],
  ["more than a signature", { headers: { "webhook-signature": `v1,${btoa(`${atob(bare)}x`)}` } }],
  ["an empty signature", { headers: { "webhook-signature": "v1," } }],
  ["a signature without a version", { headers: { "webhook-signature": bare } }],
  ["the signature under another version", { headers: { "webhook-signature": `v1a,${bare}` } }],
  ["the signature under version 2", { headers: { "webhook-signature": `v2,${bare}` } }],
  ["an upper-case version", { headers: { "webhook-signature": `V1,${bare}` } }],
  ["the id and the time shifted", { headers: { "webhook-id": `${id}.${timestamp}` } }],
  ["the right signature behind more than we look at", { headers: { "webhook-signature": tooMany() } }],
])("%s does not match", async (_what, changes) => {
  expect(await verified(changes)).toMatchObject({ ok: false, problem: "no-match" });
});

function tooMany(): string {
  return [...Array.from({ length: 16 }, () => signedBy(other)), signature].join(" ");
}

test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
  "a request without %s is not signed",
  async (name) => {
    for (const value of [undefined, ""]) {
      const verification = await verified({ headers: { [name]: value } });
      expect(verification).toEqual({ ok: false, problem: "missing-header", detail: `the header ${name} is missing` });
    }
  },
);

test.each(["soon", "-1614265330", "1614265330.5", "1e9", "0x1", "1614265330000000", "Infinity"])(
  "%j is no time in seconds",
  async (wrong) => {
    expect(await verified({ headers: { "webhook-timestamp": wrong } })).toMatchObject({ problem: "bad-timestamp" });
  },
);

test("a timestamp up to five minutes in the past or future is accepted, one second more is refused", async () => {
  for (const ageS of [300, -300]) expect(await verified({}, ageS)).toEqual({ ok: true });
  expect(await verified({}, 301)).toMatchObject({ ok: false, problem: "too-old" });
  expect(await verified({}, -301)).toMatchObject({ ok: false, problem: "too-new" });
  expect(await verified({ toleranceS: 10 }, 11)).toMatchObject({ problem: "too-old" });
  expect(await verified({ toleranceS: 400 }, 301)).toEqual({ ok: true });
});

test("the default of `now` is the system clock", async () => {
  const at = String(Math.floor(Date.now() / 1_000));
  const headers = new Headers({
    "webhook-id": id,
    "webhook-timestamp": at,
    "webhook-signature": signedBy(secret, { at }),
  });
  expect(await verifySignature({ headers, body, secrets: [secret] })).toEqual({ ok: true });
});

const noSecrets = [
  ...["", "whsec_", "whsec_c2hvcnQ=", secret.slice(6), `whsk_${secret.slice(6)}`, `${secret}!`, ` ${secret}`],
  ...[`whsec_${btoa("x".repeat(23))}`, `whsec_${btoa("x".repeat(65))}`, "whsec_====", `${secret}A`, `WHSEC_${bare}`],
];

test.each(noSecrets)("%j is a malformed secret, and the error does not contain it", (wrong) => {
  expect(() => decodeSecrets([secret, wrong])).toThrow(
    /^a secret must be whsec_ followed by 24 to 64 bytes in base64$/u,
  );
});

test("missing secrets throw", () => {
  expect(() => decodeSecrets([])).toThrow(/`secrets` is empty/u);
  // A program without types may read its secret from an unset environment variable.
  const unset = [process.env.PLENARY_NO_SUCH_SECRET] as string[];
  expect(() => decodeSecrets(unset)).toThrow(/a secret must be whsec_/u);
});
