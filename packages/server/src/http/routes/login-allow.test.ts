// The allow list of people who may sign in.
import type { JWTPayload } from "jose";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryCredentials } from "../../auth/memory-credentials.ts";
import { createBrowser } from "../../testing/login-floor.ts";
import { createOidcIssuer, type OidcIssuer } from "../../testing/oidc-issuer.ts";

let issuer: OidcIssuer;
const clock = { now: () => Date.now(), at: () => () => {} };

beforeEach(async () => {
  issuer = await createOidcIssuer();
});
afterEach(() => issuer.close());

async function signIn(allow: readonly string[] | undefined, claims: JWTPayload) {
  issuer.quirks.claims = claims;
  const credentials = createMemoryCredentials();
  const base = "http://127.0.0.1:7536";
  const browser = createBrowser({ base, issuer: issuer.url, credentials, clock, ...(allow && { allow }) });
  const { response } = await browser.signIn();
  return { response, browser, sessions: await credentials.list({ limit: 9 }) };
}

const verified = { email_verified: true };

test.each<[string, readonly string[] | undefined, JWTPayload]>([
  ["no list", undefined, {}],
  ["a list with *", ["*"], {}],
  ["a list with their address", ["bob@example.com", "ann@example.com"], verified],
  ["a list with their address in another case", ["Ann@Example.COM"], verified],
  ["a list with their domain", ["@example.com"], verified],
  ["a list with their subject", ["sub:ann/1"], {}],
  ["a list with their subject, without an address", ["sub:ann/1"], { email: undefined }],
])("a person may sign in with %s", async (_name, allow, claims) => {
  const { response, sessions } = await signIn(allow, claims);
  expect([response.status, sessions.length]).toEqual([302, 1]);
});

test.each<[string, readonly string[], JWTPayload]>([
  ["an empty list", [], verified],
  ["a list of others", ["bob@example.com", "@example.org", "sub:bob"], verified],
  ["a list with an address that the issuer has not verified", ["ann@example.com"], {}],
  ["a list with an address that the issuer says is not theirs", ["ann@example.com"], { email_verified: false }],
  ["a list with a domain that the issuer has not verified", ["@example.com"], {}],
  ["a list with a domain whose email_verified is a string", ["@example.com"], { email_verified: "true" }],
  ["a list with the end of their domain", ["@ample.com"], verified],
  ["a list with their top-level domain", ["@com"], verified],
  ["a list with a domain before the last @", ["@example.com"], { ...verified, email: "a@example.com@b.org" }],
  ["a list with their subject in another case", ["sub:ANN/1"], verified],
  ["a list with their address as a subject", ["sub:ann@example.com"], verified],
  ["a list with their subject as an address", ["ann/1"], verified],
  ["a list with a domain, for a person without an address", ["@example.com"], { ...verified, email: undefined }],
])("a person is refused with %s: no session, and a fix", async (_name, allow, claims) => {
  const { response, browser, sessions } = await signIn(allow, claims);
  expect(await response.json()).toMatchObject({
    status: 403,
    type: "urn:plenary:problem:forbidden",
    detail: "you have signed in as sub:ann/1, but you are not on the list of people who may sign in",
    fix: "ask the operator of this floor to add you to the list",
  });
  expect([...browser.jar.keys()].filter((name) => name.includes("session"))).toEqual([]);
  expect(sessions).toEqual([]);
});
