import {
  base64url,
  type CryptoKey,
  EncryptJWT,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWTPayload,
  SignJWT,
} from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { dial, type Listening, listen, newSigner, type Signer, sign } from "../testing/issuer.ts";
import type { TokenVerifier } from "./authenticate.ts";
import { createJwtVerifier } from "./jwt.ts";

const clock = createFakeClock();
const nowS = clock.now() / 1_000;
const issuer = "https://issuer.example";
const audience = "https://floor.example/openfloor";
const bot = "tag:bot.example,2026:bot";
const good: JWTPayload = { iss: issuer, aud: audience, sub: bot, exp: nowS + 60 };

type Signers = Record<"rsa" | "pss" | "ec" | "ed" | "other" | "strange", Signer>;

let signers: Signers;
let keys: Listening;
let elsewhere: Listening;
let verifier: TokenVerifier;

beforeAll(async () => {
  signers = {
    rsa: await newSigner("RS256", "rsa"),
    pss: await newSigner("PS256", "pss"),
    ec: await newSigner("ES256", "ec"),
    ed: await newSigner("EdDSA", "ed", { crv: "Ed25519" }),
    // Published, but with an algorithm or a curve that is not allowed.
    other: await newSigner("ES384", "other"),
    // Not published.
    strange: await newSigner("ES256", "strange"),
  };
  const { rsa, pss, ec, ed, other } = signers;
  const published = JSON.stringify({ keys: [rsa, pss, ec, ed, other].map(({ publicJwk }) => publicJwk) });
  keys = await listen((_request, response) => void response.end(published));
  const theirs = JSON.stringify({ keys: [signers.strange.publicJwk] });
  elsewhere = await listen((_request, response) => void response.end(theirs));
  verifier = createJwtVerifier({ issuer, jwksUrl: `${keys.url}/jwks`, audience, dial, clock });
});

afterAll(async () => {
  await keys.close();
  await elsewhere.close();
});

async function outcome(token: string): Promise<unknown> {
  return verifier.verify(token).catch(({ code, details }) => ({ code, ...details }));
}

const signed = (claims: JWTPayload = {}, signer: Signer = signers.ec, header: Record<string, unknown> = {}) =>
  sign({ ...good, ...claims }, signer, header);

function without(name: string): JWTPayload {
  return Object.fromEntries(Object.entries(good).filter(([claim]) => claim !== name));
}

const encoded = (value: unknown) => base64url.encode(JSON.stringify(value));

async function segments(token: Promise<string>): Promise<[string, string, string]> {
  const [header = "", payload = "", signature = ""] = (await token).split(".");
  return [header, payload, signature];
}

/** Key confusion: the public key used as a shared secret. */
async function signedWithPublicKey(): Promise<string> {
  const key = await importJWK(signers.rsa.publicJwk, "RS256", { extractable: true });
  const secret = new TextEncoder().encode(await exportSPKI(key as CryptoKey));
  return new SignJWT(good).setProtectedHeader({ alg: "HS256", kid: "rsa", typ: "JWT" }).sign(secret);
}

async function encrypted(): Promise<string> {
  const { publicKey } = await generateKeyPair("ECDH-ES", { crv: "P-256" });
  return new EncryptJWT(good).setProtectedHeader({ alg: "ECDH-ES", enc: "A256GCM", typ: "JWT" }).encrypt(publicKey);
}

