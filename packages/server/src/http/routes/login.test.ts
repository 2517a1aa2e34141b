import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryCredentials } from "../../auth/memory-credentials.ts";
import type { CredentialStore } from "../../ports/credentials.ts";
import { newSigner } from "../../testing/issuer.ts";
import { createBrowser } from "../../testing/login-floor.ts";
import { clientSecret, createOidcIssuer, type OidcIssuer } from "../../testing/oidc-issuer.ts";

let issuer: OidcIssuer;
let credentials: CredentialStore;
/** Offset to the real time; the issuer's tokens have the real time. */
let aheadMs = 0;
const clock = { now: () => Date.now() + aheadMs, at: () => () => {} };

beforeEach(async () => {
  issuer = await createOidcIssuer();
  credentials = createMemoryCredentials();
  aheadMs = 0;
});

afterEach(() => issuer.close());

function browserOf(base: string) {
  return createBrowser({ base, issuer: issuer.url, credentials, clock });
}

type Browser = ReturnType<typeof browserOf>;

const local = "http://127.0.0.1:7536";

async function problemOf(response: Response) {
  const text = await response.text();
  for (const secret of [clientSecret, "access-token-of-ann", "ey"]) expect(text).not.toContain(secret);
  return JSON.parse(text) as { status: number; type: string; detail: string; fix: string };
}

async function expectRefused(browser: Browser, path: string, detail: string) {
  const response = await browser.go(path);
  const problem = await problemOf(response);
  expect(problem).toMatchObject({ status: 401, detail: expect.stringContaining(detail), fix: expect.anything() });
  expect([...browser.jar.keys()].filter((name) => name.includes("session"))).toEqual([]);
  expect(await credentials.list({ limit: 9 })).toEqual([]);
}

test("a person signs in with the issuer, returns to the given path, and has a session", async () => {
  const browser = browserOf(local);
  const { response } = await browser.signIn("/login?return=/talk%3Fid%3D1%23end");
  expect([response.status, response.headers.get("location")]).toEqual([302, "/talk?id=1#end"]);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect([...browser.jar.keys()]).toEqual(["plenary_session"]);
  const me = (await (await browser.go("/me")).json()) as Record<string, unknown>;
  expect(me).toMatchObject({ kind: "person", speakers: [`${issuer.url}#ann%2F1`], scopes: ["host"] });
  expect(await credentials.list({ limit: 9 })).toMatchObject([{ kind: "session", label: "Ann", isPerson: true }]);
});

test("each redirect to the issuer has a new state, nonce and challenge, and no verifier", async () => {
  const browser = browserOf(local);
  const queries = [];
  for (const _time of [1, 2]) {
    const location = new URL((await browser.go("/login")).headers.get("location") ?? "");
    expect(location.origin).toBe(issuer.url);
    queries.push(Object.fromEntries(location.searchParams));
  }
  const [first = {}, second = {}] = queries;
  expect(first).toMatchObject({ code_challenge_method: "S256", redirect_uri: `${local}/login/callback` });
  for (const name of ["state", "nonce", "code_challenge"]) {
    expect(first[name]).toMatch(/^[\w-]{43}$/u);
    expect(first[name]).not.toBe(second[name]);
  }
  expect(Object.keys(first)).not.toContain("code_verifier");
});

test("cookies are HttpOnly and SameSite, and with TLS also Secure and __Host-", async () => {
  const plain = browserOf(local);
  await plain.signIn();
  for (const line of plain.set)
    expect(line).toMatch(/^plenary_\w+=[^;]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/u);
  const secure = browserOf("https://floor.example");
  await secure.signIn();
  for (const line of secure.set) {
    expect(line).toMatch(/^__Host-plenary_\w+=[^;]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/u);
  }
  expect((await secure.go("/me")).status).toBe(200);
});

test("the login cookie is encrypted", async () => {
  const browser = browserOf(local);
  const location = new URL((await browser.go("/login?return=/secret-path")).headers.get("location") ?? "");
  const kept = browser.jar.get("plenary_login") ?? "";
  const readable = kept
    .split(".")
    .map((part) => Buffer.from(part, "base64url").toString("latin1"))
    .join();
  expect(readable).not.toContain(location.searchParams.get("state"));
  expect(readable).not.toContain("secret-path");
});

test("a callback with another state is refused", async () => {
  const browser = browserOf(local);
  const callback = await browser.visitIssuer();
  await expectRefused(
    browser,
    callback.replace(/state=[\w-]+/u, "state=another"),
    "the response does not belong to this sign-in",
  );
  await expectRefused(browser, callback.replace(/&state=[\w-]+/u, ""), "the response does not belong to this sign-in");
});

test("a callback in a browser without a login cookie is refused", async () => {
  const callback = await browserOf(local).visitIssuer();
  await expectRefused(browserOf(local), callback, "this sign-in was not started here");
});

test("a callback is valid once, with and without the login cookie", async () => {
  const browser = browserOf(local);
  const callback = await browser.visitIssuer();
  const kept = browser.jar.get("plenary_login") ?? "";
  expect((await browser.go(callback)).status).toBe(302);
  browser.jar.clear();
  expect((await problemOf(await browser.go(callback))).detail).toContain("this sign-in was not started here");
  browser.jar.set("plenary_login", kept);
  expect((await problemOf(await browser.go(callback))).detail).toBe(
    "signing in failed: the issuer says: invalid_grant",
  );
  expect(await credentials.list({ limit: 9 })).toHaveLength(1);
});

test("a sign-in expires after ten minutes", async () => {
  const browser = browserOf(local);
  const callback = await browser.visitIssuer();
  aheadMs = 601_000;
  await expectRefused(browser, callback, "or it has expired");
  aheadMs = 590_000;
  expect((await browser.go(callback)).status).toBe(302);
});

