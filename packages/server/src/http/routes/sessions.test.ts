import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryCredentials } from "../../auth/memory-credentials.ts";
import { type CredentialStore, newCredentialToken } from "../../ports/credentials.ts";
import { silentLogger } from "../../ports/logger.ts";
import { createFloorServer, type FloorServer } from "../../server.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import { livePagesMax } from "./sessions.ts";

const operators = "the-operators-token";
const floorUri = "tag:floor.example,2026:floor";
const ann = "tag:ann.example,2026:ann";
const dayMs = 86_400_000;
const dialler = { dial: () => Promise.reject(new Error("no request expected")) };

let clock: FakeClock;
let credentials: CredentialStore;
let server: FloorServer;
let url = "";

beforeEach(async () => {
  clock = createFakeClock();
  credentials = createMemoryCredentials();
  server = await createFloorServer(
    { store: createMemoryStore(), dialler, credentials, clock, logger: silentLogger },
    { token: operators, speakerUri: floorUri, drainMs: 0, listen: { port: 0 } },
  );
  url = server.url;
});

afterEach(async () => {
  const closing = server.close();
  await clock.advance(60_000);
  await closing;
});

/** The fields that the tests read. */
type Answer = Record<"token" | "speakerUri" | "expiresAt" | "link" | "pointer" | "fix", string> & {
  conversation: { owner: string };
};

async function call(token: string, method: string, path: string, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: JSON.parse(text || "{}") as Answer };
}

const bind = async (fields: object = {}) => (await call(operators, "POST", "/api/v1/sessions", fields)).json;

const me = async (token: string) => {
  const { status, json } = await call(token, "GET", "/api/v1/me");
  return status === 200 ? json : status;
};

test("the operator exchanges its token for a page token, which hosts and speaks as one person only", async () => {
  const answer = await call(operators, "POST", "/api/v1/sessions", { name: "Ann", speakerUri: ann });
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"]);
  const expiresAt = new Date(clock.now() + 30 * dayMs).toISOString();
  expect(answer.json).toEqual({ token: expect.stringMatching(/^plenaryp_/u), speakerUri: ann, name: "Ann", expiresAt });
  const { token } = answer.json;
  expect(await credentials.isPerson(ann, new Date(clock.now()).toISOString())).toBe(true);
  expect((await call(token, "POST", "/api/v1/conversations", { id: "c1" })).json.conversation.owner).toBe(ann);
  expect((await call(token, "GET", "/api/v1/conversations/c1/log")).status).toBe(200);
  expect((await call(token, "POST", "/api/v1/tickets", { speaker: ann })).status).toBe(201);
  const other = { owner: { identification: { speakerUri: "tag:bob.example,2026:bob" } } };
  expect((await call(token, "POST", "/api/v1/conversations", other)).status).toBe(403);
  expect((await call(token, "GET", "/api/v1/dead-letters")).status).toBe(403);
  expect((await call(token, "POST", "/api/v1/sessions", {})).status).toBe(403);
});

test("without a speakerUri the page token belongs to the floor's host", async () => {
  expect((await bind()).speakerUri).toBe(`${floorUri}/host`);
});

test("an invalid name or speakerUri is refused with a pointer", async () => {
  for (const [fields, pointer] of [
    [{ name: "" }, "/name"],
    [{ name: "x".repeat(101) }, "/name"],
    [{ name: 1 }, "/name"],
    [{ name: "suG\u202E" }, "/name"],
    [{ name: "\u3164" }, "/name"],
    [{ speakerUri: "ann" }, "/speakerUri"],
  ] as const) {
    const { status, json } = await call(operators, "POST", "/api/v1/sessions", fields);
    expect([status, json.pointer]).toEqual([400, pointer]);
  }
});

test("every caller gets its own identity and the floor's", async () => {
  const floor = { speakerUri: floorUri, serviceUrl: `${url}/openfloor` };
  expect(await me(operators)).toEqual({ kind: "operator", speakers: "anyone", scopes: ["host"], floor });
  const { token, expiresAt } = await bind({ name: "Ann", speakerUri: ann });
  const person = { kind: "person", speakers: [ann], scopes: ["host"] };
  expect(await me(token)).toEqual({ ...person, label: "Ann", expiresAt, floor });
  await call(token, "POST", "/api/v1/conversations", { id: "c1" });
  const { link } = (await call(token, "POST", "/api/v1/conversations/c1/links", {})).json;
  const guest = (await call("", "POST", "/api/v1/guests", { invite: link.split("#invite=")[1] })).json;
  expect(await me(guest.token)).toEqual({
    kind: "guest",
    speakers: [guest.speakerUri],
    scopes: [],
    conversations: ["c1"],
    floor,
    expiresAt: guest.expiresAt,
  });
  expect(await me("nobody's")).toBe(401);
});

test("a page token expires after 30 days, and the refusal has a fix", async () => {
  const { token } = await bind();
  await clock.advance(30 * dayMs - 1);
  expect(await me(token)).toMatchObject({ kind: "person" });
  await clock.advance(1);
  const { status, json } = await call(token, "GET", "/api/v1/me");
  expect([status, json.fix]).toEqual([401, "open the link that the floor printed at its start again"]);
});

test("sign-out revokes the token of the request only", async () => {
  const [{ token: mine }, { token: other }] = [await bind(), await bind()];
  expect((await call(mine, "DELETE", "/api/v1/sessions")).status).toBe(204);
  expect(await me(mine)).toBe(401);
  expect(await me(other)).toMatchObject({ kind: "person" });
  expect((await call(operators, "DELETE", "/api/v1/sessions")).status).toBe(422);
});

test("above the limit the oldest page token is revoked, and no other credential", async () => {
  const { token: key, ...made } = newCredentialToken("key");
  const createdAt = new Date(clock.now() - dayMs).toISOString();
  await credentials.add({ ...made, kind: "key", speakers: [ann], scopes: [], isPerson: false, createdAt });
  const tokens: string[] = [];
  for (let count = 0; count < livePagesMax; count += 1) {
    tokens.push((await bind()).token);
    await clock.advance(1_000);
  }
  const [first = "", second = ""] = tokens;
  expect(await me(first)).toMatchObject({ kind: "person" });
  const { token: last } = await bind();
  expect(await me(first)).toBe(401);
  for (const token of [second, last, key]) expect(await me(token)).toMatchObject({ speakers: [expect.any(String)] });
});

test("the version says whether people can sign in", async () => {
  expect((await call("", "GET", "/version")).json).toMatchObject({
    name: "plenary",
    openFloor: "1.1.0",
    signIn: false,
  });
  const signIn = { issuer: "https://issuer.example/", clientId: "floor" };
  const identityDial = () => Promise.reject(new Error("away"));
  const ports = { store: createMemoryStore(), dialler, identityDial, logger: silentLogger };
  const other = await createFloorServer(ports, { signIn, listen: { port: 0 } });
  expect(await (await fetch(`${other.url}/version`)).json()).toMatchObject({ signIn: true });
  await other.close();
});