const bad: Record<string, () => string | Promise<string>> = {
  "unsigned, as its algorithm none says": () => `${encoded({ alg: "none", typ: "JWT" })}.${encoded(good)}.`,
  "without its signature": async () => (await segments(signed())).toSpliced(2, 1, "").join("."),
  "with the algorithm none in front of a true signature": async () => {
    const [, payload, signature] = await segments(signed());
    return [encoded({ alg: "none", kid: "ec", typ: "JWT" }), payload, signature].join(".");
  },
  "signed by HS256 with the public key": signedWithPublicKey,
  "signed with an unpublished key, under a published key id": () => signed({}, { ...signers.strange, kid: "ec" }),
  "signed with a key of another id": () => signed({}, signers.ec, { kid: "rsa" }),
  "signed with a key of an unknown id": () => signed({}, signers.strange),
  "signed by RS256 under the name of a key for PS256": () => sign(good, { ...signers.rsa, kid: "pss" }),
  "with a key id that is not a string": () => signed({}, signers.ec, { kid: 7 }),
  "of another issuer": () => signed({ iss: "https://evil.example" }),
  "of an issuer that begins like ours": () => signed({ iss: `${issuer}.evil.example` }),
  "without an issuer": () => sign(without("iss"), signers.ec),
  "for another audience": () => signed({ aud: "https://other.example" }),
  "without an audience": () => sign(without("aud"), signers.ec),
  "for a list of others": () => signed({ aud: ["https://a.example", "https://b.example"] }),
  "for an audience that only begins like ours": () => signed({ aud: `${audience}/more` }),
  expired: () => signed({ exp: nowS - 6 }),
  "not yet valid": () => signed({ nbf: nowS + 6 }),
  "without an expiry": () => sign(without("exp"), signers.ec),
  "with an expiry that is not a number": () => signed({ exp: "2099-01-01" as unknown as number }),
  "without a subject": () => sign(without("sub"), signers.ec),
  "with an empty subject": () => signed({ sub: "" }),
  "with a subject that is not a string": () => signed({ sub: 7 as unknown as string }),
  "cut short": async () => (await signed()).slice(0, -10),
  "with one more segment": async () => `${await signed()}.more`,
  "with one segment less": async () => (await segments(signed())).slice(0, 2).join("."),
  "with another payload than was signed": async () => {
    const [header, , signature] = await segments(signed());
    return [header, encoded({ ...good, sub: "tag:evil.example,2026:me" }), signature].join(".");
  },
  "with another header than was signed": async () => {
    const [, payload, signature] = await segments(signed());
    return [encoded({ alg: "ES256", kid: "ec", typ: "at+jwt" }), payload, signature].join(".");
  },
  "with a key of its own in the header": () =>
    signed({}, { ...signers.strange, kid: "ec" }, { jwk: signers.strange.publicJwk }),
  "that says where else its keys are (jku)": () => signed({}, signers.strange, { jku: `${elsewhere.url}/jwks` }),
  "that says where else its certificate is (x5u)": () => signed({}, signers.strange, { x5u: `${elsewhere.url}/x5u` }),
  "with an extension that must be understood": () =>
    new SignJWT(good)
      .setProtectedHeader({ alg: "ES256", kid: "ec", typ: "JWT", crit: ["urn:mine"], "urn:mine": true })
      .sign(signers.ec.privateKey, { crit: { "urn:mine": true } }),
  "bound to an empty list of speakers": () => signed({ speakers: [] }),
  "bound to speakers that are not strings": () => signed({ speakers: [bot, 7] }),
  "bound to speakers that are not URIs": () => signed({ speakers: ["anyone"] }),
  "bound to speakers that are not a list": () => signed({ speakers: bot }),
  "bound to null": () => signed({ speakers: null }),
  "of 9 KiB": () => signed({ padding: "x".repeat(9_216) }),
  encrypted,
  "signed by ES384": () => signed({}, signers.other),
  "that says ES256 of a key on another curve": () => signed({}, { ...signers.strange, kid: "other" }),
  "whose payload is not an object": () =>
    `${encoded({ alg: "ES256", kid: "ec", typ: "JWT" })}.${encoded("hello")}.AAAA`,
  "without a type": () => signed({}, signers.ec, { typ: undefined }),
  "of the type of logout tokens": () => signed({}, signers.ec, { typ: "logout+jwt" }),
  "whose type only ends like ours": () => signed({}, signers.ec, { typ: "dpop+JWT" }),
  "whose type is not a string": () => signed({}, signers.ec, { typ: ["JWT"] }),
  "that cannot be read": () => "a.b.c",
  "that is empty": () => "",
};

test.each(Object.entries(bad))("a token %s is refused", async (_name, make) => {
  const token = await make();
  const result = await outcome(token);
  expect(result).toMatchObject({
    code: "unauthorized",
    detail: expect.stringContaining("refused"),
    fix: expect.anything(),
  });
  if (token.length > 10) expect(JSON.stringify(result)).not.toContain(token.slice(-10));
  expect(elsewhere.requests).toEqual([]);
});

test.each([
  ["expired", "it has expired"],
  ["for another audience", 'its claim "aud" is missing or wrong for this floor'],
  ["signed by HS256 with the public key", "its algorithm is not one of"],
  ["signed with a key of an unknown id", "its key is not a key of the issuer"],
  ["signed with an unpublished key, under a published key id", "its signature is wrong"],
  ["that cannot be read", "it cannot be read"],
])("of a token %s the refusal says why", async (name, why) => {
  expect(await outcome((await bad[name]?.()) ?? "")).toMatchObject({ detail: expect.stringContaining(why) });
});

test("a token without a key id is refused where several keys match", async () => {
  const both = { keys: [signers.ec.publicJwk, signers.strange.publicJwk] };
  const fresh = createJwtVerifier({
    issuer,
    jwksUrl: `${keys.url}/both`,
    audience,
    clock,
    dial: async () => Response.json(both),
  });
  const unnamed = await signed({}, signers.ec, { kid: undefined });
  await expect(fresh.verify(unnamed)).rejects.toMatchObject({
    code: "unauthorized",
    details: { detail: expect.stringContaining("it does not name its key") },
  });
});

