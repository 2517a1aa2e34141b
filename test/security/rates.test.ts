// Rate limits by credential, by address, and for unknown credentials.
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { envelopeOf, type Json, utterance } from "../support/envelopes.ts";
import { type FloorWithRoles, type Role, speakerOf, startFloorWithRoles } from "./floor-with-roles.ts";

let floor: FloorWithRoles;
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

/** No allowance is restored during the test. */
const three = { perS: 0.000_001, burst: 3 };
const plenty = { perS: 1_000, burst: 1_000 };

async function statuses(count: number, ask: () => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = [];
  for (let turn = 0; turn < count; turn += 1) found.push((await ask()).status);
  return found;
}

const list = "/api/v1/conversations";

test("a credential over its rate limit gets Retry-After, and other credentials are not affected", async () => {
  floor = await startFloorWithRoles({
    options: { rateLimits: { perPrincipal: { perS: 0.000_01, burst: 30 }, perAddress: plenty } },
  });
  const said = () => floor.send("agent", [utterance(speakerOf("agent"), "again")]);
  expect(await statuses(30, said)).toEqual(Array(30).fill(200));
  const refused = await said();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60);
  expect(refused.body).toMatchObject({ type: "urn:plenary:problem:too-often" });
  expect((await floor.call("person", "GET", list)).status).toBe(200);
  expect((await floor.call("operator", "GET", list)).status).toBe(200);
});

