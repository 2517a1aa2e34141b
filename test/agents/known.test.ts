// What a floor records of its agents, and still knows after a restart.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStore, type KnownAgent } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startAgent } from "../support/http-agent.ts";
import { hasty, startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import * as peer from "./foreign-agents.ts";

let folder: string;
let floor: TestFloor;

async function start(deliveryLimits = {}): Promise<void> {
  floor = await startTestFloor({ store: createSqliteStore(join(folder, "floor.db")), deliveryLimits });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plenary-known-"));
  await start();
});
afterEach(async () => {
  await floor.close();
  rmSync(folder, { recursive: true });
  expect(floor.errors).toEqual([]);
});

const place = "/api/v1/agents";
const all = async () => (await floor.call("GET", place)).body.agents as KnownAgent[];
const known = async (serviceUrl: string) => (await all()).find((agent) => agent.serviceUrl === serviceUrl);

async function added({ url: serviceUrl }: { url: string }): Promise<KnownAgent> {
  const { status, body } = await floor.call("POST", place, { serviceUrl });
  expect(status).toBe(201);
  return body as unknown as KnownAgent;
}

async function checked({ url: serviceUrl }: { url: string }): Promise<KnownAgent | undefined> {
  return ((await floor.call("POST", `${place}/check`, { serviceUrl })).body.agents as KnownAgent[])[0];
}

test("each kind of agent is listed with its name, health, latency and dialect", async () => {
  const dead = { url: await peer.deadAddress() };
  const agents = {
    modern: await startAgent(peer.modern("Newton")),
    old: await startAgent(peer.old),
    liar: await startAgent(peer.liar),
    broken: await startAgent(() => ({ status: 502, body: "" })),
    mute: await startAgent(() => ({ status: 204, body: "" })),
    dead,
  };
  const records = await Promise.all(Object.values(agents).map(added));
  const [modern, old, liar, broken, mute, gone] = records;
  expect(modern).toMatchObject({
    health: "answering",
    dialect: "1.1",
    quirks: [],
    failuresInARow: 0,
    latencyMs: { of: 1 },
    manifest: { identification: { conversationalName: "Newton" } },
  });
  expect(old).toMatchObject({
    health: "answering",
    dialect: "0.9",
    manifest: { identification: { conversationalName: "Methuselah" } },
  });
  expect(liar).toMatchObject({ health: "failing", trouble: { code: "no-envelope" }, failuresInARow: 1 });
  expect(broken).toMatchObject({
    health: "failing",
    trouble: { code: "status", detail: expect.stringContaining("502") },
  });
  expect(mute).toMatchObject({ health: "answering" });
  expect(mute?.manifest).toBeUndefined();
  expect(gone).toMatchObject({ health: "silent", trouble: { code: "unreachable" } });
  // A check does not retry.
  expect(floor.dialler.dialled.filter((url) => url === dead.url)).toHaveLength(1);
  expect(await all()).toHaveLength(records.length);
});

test("each rule that an agent's documents break is counted, with the remedy, and never quoted", async () => {
  const agent = await startAgent(peer.quirky);
  await floor.invite("c", agent);
  await floor.say("c", "the secret");
  await expect.poll(async () => (await known(agent.url))?.manifest, patience).toBeDefined();
  const { quirks = [], health } = (await known(agent.url)) ?? {};
  expect(health).toBe("answering");
  const rules = quirks.map(({ rule }) => rule);
  expect(rules).toEqual(
    expect.arrayContaining(["identification-service-name", "identification-synopsis", "supported-layers"]),
  );
  expect(quirks.find(({ rule }) => rule === "identification-service-name")).toMatchObject({
    count: 1,
    isRepaired: true,
    fix: "rename serviceName to department",
    spec: expect.stringContaining("1.6"),
  });
  // Each of its three answers had blanks in the version.
  expect(quirks.find(({ rule }) => rule.includes("version"))).toMatchObject({ count: 3 });
  expect(JSON.stringify(await all())).not.toMatch(/plugh|secret/u);
});

test("health and latency come from deliveries, without a check", async () => {
  const agent = await peer.startChangeling(peer.modern("Newton"));
  await floor.invite("c", agent);
  for (const word of ["one", "two", "three"]) await floor.say("c", word);
  const { latencyMs, lastAnsweredAt } = (await known(agent.url)) ?? {};
  // The invite, three utterances, and perhaps already the request for its manifest.
  expect(latencyMs?.of).toBeGreaterThanOrEqual(4);
  agent.become(peer.liar);
  await floor.say("c", "four");
  expect(await known(agent.url)).toMatchObject({ health: "failing", lastAnsweredAt, trouble: { code: "no-envelope" } });
  agent.become(peer.modern("Newton"));
  await floor.say("c", "five");
  const now = await known(agent.url);
  expect(now).toMatchObject({ health: "answering", failuresInARow: 0, manifest: expect.anything() });
  expect(now?.trouble).toBeUndefined();
});

