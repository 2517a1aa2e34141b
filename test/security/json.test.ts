import { depthMax } from "@plenary/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { envelopeOf, type Json } from "../support/envelopes.ts";
import { token as operatorToken } from "../support/start-test-floor.ts";
import { type FloorWithRoles, speakerOf, startFloorWithRoles } from "./floor-with-roles.ts";
import { ambiguous, invalid, others } from "./json-corpus.ts";

let floor: FloorWithRoles;
let before: unknown;

/** The log without missed and late entries, which the test does not cause. */
async function stateOf(): Promise<string[]> {
  const { body } = await floor.call("operator", "GET", "/api/v1/conversations/c/log?limit=1000");
  const { entries } = body as { entries: { kind: string; because: string }[] };
  return entries
    .filter(({ kind }) => kind !== "missed" && kind !== "late")
    .map(({ kind, because }) => `${kind} ${because}`);
}

beforeAll(async () => {
  floor = await startFloorWithRoles();
  before = await stateOf();
});
afterAll(async () => {
  expect(await stateOf()).toEqual(before);
  expect(Object.keys(Object.prototype)).toEqual([]);
  await floor.close();
  expect(floor.errors).toEqual([]);
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
  const response = await fetch(`${floor.url}${path}`, { method: "POST", headers, body });
  const problem = (await response.json()) as Json;
  // The refusal says what is wrong and what to do.
  expect([path, problem.status, typeof problem.fix]).toEqual([path, response.status, "string"]);
  return response.status;
}

test.each(Object.entries({ ...invalid, ...ambiguous, ...others }))("%s is refused everywhere", async (_name, body) => {
  for (const path of places) expect([path, await statusAt(path, body)]).toEqual([path, 400]);
});

test("the corpus has the declared size", () => {
  expect(Object.keys(invalid).length + Object.keys(ambiguous).length).toBeGreaterThanOrEqual(110);
});

test("each text on a socket is answered by a refusal, and the socket stays open", async () => {
  const query = `speaker=${encodeURIComponent(speakerOf("person"))}`;
  const ws = new WebSocket(`${floor.url.replace("http", "ws")}/openfloor/ws?${query}`, {
    headers: { authorization: `Bearer ${floor.tokens.get("operator")}` },
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
  const nobody = {
    openFloor: { ...(envelopeOf("c", speakerOf("person"), []).openFloor as Json), sender: {} },
    id: "alive",
  };
  expect(await ask(JSON.stringify(nobody))).toMatchObject({ nack: "alive" });
  ws.terminate();
});

/** The document and its root are two levels around the extra field. */
const around = 2;

test(`JSON of depth ${depthMax} is accepted, and deeper JSON is refused`, async () => {
  const other = await startFloorWithRoles();
  const statusOf = async (depth: number) => {
    const { openFloor } = envelopeOf("c", speakerOf("person"), []) as { openFloor: Json };
    const text = JSON.stringify({ openFloor: { ...openFloor, extra: 0 } });
    const inner = "[".repeat(depth - around) + "]".repeat(depth - around);
    return (await other.call("operator", "POST", "/openfloor", text.replace('"extra":0', `"extra":${inner}`))).status;
  };
  const statuses = [await statusOf(depthMax - 1), await statusOf(depthMax), await statusOf(depthMax + 1)];
  expect(statuses).toEqual([200, 200, 400]);
  await other.close();
});