test("an address over its rate limit is refused with any credential but the operator's", async () => {
  floor = await startFloorWithRoles({ options: { rateLimits: { perAddress: { perS: 0.000_001, burst: 40 } } } });
  const refused = (await statuses(40, () => floor.call("anonymous", "GET", "/agents/nobody"))).filter((s) => s === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect((await floor.call("person", "GET", list)).status).toBe(429);
  expect((await floor.call("operator", "GET", list)).status).toBe(200);
  expect((await floor.call("anonymous", "GET", "/livez")).status).toBe(200);
});

test("after ten wrong credentials from one address in a minute the next ones get 429", async () => {
  // The default, but no allowance is restored during the test.
  floor = await startFloorWithRoles({ options: { rateLimits: { badCredentials: { perS: 0.000_001, burst: 10 } } } });
  const wrong = () => floor.call("anonymous", "GET", list, undefined, { authorization: "Bearer wrong" });
  expect(await statuses(11, wrong)).toEqual([...Array(10).fill(401), 429]);
  expect(Number((await wrong()).headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  // A request without a credential is no guess, and a valid credential is not affected by wrong ones from the same address.
  expect((await floor.call("anonymous", "GET", list)).status).toBe(401);
  expect((await floor.call("person", "GET", list)).status).toBe(200);
});

test("the client address comes from our own proxies, and forged headers do not count", async () => {
  const proxied = (proxies: number) =>
    startFloorWithRoles({ options: { proxies, rateLimits: { badCredentials: three } } });
  const wrong = (from: string) =>
    floor.call("anonymous", "GET", list, undefined, { authorization: "Bearer wrong", "x-forwarded-for": from });
  floor = await proxied(1);
  expect(await statuses(4, () => wrong("203.0.113.9, 198.51.100.7"))).toEqual([401, 401, 401, 429]);
  expect((await wrong("198.51.100.7, 198.51.100.8")).status).toBe(401);
  expect((await wrong("made up, 198.51.100.7")).status).toBe(429);
  await floor.close();
  floor = await proxied(0);
  let turn = 0;
  expect(await statuses(4, () => wrong(`198.51.100.${turn++}`))).toEqual([401, 401, 401, 429]);
});

test("a principal opens conversations up to its limit, and the floor up to its total", async () => {
  floor = await startFloorWithRoles({ options: { rateLimits: { conversations: three } } });
  const begin = () => floor.call("person", "POST", list, {});
  expect(await statuses(4, begin)).toEqual([201, 201, 201, 429]);
  const byEnvelope = envelopeOf("a-new-one", speakerOf("person"), []);
  expect((await floor.call("person", "POST", "/openfloor", byEnvelope)).status).toBe(429);
  expect((await floor.call("operator", "GET", `${list}/a-new-one`)).status).toBe(404);
  await floor.close();
  floor = await startFloorWithRoles({ options: { requestLimits: { conversationsMax: 2 } } });
  expect(await statuses(3, () => floor.call("operator", "POST", list, {}))).toEqual([201, 503, 503]);
});

test("requests without a credential are counted, except the health routes", async () => {
  floor = await startFloorWithRoles({ options: { rateLimits: { perAddress: { perS: 0.000_001, burst: 40 } } } });
  const found = await statuses(41, () => floor.call("anonymous", "GET", list));
  expect(found[0]).toBe(401);
  expect(found.at(-1)).toBe(429);
  const cookie = "__Host-plenary_session=made-up; plenary_session=made-up";
  expect((await floor.call("anonymous", "GET", list, undefined, { cookie })).status).toBe(429);
  expect(await statuses(50, () => floor.call("anonymous", "GET", "/livez"))).toEqual(Array(50).fill(200));
  expect((await floor.call("operator", "GET", list)).status).toBe(200);
});

/** Sends these frames over one socket, and returns the answer to each. */
async function framesOf(role: Role, frames: readonly (string | Buffer)[]): Promise<Json[]> {
  const speaker = encodeURIComponent(speakerOf(role));
  const ws = new WebSocket(`${floor.url.replace("http", "ws")}/openfloor/ws?speaker=${speaker}&conversation=none`, {
    headers: floor.headersOf(role),
  });
  await once(ws, "open");
  const answers: Json[] = [];
  for (const frame of frames) {
    const heard = once(ws, "message");
    ws.send(frame, { binary: typeof frame !== "string" });
    answers.push(JSON.parse(String((await heard)[0])) as Json);
  }
  ws.close();
  await once(ws, "close");
  return answers;
}

const statusesIn = (answers: readonly Json[]) =>
  answers.map(({ ack, problem }) => (ack === undefined ? (problem as Json).status : "ack"));

const same = () =>
  JSON.stringify({ ...envelopeOf("c", speakerOf("agent"), [utterance(speakerOf("agent"), "x")]), id: "1" });

test.each<[string, () => string | Buffer, number | string]>([
  ["repeat an id", same, "ack"],
  ["cannot be read", () => "{", 400],
  ["are binary", () => Buffer.from("{}"), 400],
])("frames that %s are counted like all others, except the operator's", async (_what, frame, answered) => {
  floor = await startFloorWithRoles({ options: { rateLimits: { perPrincipal: { perS: 0.000_001, burst: 8 } } } });
  const frames = Array(10).fill(frame()) as (string | Buffer)[];
  const found = await framesOf("agent", frames);
  // Opening the socket was the first of the eight.
  expect(statusesIn(found)).toEqual([...Array(7).fill(answered), ...Array(3).fill(429)]);
  const nack = answered === "ack" ? "1" : null;
  expect(found.at(-1)).toMatchObject({ nack, problem: { type: "urn:plenary:problem:too-often" } });
  const operators = frames.map((one) => (typeof one === "string" ? one.replaceAll("agent", "person") : one));
  expect(statusesIn(await framesOf("operator", operators))).toEqual(Array(10).fill(answered));
});

test("an envelope with more events than the limit is refused", async () => {
  floor = await startFloorWithRoles();
  const events = (count: number): Json[] =>
    Array.from({ length: count }, () => utterance(speakerOf("person"), "one of many"));
  expect((await floor.send("person", events(64))).status).toBe(200);
  const refused = await floor.send("person", events(65));
  expect(refused).toMatchObject({ status: 413, body: { pointer: "/openFloor/events" } });
  expect(JSON.stringify(refused.body)).toContain("64");
});
