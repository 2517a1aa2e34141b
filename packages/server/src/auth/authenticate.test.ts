import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type Credential, type CredentialStore, newCredentialToken } from "../ports/credentials.ts";
import { operator, type Principal, recipientOf } from "../ports/principal.ts";
import { createSqliteCredentials } from "../store/sqlite/credentials.ts";
import { createFakeClock, type FakeClock } from "../testing/fake-clock.ts";
import { newSigner, sign } from "../testing/issuer.ts";
import { createIdentity, type Identity, type IdentityOptions } from "./authenticate.ts";
import { createJwtVerifier } from "./jwt.ts";
import { createMemoryCredentials } from "./memory-credentials.ts";

const bot = "tag:bot.example,2026:bot";
const publicUrl = "https://floor.example";
const minuteMs = 60_000;

let clock: FakeClock;
let credentials: CredentialStore;
let identity: Identity;

beforeEach(() => {
  clock = createFakeClock();
  credentials = createMemoryCredentials();
  identity = identityWith();
});

function identityWith(more: Partial<IdentityOptions> = {}): Identity {
  return createIdentity({ token: "the-operator's-token", credentials, clock, ...more });
}

const timeIn = (ms: number) => new Date(clock.now() + ms).toISOString();

async function given(kind: Credential["kind"], more: Partial<Credential> = {}) {
  const { id, token, hash } = newCredentialToken(kind);
  const bound = { speakers: [bot], scopes: [], isPerson: false, createdAt: timeIn(0) };
  await credentials.add({ id, kind, hash, ...bound, ...more });
  return { id, token };
}

const bearer = (token: string) => new Headers({ authorization: `Bearer ${token}` });
const cookie = (token: string) => new Headers({ cookie: `a=b; __Host-plenary_session=${token}; c=d` });

type Refusal = { code: string; detail: string; fix?: string };

async function refusal(headers: Headers, by = identity): Promise<Refusal> {
  const error = await by.identify(headers, "GET").then(
    ({ id }) => ({ code: `admitted as ${id}`, details: { detail: "" } }),
    (problem) => problem,
  );
  return { code: error.code, ...error.details };
}

test("the operator's token is checked first, and no other token is the operator's", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plenary-identity-"));
  const closed = createSqliteCredentials(join(folder, "floor.db"));
  await closed.close();
  rmSync(folder, { recursive: true });
  // It looks like a key, and is looked up as one only if it is not the operator's.
  const { token } = newCredentialToken("key");
  const only = identityWith({ token, credentials: closed });
  for (const authorization of [`Bearer ${token}`, `bearer  ${token} `]) {
    expect(await only.identify(new Headers({ authorization }))).toBe(operator);
  }
  await expect(only.identify(bearer(newCredentialToken("key").token))).rejects.toMatchObject({ code: "store-failed" });
  for (const wrong of ["the-operator's-tokem", "the-operator's-toke", "the-operator's-token2"]) {
    expect((await refusal(bearer(wrong))).detail).toBe("the token is unknown");
  }
});

test("an agent's key speaks for its speakers, a person's may host, and both expire", async () => {
  const agent = await given("key", { speakers: [bot, "tag:bot.example,2026:other"] });
  expect(await identity.identify(bearer(agent.token))).toEqual({
    id: `key:${agent.id}`,
    kind: "agent",
    speakers: [bot, "tag:bot.example,2026:other"],
    scopes: [],
  });
  const person = await given("key", { isPerson: true, scopes: ["host"], expiresAt: timeIn(minuteMs) });
  expect(await identity.identify(bearer(person.token))).toMatchObject({
    kind: "person",
    scopes: ["host"],
    untilMs: clock.now() + minuteMs,
  });
  await clock.advance(minuteMs);
  expect(await refusal(bearer(person.token))).toMatchObject({ code: "unauthorized", detail: "this key has ended" });
});

test("a guest has access to one conversation", async () => {
  const { id, token } = await given("guest", { isPerson: true, conversation: "c1" });
  expect(await identity.identify(bearer(token))).toEqual({
    id: `guest:${id}`,
    kind: "guest",
    speakers: [bot],
    scopes: [],
    conversations: ["c1"],
  });
});