test("a login cookie of another floor, or a forged one, is refused", async () => {
  const browser = browserOf(local);
  const callback = await browser.visitIssuer();
  const kept = browser.jar.get("plenary_login") ?? "";
  for (const forged of ["x", `${kept.slice(0, -4)}AAAA`, "eyJhbGciOiJub25lIn0.e30."]) {
    browser.jar.set("plenary_login", forged);
    await expectRefused(browser, callback, "this sign-in was not started here");
  }
});

test.each([
  ["another nonce", { nonce: "another" }],
  ["no nonce", { nonce: undefined }],
  ["another audience", { aud: "another-client" }],
  ["another issuer", { iss: "https://evil.example" }],
  ["an end in the past", { exp: 1_000_000_000 }],
])("an issuer's token with %s is refused", async (_name, claims) => {
  issuer.quirks.claims = claims;
  const browser = browserOf(local);
  await expectRefused(browser, await browser.visitIssuer(), "the response does not belong to this sign-in");
});

test("an issuer's token signed with an unpublished key is refused", async () => {
  issuer.quirks.signer = await newSigner("ES256", issuer.signer.kid);
  const browser = browserOf(local);
  await expectRefused(browser, await browser.visitIssuer(), "the response does not belong to this sign-in");
});

test("the error code of the issuer is shown, if it is a plain word", async () => {
  for (const [error, detail] of [
    ["access_denied", "the issuer says: access_denied"],
    ["<script>alert(1)</script>", "the issuer says: no"],
  ] as const) {
    issuer.quirks.error = error;
    const browser = browserOf(local);
    await expectRefused(browser, await browser.visitIssuer(), detail);
  }
});

test("sign-in fails while the issuer is down, and works afterwards without a restart", async () => {
  issuer.quirks.isBroken = true;
  const browser = browserOf(local);
  const down = await problemOf(await browser.go("/login"));
  expect(down).toMatchObject({ status: 503, detail: "the issuer cannot be reached, or is not an OpenID provider" });
  issuer.quirks.isBroken = false;
  const callback = await browser.visitIssuer();
  issuer.quirks.isBroken = true;
  expect(await problemOf(await browser.go(callback))).toMatchObject({ status: 503 });
  issuer.quirks.isBroken = false;
  expect((await browser.go(callback)).status).toBe(302);
});

test.each([
  "//evil.example",
  "/\\evil.example",
  "https://evil.example",
  "/\t/evil.example",
  "/.//evil.example",
  "evil",
  "",
  "/a\\b",
  "javascript:alert(1)",
])("the return path cannot be another host: %s", async (to) => {
  const response = await browserOf(local).go(`/login?return=${encodeURIComponent(to)}`);
  expect(await problemOf(response)).toMatchObject({ status: 400, detail: "`return` is not a path of this floor" });
  expect(response.headers.getSetCookie()).toEqual([]);
});

test("a return path that is too long is refused", async () => {
  const response = await browserOf(local).go(`/login?return=/${"x".repeat(1_024)}`);
  expect((await problemOf(response)).status).toBe(400);
});

test("a return path with non-ASCII letters is percent-encoded", async () => {
  const { response } = await browserOf(local).signIn(`/login?return=${encodeURIComponent("/gespräch")}`);
  expect(response.headers.get("location")).toBe("/gespr%C3%A4ch");
});

test("a cookie allows reads, and writes only from a page of this floor", async () => {
  const browser = browserOf(local);
  await browser.signIn();
  const sent = async (method: string, headers: Record<string, string>) =>
    (await browser.go("/me", { method, headers })).status;
  expect(await sent("GET", {})).toBe(200);
  expect(await sent("HEAD", {})).toBe(200);
  for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
    expect([method, await sent(method, {})]).toEqual([method, 403]);
    expect([method, await sent(method, { origin: "https://evil.example" })]).toEqual([method, 403]);
    expect([method, await sent(method, { origin: local })]).toEqual([method, 200]);
  }
  expect(await sent("GET", { upgrade: "websocket" })).toBe(403);
  expect(await sent("GET", { upgrade: "websocket", origin: local })).toBe(200);
});

test("a session ends at sign-out, also for a copied cookie", async () => {
  const browser = browserOf(local);
  await browser.signIn();
  const kept = browser.jar.get("plenary_session") ?? "";
  expect((await browser.go("/logout", { method: "POST" })).status).toBe(403);
  expect((await browser.go("/me")).status).toBe(200);
  expect((await browser.go("/logout", { method: "POST", headers: { origin: local } })).status).toBe(204);
  expect(browser.jar.size).toBe(0);
  browser.jar.set("plenary_session", kept);
  expect(await problemOf(await browser.go("/me"))).toMatchObject({
    status: 401,
    detail: "this session has ended",
    fix: "sign in again at /login",
  });
});

test("the id of a session alone cannot end it, and a second sign-out is no error", async () => {
  const browser = browserOf(local);
  await browser.signIn();
  const kept = browser.jar.get("plenary_session") ?? "";
  const leave = () => browser.go("/logout", { method: "POST", headers: { origin: local } });
  browser.jar.set("plenary_session", `${kept.slice(0, -43)}${"x".repeat(43)}`);
  expect((await leave()).status).toBe(204);
  expect((await leave()).status).toBe(204);
  browser.jar.set("plenary_session", kept);
  expect((await browser.go("/me")).status).toBe(200);
});

test("a session lasts twelve hours", async () => {
  const browser = browserOf(local);
  await browser.signIn();
  aheadMs = 12 * 3_600_000 - 5_000;
  expect((await browser.go("/me")).status).toBe(200);
  aheadMs = 12 * 3_600_000;
  expect((await browser.go("/me")).status).toBe(401);
});
