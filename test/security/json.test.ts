import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ambiguous, invalid, others } from "./json-corpus.ts";
import { envelopeOf, type Json, operatorToken, type Scene, speakerOf, startScene } from "./scene.ts";

let scene: Scene;
let before: unknown;

const stateOf = async () => (await scene.call("operator", "GET", "/api/v1/conversations/c")).body;

beforeAll(async () => {
  scene = await startScene();
  before = await stateOf();
});
afterAll(async () => {
  expect(await stateOf()).toEqual(before);
  expect(Object.keys(Object.prototype)).toEqual([]);
  await scene.close();
  expect(scene.errors).toEqual([]);
});

/** Every place that reads JSON. */
const places = [
  "/openfloor",
  `/openfloor/at/${Buffer.from(speakerOf("person")).toString("base64url")}`,
  "/api/v1/conversations",
  "/api/v1/conversations/c/seat",
  "/api/v1/conversations/c/links",
  "/api/v1/tickets",
  "/api/v1/guests",
  "/api/v1/agents",
];

async function statusAt(path: string, body: string | Buffer): Promise<number> {
  const headers = { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" };
  const response = await fetch(`${scene.url}${path}`, { method: "POST", headers, body });
  const problem = (await response.json()) as Json;
  // What is refused says why and what to do.
  expect([path, problem.status, typeof problem.fix]).toEqual([path, response.status, "string"]);
  return response.status;
}

test.each(Object.entries({ ...invalid, ...ambiguous, ...others }))("%s is refused everywhere", async (_name, body) => {
  for (const path of places) expect([path, await statusAt(path, body)]).toEqual([path, 400]);
});

test("the corpus is as large as it says", () => {
  expect(Object.keys(invalid).length + Object.keys(ambiguous).length).toBeGreaterThanOrEqual(110);
});

test("on a socket each is answered by a refusal, and the socket goes on", async () => {
  const query = `speaker=${encodeURIComponent(speakerOf("person"))}`;
  const ws = new WebSocket(`${scene.url.replace("http", "ws")}/openfloor/ws?${query}`, {
    headers: { authorization: `Bearer ${scene.tokens.get("operator")}` },
  });
  await new Promise((resolve) => ws.once("open", resolve));
  const ask = (text: string) => {
    const answered = new Promise<Json>((resolve) => ws.once("message", (data) => resolve(JSON.parse(String(data)))));
    ws.send(text);
    return answered;
  };
  for (const [name, body] of Object.entries({ ...invalid, ...ambiguous, ...others })) {
    if (typeof body !== "string") continue;
    expect([name, await ask(body)]).toMatchObject([name, { nack: null, problem: { status: 400 } }]);
  }
  const nobody = { openFloor: { ...(envelopeOf(speakerOf("person"), []).openFloor as Json), sender: {} }, id: "alive" };
  expect(await ask(JSON.stringify(nobody))).toMatchObject({ nack: "alive" });
  ws.terminate();
});

test("an envelope is as deep as 32 and no deeper", async () => {
  const nested = (depth: number) => {
    const document = envelopeOf(speakerOf("person"), []) as { openFloor: Json };
    const inner = "[".repeat(depth) + "]".repeat(depth);
    return JSON.stringify({ ...document, openFloor: { ...document.openFloor, extra: 0 } }).replace(
      '"extra":0',
      `"extra":${inner}`,
    );
  };
  const statuses = await Promise.all(
    [29, 30, 31, 32].map(async (depth) => (await scene.call("operator", "POST", "/openfloor", nested(depth))).status),
  );
  expect(statuses.at(-1)).toBe(400);
  expect(statuses[0]).toBe(200);
  before = await stateOf();
});