test("a guest token ends when its link is revoked, and stays when the link is used up or expired", async () => {
  const link = await given("link", { usesLeft: 0, expiresAt: timeIn(minuteMs) });
  const early = await given("guest", { parent: link.id });
  await clock.advance(minuteMs / 2);
  expect((await refusal(bearer(early.token))).code).toBe(`admitted as guest:${early.id}`);
  await credentials.revoke(link.id, timeIn(0));
  // Stored only after the link was revoked, so the revocation did not include it.
  const late = await given("guest", { parent: link.id });
  for (const { token } of [early, late]) expect((await refusal(bearer(token))).code).toBe("unauthorized");
  const old = await given("link", { expiresAt: timeIn(minuteMs) });
  const guest = await given("guest", { parent: old.id });
  await clock.advance(2 * minuteMs);
  expect((await refusal(bearer(guest.token))).code).toBe(`admitted as guest:${guest.id}`);
});

test("an invalid credential is refused with a fix, and is not quoted", async () => {
  const key = await given("key");
  const other = await given("key");
  const strange = newCredentialToken("key").token;
  const secret = key.token.slice(-43);
  const cases: Record<string, Headers> = {
    "the request has no bearer token": new Headers(),
    "the Authorization header is not of the form `Bearer TOKEN`": new Headers({ authorization: `Basic ${secret}` }),
    "the token is unknown": bearer(`${secret}${secret}`),
    "this key is unknown": bearer(strange),
    "an invite link is not a bearer token": bearer((await given("link")).token),
    "a session is valid only in its cookie": bearer((await given("session")).token),
    "this floor accepts no tokens of other issuers": bearer(`a.${secret}.c`),
  };
  for (const [detail, headers] of Object.entries(cases)) {
    const refused = await refusal(headers);
    expect(refused).toMatchObject({ code: "unauthorized", detail });
    expect(JSON.stringify(refused)).not.toContain(secret);
  }
  for (const wrong of [
    `plenary_${other.id}_${secret}`,
    key.token.replace("plenary_", "plenaryg_"),
    key.token.slice(0, -1),
    `${key.token}x`,
    key.token.toUpperCase(),
  ]) {
    expect([wrong, (await refusal(bearer(wrong))).code]).toEqual([wrong, "unauthorized"]);
  }
});

test("the refusal of an invite link says where to exchange it", async () => {
  const { token } = await given("link");
  expect((await refusal(bearer(token))).fix).toContain("POST /api/v1/guests");
});

test("tokens of three parts are verified with the keys of their issuer", async () => {
  const signer = await newSigner("ES256", "k1");
  const about = { issuer: "https://issuer.example", audience: "us", jwksUrl: "https://issuer.example/jwks" };
  const dial = async () => Response.json({ keys: [signer.publicJwk] });
  const trusting = identityWith({ tokens: createJwtVerifier({ ...about, dial, clock }) });
  const claims = { iss: about.issuer, aud: "us", sub: bot, exp: clock.now() / 1_000 + 60 };
  const token = await sign(claims, signer);
  expect(await trusting.identify(bearer(token))).toMatchObject({ kind: "agent", speakers: [bot] });
  expect((await refusal(bearer("a.b.c"), trusting)).detail).toContain("the token is refused");
  for (const other of ["a.b", `${token}.d`, "a.b.c.d.e"]) {
    expect((await refusal(bearer(other), trusting)).detail).toBe("the token is unknown");
  }
  const key = await given("key");
  expect((await refusal(bearer(key.token), trusting)).code).toBe(`admitted as key:${key.id}`);
});

test("a cookie counts only where people can sign in", async () => {
  const { id, token } = await given("session", { isPerson: true, scopes: ["host"] });
  expect((await refusal(cookie(token))).detail).toBe("the request has no bearer token");
  const open = identityWith({ sessions: { publicUrl } });
  expect(await open.identify(cookie(token), "GET")).toMatchObject({ id: `session:${id}`, kind: "person" });
  // Without the prefix another service on the same host could have set it.
  const bare = new Headers({ cookie: `plenary_session=${token}` });
  expect((await refusal(bare, open)).code).toBe("unauthorized");
  const key = await given("key");
  expect((await refusal(cookie(key.token), open)).detail).toBe("the cookie is not a session of this floor");
});