test.each(["rsa", "pss", "ec", "ed"] as const)(
  "a token signed with the issuer's %s key authenticates its subject",
  async (name) => {
    expect(await outcome(await signed({}, signers[name]))).toEqual({
      id: `jwt:${issuer}#${bot}`,
      kind: "agent",
      speakers: [bot],
      scopes: [],
      untilMs: (nowS + 60) * 1_000,
    });
  },
);

test("a token speaks for its listed speakers, and one with the host scope is a person's", async () => {
  const speakers = ["tag:a.example,2026:a", "https://b.example/#b"];
  expect(await outcome(await signed({ speakers, scope: "openid plenary:host" }))).toMatchObject({
    kind: "person",
    speakers,
    scopes: ["host"],
  });
  expect(await outcome(await signed({ speakers: speakers.slice(1) }))).toMatchObject({ speakers: speakers.slice(1) });
  for (const scope of ["plenary:hosts", "xplenary:host", ["plenary:host"]]) {
    expect(await outcome(await signed({ scope }))).toMatchObject({ kind: "agent", scopes: [] });
  }
});

test("the type of a token must be the configured one, in any case, or either type when none is configured", async () => {
  const spellings = { "at+jwt": ["at+jwt", "application/AT+JWT"], JWT: ["JWT", "jwt", "application/jwt"] };
  for (const typ of ["at+jwt", "JWT"] as const) {
    const other = typ === "JWT" ? "at+jwt" : "JWT";
    const strict = createJwtVerifier({ issuer, jwksUrl: `${keys.url}/jwks`, audience, typ, dial, clock });
    for (const spelling of spellings[typ]) {
      const token = await signed({}, signers.ec, { typ: spelling });
      expect(await strict.verify(token)).toMatchObject({ speakers: [bot] });
      expect(await outcome(token)).toMatchObject({ speakers: [bot] });
    }
    const detail = `the token is refused: the "typ" of its header is not ${typ}`;
    const token = await signed({}, signers.ec, { typ: other });
    await expect(strict.verify(token)).rejects.toMatchObject({ code: "unauthorized", details: { detail } });
  }
});

test("a subject that is not a URI gets a URI of its issuer", async () => {
  expect(await outcome(await signed({ sub: "ann b/c#d" }))).toMatchObject({
    id: `jwt:${issuer}#ann b/c#d`,
    speakers: [`${issuer}#ann%20b%2Fc%23d`],
  });
});

test("clocks may differ by five seconds, and this floor may be one of several audiences", async () => {
  const aud = ["https://a.example", audience];
  expect(await outcome(await signed({ aud, exp: nowS - 4, nbf: nowS + 4 }))).toMatchObject({ speakers: [bot] });
});

test("the keys are fetched once for many tokens, and only from their URL", async () => {
  const fresh = createJwtVerifier({ issuer, jwksUrl: `${keys.url}/once`, audience, dial, clock });
  await Promise.all([1, 2, 3].map(async () => fresh.verify(await signed())));
  await fresh.verify(await signed({}, signers.rsa));
  // An unknown key id does not cause another request so soon after the last one.
  await expect(fresh.verify(await signed({}, signers.strange))).rejects.toThrow("its key is not a key of the issuer");
  expect(keys.requests.filter((url) => url === "/once")).toEqual(["/once"]);
});

test.each([
  ["is down", () => Promise.reject(new TypeError("fetch failed"))],
  ["fails", async () => new Response("busy", { status: 500 })],
  ["leads elsewhere", async () => new Response(null, { status: 302, headers: { location: "https://evil.example" } })],
  ["answers with something else", async () => new Response("<html>")],
  ["answers with no keys", async () => Response.json({ keys: "none" })],
])("while the issuer %s no token counts as invalid, and afterwards it is accepted", async (_name, broken) => {
  let isBroken = true;
  const fresh = createJwtVerifier({
    issuer,
    jwksUrl: `${keys.url}/jwks`,
    audience,
    clock,
    dial: (url, init) => (isBroken ? broken() : dial(url, init)),
  });
  const token = await signed();
  await expect(fresh.verify(token)).rejects.toMatchObject({ code: "unavailable" });
  isBroken = false;
  expect(await fresh.verify(token)).toMatchObject({ speakers: [bot] });
});

test("keys are not fetched over plain http from another machine", () => {
  const make = (jwksUrl: string) => createJwtVerifier({ issuer, jwksUrl, audience, dial, clock });
  expect(() => make("http://issuer.example/jwks")).toThrow("must be an https URL");
  expect(() => make("jwks")).toThrow("must be an https URL");
  expect(() => make("https://issuer.example/jwks")).not.toThrow();
});