test("an agent that never answers is listed as silent, and the check ends in time", async () => {
  await floor.server.close();
  await start(hasty);
  expect(await added(await startAgent(peer.slow))).toMatchObject({ health: "silent", trouble: { code: "timeout" } });
});

test("an invite to a mistyped address adds nothing to the list", async () => {
  await floor.invite("c", { url: await peer.deadAddress() });
  expect(await all()).toEqual([]);
});

test("the list is the same after a restart, without removed agents", async () => {
  const agents = [await startAgent(peer.modern("Newton")), await startAgent(peer.old), await startAgent(peer.quirky)];
  const dead = await peer.deadAddress();
  for (const agent of agents) await added(agent);
  await added({ url: dead });
  await added({ url: `${dead}other` });
  const { status } = await floor.call("DELETE", `${place}?serviceUrl=${encodeURIComponent(`${dead}other`)}`);
  expect(status).toBe(204);
  const before = await all();
  expect(before).toHaveLength(4);
  await floor.server.close();
  await start();
  expect(await all()).toEqual(before);
});

test("a detected dialect is tried first at the same agent, also after a restart", async () => {
  const agent = await startAgent(peer.old);
  await floor.invite("a", agent);
  expect(peer.dialects(agent.heard).slice(0, 3)).toEqual(["1.1.0", "1.0.0", "0.9.3"]);
  await expect.poll(() => agent.heard.length, patience).toBe(4);
  await floor.invite("b", agent);
  await expect.poll(() => agent.heard.length, patience).toBe(6);
  await floor.server.close();
  await start();
  await floor.invite("c", agent);
  await expect.poll(() => agent.heard.length, patience).toBe(8);
  expect(peer.dialects(agent.heard).slice(3)).toEqual(Array.from({ length: 5 }, () => "0.9.3"));
  const { conversants } = await floor.state("c");
  expect(conversants.map(({ state }) => state)).toEqual(["joined", "joined"]);
});

test("an agent that was updated is detected and gets its new dialect", async () => {
  const agent = await peer.startChangeling(peer.old);
  await floor.invite("a", agent);
  expect(await known(agent.url)).toMatchObject({ dialect: "0.9" });
  await expect.poll(() => agent.heard.length, patience).toBe(4);
  agent.become(peer.updated);
  agent.heard.length = 0;
  await floor.invite("b", agent);
  expect(peer.dialects(agent.heard).slice(0, 2)).toEqual(["0.9.3", "1.1.0"]);
  expect(await known(agent.url)).toMatchObject({ dialect: "1.1", health: "answering" });
  await expect.poll(() => agent.heard.length, patience).toBe(3);
  agent.heard.length = 0;
  await floor.invite("c", agent);
  expect(peer.dialects(agent.heard)[0]).toBe("1.1.0");
});

test("a check begins with the newest dialect, so that an updated agent is detected", async () => {
  const agent = await peer.startChangeling(peer.old);
  await added(agent);
  // Answers in the dialect of the request.
  agent.become((heard, me) => (heard.body.ovon === undefined ? peer.updated : peer.old)(heard, me));
  expect(await checked(agent)).toMatchObject({ dialect: "1.1" });
});

test("a check ignores an open circuit breaker, and a successful check closes it", async () => {
  const agent = await peer.startChangeling(() => ({ status: 500, body: "" }));
  await added(agent);
  for (let count = 0; count < 3; count += 1) await checked(agent);
  expect(await known(agent.url)).toMatchObject({ health: "failing", failuresInARow: 4 });
  agent.become(peer.modern("Newton"));
  expect(await checked(agent)).toMatchObject({ health: "answering", failuresInARow: 0 });
  await floor.invite("c", agent);
  expect((await floor.state("c")).conversants).toHaveLength(2);
});

test("a manifest may have values of any type and length, and the floor keeps what it can use", async () => {
  const hostile = await added(await startAgent(peer.hostile));
  expect(hostile).toMatchObject({
    health: "answering",
    manifest: { identification: { conversationalName: peer.hostileName } },
  });
  expect(hostile.quirks.length).toBeGreaterThan(0);
  const huge = await added(await startAgent(peer.huge));
  expect(huge.manifest).toBeUndefined();
  expect(huge).toMatchObject({ health: "answering", manifestBytes: expect.any(Number) });
  expect(JSON.stringify(await all()).length).toBeLessThan(20_000);
});