test("with a bearer token the cookie is ignored", async () => {
  const { token } = await given("session", { isPerson: true });
  const open = identityWith({ sessions: { publicUrl } });
  const headers = cookie(token);
  headers.set("authorization", "Bearer nonsense");
  expect((await refusal(headers, open)).code).toBe("unauthorized");
});

test("a request without a method counts as a write", async () => {
  const { token } = await given("session", { isPerson: true });
  const open = identityWith({ sessions: { publicUrl } });
  await expect(open.identify(cookie(token))).rejects.toMatchObject({
    code: "forbidden-origin",
    details: { detail: "the request has no Origin header" },
  });
  const headers = cookie(token);
  headers.set("origin", "https://other.example");
  const details = { detail: "the page belongs to another origin" };
  await expect(open.identify(headers)).rejects.toMatchObject({ code: "forbidden-origin", details });
  headers.set("origin", publicUrl);
  expect(await open.identify(headers)).toMatchObject({ kind: "person" });
});

test("a cookie opens a socket for a page of this floor only", async () => {
  const { token } = await given("session", { isPerson: true });
  const open = identityWith({ sessions: { publicUrl } });
  const headers = cookie(token);
  headers.set("upgrade", "websocket");
  expect((await refusal(headers, open)).code).toBe("forbidden-origin");
  headers.set("origin", publicUrl);
  expect((await refusal(headers, open)).code).toContain("admitted");
});

test("a cookie does not authenticate a request of another page, not even a read", async () => {
  const { token } = await given("session", { isPerson: true });
  const open = identityWith({ sessions: { publicUrl } });
  const judged = async (name: string, value: string) => {
    const headers = cookie(token);
    headers.set(name, value);
    return (await refusal(headers, open)).code.split(" ")[0];
  };
  expect(await judged("origin", "https://other.example")).toBe("forbidden-origin");
  expect(await judged("sec-fetch-site", "cross-site")).toBe("forbidden-origin");
  expect(await judged("sec-fetch-site", "same-site")).toBe("forbidden-origin");
  for (const site of ["same-origin", "none"]) expect(await judged("sec-fetch-site", site)).toBe("admitted");
  expect(await judged("origin", publicUrl)).toBe("admitted");
});

test("a page token is a bearer token of its person, and is not valid in a cookie", async () => {
  const { id, token } = await given("page", { isPerson: true, scopes: ["host"], label: "Ann" });
  const person = { id: `page:${id}`, kind: "person", speakers: [bot], scopes: ["host"], label: "Ann" };
  const principal = await identity.identify(bearer(token));
  expect(principal).toEqual(person);
  const signingIn = identityWith({ sessions: { publicUrl } });
  expect((await refusal(cookie(token), signingIn)).detail).toBe("the cookie is not a session of this floor");
  expect(await identity.isLive(principal)).toBe(true);
  await credentials.revoke(id, timeIn(0));
  expect(await identity.isLive(principal)).toBe(false);
  expect((await refusal(bearer(token))).detail).toBe("this page token has ended");
});

test("a principal is live as long as its credential", async () => {
  const key = await given("key", { expiresAt: timeIn(2 * minuteMs) });
  const link = await given("link");
  const guest = await given("guest", { parent: link.id });
  const principals = await Promise.all([key, guest].map(({ token }) => identity.identify(bearer(token))));
  const jwt: Principal = { id: "jwt:i#s", kind: "agent", speakers: [bot], scopes: [], untilMs: clock.now() + minuteMs };
  const lives = () => Promise.all([...principals, jwt, operator, recipientOf("d1")].map(identity.isLive));
  expect(await lives()).toEqual([true, true, true, true, true]);
  await credentials.revoke(link.id, timeIn(0));
  expect(await lives()).toEqual([true, false, true, true, true]);
  await clock.advance(minuteMs);
  expect(await lives()).toEqual([true, false, false, true, true]);
  await clock.advance(minuteMs);
  expect(await lives()).toEqual([false, false, false, true, true]);
});

test("a principal with a deleted credential is not live", async () => {
  const { token } = await given("key", { expiresAt: timeIn(minuteMs) });
  const principal = await identity.identify(bearer(token));
  await credentials.sweepCredentials(timeIn(2 * minuteMs));
  expect(await identity.isLive(principal)).toBe(false);
});
