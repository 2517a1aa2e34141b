// Limits for callers without a credential: at hosted agents, at relay addresses, and with invented answers.
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { createMemoryCredentials, type FloorServerOptions } from "@plenary/server";
import { afterEach, expect, test } from "vitest";
import type { Json } from "../support/envelopes.ts";
import { addKey, startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";

const ann = "tag:ann.example,2026:1";
const bot = "tag:bot.example,2026:1";
const limit = 65_536;

/** An agent without our code: it answers with the number of utterances that it received. */
const listener = async (request: Request) => Response.json({ heard: (await request.text()).length });

let floor: TestFloor;
let url: string;
let key: string;

async function start(options: FloorServerOptions = {}): Promise<void> {
  const credentials = createMemoryCredentials();
  key = await addKey(credentials, bot, { isPerson: false });
  const manifest = { identification: { speakerUri: "tag:listener.example,2026:1" } };
  const hostedAgents = { names: ["listener"], create: () => ({ fetch: listener, manifest }) };
  const dialler = { dial: () => Promise.reject(new Error("no agent is dialled")) };
  floor = await startTestFloor({ retries: "default", dialler, credentials, hostedAgents, ...options });
  url = floor.url;
  const owner = { identification: { speakerUri: ann } };
  expect((await post("/api/v1/conversations", JSON.stringify({ id: "c", owner }), operator)).status).toBe(201);
}

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const operator = { authorization: `Bearer ${token}` };
const relayOf = (speakerUri: string) => `/openfloor/at/${Buffer.from(speakerUri).toString("base64url")}`;
const addresses = ["/agents/listener", relayOf(ann)];

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
}

const envelopeOf = (events: unknown[], id = "elsewhere"): Json => ({
  openFloor: { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri: bot }, events },
});

/** An envelope of exactly this many bytes. */
function sized(bytes: number): string {
  const empty = JSON.stringify({ ...envelopeOf([]), filler: "" });
  return empty.replace('"filler":""', `"filler":"${"x".repeat(bytes - empty.length)}"`);
}

/** Sends a body without a Content-Length. */
function postInPieces(path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = httpRequest(`${url}${path}`, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.write(body.slice(0, 10));
    sent.end(body.slice(10));
  });
}

test("a body of 64 KiB is accepted without a credential, and a larger one only with a credential", async () => {
  await start();
  for (const path of addresses) {
    const taken = (await post(path, sized(limit))).status;
    expect([path, taken]).not.toEqual([path, 413]);
    const refused = await post(path, sized(limit + 1));
    expect([path, refused.status]).toEqual([path, 413]);
    expect(refused.json).toMatchObject({
      type: "urn:plenary:problem:too-large",
      fix: expect.stringContaining("credential"),
    });
    expect(refused.json.detail).toContain(String(limit));
    expect(await postInPieces(path, sized(limit + 1))).toBe(413);
    const known = await post(path, sized(limit + 1), { authorization: `Bearer ${key}` });
    expect([path, known.status]).toEqual([path, taken]);
    const wrong = await post(path, sized(limit + 1), { authorization: "Bearer made-up" });
    expect([path, wrong.status]).toEqual([path, 413]);
  }
  expect((await post("/agents/listener", sized(limit))).json).toEqual({ heard: limit });
});

test("a body of many small values is refused before it is parsed", async () => {
  await start();
  const valuesOf = (count: number) => JSON.stringify({ ...envelopeOf([]), filler: Array(count).fill(0) });
  for (const path of addresses) {
    const { status, json } = await post(path, valuesOf(5_000));
    expect([path, status]).toEqual([path, 413]);
    expect(json.detail).toContain("2048");
    expect((await post(path, valuesOf(2_000))).status).not.toBe(413);
    expect((await post(path, valuesOf(5_000), { authorization: `Bearer ${key}` })).status).not.toBe(413);
  }
});

test("events of unknown types count toward the limit of events", async () => {
  await start();
  const events = [...Array(64).fill({ eventType: "sing" }), { eventType: "bye" }];
  for (const path of addresses) {
    const { status, json } = await post(path, JSON.stringify(envelopeOf(events)));
    expect([path, status, json.pointer]).toEqual([path, 413, "/openFloor/events"]);
  }
  const own = await post("/openfloor", JSON.stringify(envelopeOf(events, "c")), { authorization: `Bearer ${key}` });
  expect(own.status).toBe(413);
});

test("unauthenticated bytes are rate-limited per address, and other callers are not affected", async () => {
  // No allowance is restored during the test.
  await start({ rateLimits: { anonymousBytes: { perS: 0.001, burst: 3 * limit } } });
  for (const path of [...addresses, "/agents/listener"]) expect((await post(path, sized(limit))).status).not.toBe(429);
  for (const path of addresses) {
    const { status, headers, json } = await post(path, sized(limit));
    expect([path, status]).toEqual([path, 429]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(60);
    expect(json.detail).toContain("bytes");
  }
  // A small body has a cost, too.
  expect((await post("/agents/listener", sized(200))).status).toBe(429);
  expect((await post("/agents/listener", sized(limit), { authorization: `Bearer ${key}` })).status).toBe(200);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect((await fetch(`${url}/api/v1/conversations`, { headers: operator })).status).toBe(200);
});

test("without a credential a small body of many values costs as much as a large body", async () => {
  await start({ rateLimits: { anonymousBytes: { perS: 0.001, burst: 2 * limit } } });
  const dense = JSON.stringify({ ...envelopeOf([]), filler: Array(2_000).fill(0) });
  for (const path of [addresses[0], addresses[1]]) expect((await post(path ?? "", dense)).status).not.toBe(429);
  for (const path of addresses) expect([path, (await post(path, dense)).status]).toEqual([path, 429]);
});

test("an answer without proof is refused before it is parsed, and its bytes count toward the rate limit", async () => {
  await start({ rateLimits: { anonymousBytes: { perS: 0.001, burst: 2 * limit } } });
  const nonsense = JSON.stringify(envelopeOf(Array(1_000).fill({ eventType: "utterance" }), "c"));
  const made = { "in-reply-to": "d1.1.made-up" };
  // Errors in the JSON itself are named.
  expect((await post("/openfloor", "{", made)).status).toBe(400);
  // This would be 413 if the events were read.
  expect((await post("/openfloor", nonsense, made)).status).toBe(401);
  expect((await post("/openfloor", sized(limit), made)).status).toBe(401);
  expect((await post("/openfloor", sized(limit), made)).status).toBe(429);
});

test("a relay address answers the same for a person and for an unknown name", async () => {
  await start();
  const nobody = "tag:nobody.example,2026:1";
  for (const events of [[], [{ eventType: "invite", to: { speakerUri: ann } }], [{ eventType: "bye" }]]) {
    const [person, unknown] = await Promise.all(
      [ann, nobody].map(async (name) => {
        const text = JSON.stringify(envelopeOf(events)).replaceAll(ann, name);
        const { status, json } = await post(relayOf(name), text);
        return { status, text: JSON.stringify(json).replaceAll(relayOf(name), "").replaceAll(name, "") };
      }),
    );
    expect(unknown).toEqual(person);
    expect(unknown?.text).not.toContain("person,");
  }
});

/** Sends exactly these bytes, and returns the answer up to the end of the connection. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

test("a request without a Host header, or with an empty one, is refused on every route", async () => {
  await start();
  const auth = `Authorization: Bearer ${token}\r\n`;
  const post = `${auth}Content-Length: 2\r\nContent-Type: application/json\r\n`;
  const socket = `${auth}Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n`;
  for (const [line, rest] of [
    ["GET /livez", `Connection: close\r\n\r\n`],
    [`GET ${url}/livez`, `Connection: close\r\n\r\n`],
    ["GET /api/v1/conversations", `${auth}Connection: close\r\n\r\n`],
    ["POST /openfloor", `${post}Connection: close\r\n\r\n{}`],
    ["POST /agents/listener", `${post}Connection: close\r\n\r\n{}`],
    ["GET /openfloor/ws?speaker=x:y", `${socket}Connection: Upgrade\r\n\r\n`],
    ["GET /websocket", `${socket}Connection: Upgrade\r\n\r\n`],
  ] as const) {
    for (const host of ["HTTP/1.1\r\nHost:\r\n", "HTTP/1.1\r\nHost: \t \r\n", "HTTP/1.0\r\n"]) {
      const answer = await raw(`${line} ${host}${rest}`);
      expect([line, host, answer.split(" ")[1]]).toEqual([line, host, "403"]);
      expect(answer).toContain("urn:plenary:problem:forbidden-host");
    }
  }
});

test.each<[string, string]>([
  ["is too long", "x".repeat(257)],
  ["holds a line end", "a\nb"],
  ["holds a control character", "a\u0085b"],
  ["is a dot", "."],
  ["is two dots", ".."],
  ["holds a dot segment", "a/../b"],
  ["ends with one", "a/."],
  ["holds one of Windows", "a\\..\\b"],
])("no conversation is created under an id that %s", async (_what, id) => {
  await start();
  const byEnvelope = JSON.stringify(envelopeOf([], id)).replaceAll(bot, ann);
  for (const [path, body, pointer] of [
    ["/api/v1/conversations", JSON.stringify({ id }), "/id"],
    ["/openfloor", byEnvelope, "/openFloor/conversation/id"],
  ] as const) {
    const { status, json } = await post(path, body, operator);
    expect([path, status, json.pointer]).toEqual([path, 400, pointer]);
    expect(json.fix).toContain("256");
  }
  const { json } = await fetch(`${url}/api/v1/conversations`, { headers: operator }).then(async (response) => ({
    json: (await response.json()) as { conversations: Json[] },
  }));
  expect(json.conversations.map((one) => one.id)).toEqual(["c"]);
});

test("an id may have 256 characters, dots within words, and slashes", async () => {
  await start();
  for (const id of ["x".repeat(256), "a.b/..c/d..", "tag:floor.example,2026:1", "ünïcode"]) {
    expect((await post("/api/v1/conversations", JSON.stringify({ id }), operator)).status).toBe(201);
  }
});
