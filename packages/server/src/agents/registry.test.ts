import { envelope, type Issue, type Manifest } from "@plenary/protocol";
import { expect, test } from "vitest";
import { StoreError } from "../errors.ts";
import type { AgentStore, StoredAgent } from "../ports/agent-store.ts";
import type { Outcome, PeerObservation } from "../ports/outbound.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { type AgentLocations, createAgentRegistry } from "./registry.ts";

const agentUrl = "http://there.example/";
const relay = "http://here.example/openfloor/at/Ym90";

type Options = { store?: AgentStore; stored?: readonly StoredAgent[]; connected?: string[] };

function known({ store = createMemoryStore().agents, stored = [], connected = [] }: Options = {}) {
  const clock = createFakeClock();
  const errors: unknown[] = [];
  const locations: AgentLocations = {
    placeOf: (serviceUrl) =>
      serviceUrl.includes("/at/") ? "socket" : serviceUrl.includes("/agents/") ? "hosted" : "elsewhere",
    isConnected: (serviceUrl) => connected.includes(serviceUrl),
    connected: () => connected,
  };
  const list = createAgentRegistry({ store, stored, clock, locations, onError: (error) => errors.push(error) });
  const seen = (serviceUrl = agentUrl) => list.all().find((one) => one.serviceUrl === serviceUrl);
  return { store, clock, list, errors, seen, locations };
}

const silence = envelope({ conversation: { id: "c" }, sender: { speakerUri: "tag:bot" }, events: [] });

function answered(
  encounter: Partial<PeerObservation> = {},
  dialect: "1.1" | "1.0" | "0.9" = "1.1",
): { outcome: Outcome } {
  const met = { issues: [], ...encounter };
  return { outcome: { kind: "envelope", envelope: silence, dialect, carried: {}, encounter: met } };
}

function failed(code: string): { outcome: Outcome } {
  return { outcome: { kind: "failure", failure: "unreachable", code, detail: `it is ${code}` } };
}

function manifestOf(conversationalName: string, synopsis = ""): Manifest {
  const about = { speakerUri: "tag:bot", serviceUrl: agentUrl, organization: "", conversationalName, synopsis };
  return { identification: about, capabilities: [] };
}

const issue = (rule: Issue["rule"], repaired = true): Issue => ({
  path: "/x",
  problem: "the secret word is plugh",
  fix: "",
  rule,
  spec: "",
  severity: "warning",
  repaired,
});

test("beyond the maximum of agents the least recent is dropped, never a hosted or connected one", async () => {
  const { list, store, clock } = known({ connected: [relay] });
  list.learn("http://here.example/agents/echo", failed("broken"), { isAdded: true });
  list.learn(relay, answered());
  for (let count = 0; count < 1_000; count += 1) list.learn(`http://there.example/${count}`, answered());
  list.learn("http://there.example/2", answered());
  for (let count = 1_000; count < 1_002; count += 1) list.learn(`http://there.example/${count}`, answered());
  const urls = list.all().map(({ serviceUrl }) => serviceUrl);
  expect(urls).toHaveLength(1_000);
  expect(urls).toEqual(expect.arrayContaining([relay, "http://here.example/agents/echo", "http://there.example/2"]));
  for (const count of [0, 1, 3, 4]) expect(urls).not.toContain(`http://there.example/${count}`);
  for (let count = 0; count < 12; count += 1) await clock.advance(5_000);
  expect((await store.agents()).map(({ serviceUrl }) => serviceUrl).toSorted()).toEqual(urls.toSorted());
});

test("explicitly added agents are dropped last", () => {
  const { list } = known();
  const added = "http://added.example/";
  list.learn(added, failed("unreachable"), { isAdded: true });
  for (let count = 0; count < 1_100; count += 1) list.learn(`http://there.example/${count}`, answered());
  const urls = list.all().map(({ serviceUrl }) => serviceUrl);
  expect(urls).toHaveLength(1_000);
  expect(urls).toContain(added);
  for (let count = 0; count < 1_000; count += 1)
    list.learn(`http://new.example/${count}`, failed("x"), { isAdded: true });
  expect(list.all().map(({ serviceUrl }) => serviceUrl)).not.toContain(added);
});

test("an address is stored normalized, without control characters", () => {
  const { list } = known();
  list.learn("http://there.example/\u001b]0;pwned\u0007", answered());
  expect(list.all().map(({ serviceUrl }) => serviceUrl)).toEqual(["http://there.example/%1B]0;pwned"]);
});

test("the size of manifests is limited, each and in total", () => {
  const { list, seen } = known();
  list.learn(agentUrl, { ...answered(), manifest: manifestOf("small") });
  list.learn(agentUrl, { ...answered(), manifest: manifestOf("large", "x".repeat(70_000)) });
  expect(seen()).toMatchObject({
    health: "answering",
    manifestBytes: expect.any(Number),
    manifestAt: expect.any(String),
  });
  expect(seen()?.manifest).toBeUndefined();
  const broad = manifestOf("broad", "x".repeat(60_000));
  for (let count = 0; count < 400; count += 1) list.learn(`${agentUrl}${count}`, { ...answered(), manifest: broad });
  expect(JSON.stringify(list.all()).length).toBeLessThan(17 * 1_048_576);
  expect(seen(`${agentUrl}399`)?.manifest).toEqual(broad);
});

test("an agent that answers is stored; one that does not only if it was added", () => {
  const { list, seen } = known();
  list.learn(agentUrl, failed("unreachable"));
  expect(list.all()).toEqual([]);
  expect(list.view(list.learn(agentUrl, failed("unreachable"), { isAdded: true }))).toMatchObject({ health: "silent" });
  expect(seen()).toMatchObject({ trouble: { code: "unreachable", detail: "it is unreachable" }, failuresInARow: 1 });
  const refused = { failure: "unreachable", code: "unreachable", detail: `${agentUrl}: connect ECONNREFUSED` } as const;
  list.learn(agentUrl, { outcome: { kind: "failure", ...refused } });
  expect(seen()?.trouble?.detail).toBe("connect ECONNREFUSED");
  list.learn("http://other.example", answered());
  list.learn("http://other.example/", answered());
  expect(list.all().map(({ serviceUrl }) => serviceUrl)).toEqual(["http://other.example/", agentUrl]);
  list.learn(`http://long.example/${"x".repeat(3_000)}`, answered());
  expect(list.all()).toHaveLength(2);
});

test("people are not stored as agents", () => {
  const { list } = known();
  list.learn(relay, answered());
  list.learn(agentUrl, { outcome: { kind: "envelope", envelope: silence, dialect: "1.1", carried: {} } });
  expect(list.all()).toEqual([]);
});

test("health has a start time; without a response it is silent, with an invalid one failing", async () => {
  const { list, seen, clock } = known();
  list.learn(agentUrl, answered());
  await clock.advance(1_000);
  for (const code of ["timeout", "refused-address"]) list.learn(agentUrl, failed(code));
  await clock.advance(1_000);
  list.learn(agentUrl, failed("unreachable"));
  const since = "2026-01-01T00:00:01.000Z";
  const trouble = { code: "unreachable", detail: "it is unreachable" };
  expect(seen()).toMatchObject({ health: "silent", since, trouble, failuresInARow: 3 });
  expect(seen()).toMatchObject({ askedAt: "2026-01-01T00:00:02.000Z", lastAnsweredAt: "2026-01-01T00:00:00.000Z" });
  for (const code of ["status", "no-envelope", "redirect", "broken"]) {
    list.learn(agentUrl, failed(code));
    expect(seen()?.health).toBe("failing");
  }
  list.learn(agentUrl, { outcome: { kind: "later" } });
  expect(seen()).toMatchObject({ health: "answering", since: "2026-01-01T00:00:02.000Z", failuresInARow: 0 });
  expect(seen()?.trouble).toBeUndefined();
  const before = seen();
  list.learn(agentUrl, { outcome: { kind: "aborted" } });
  list.learn(agentUrl, { outcome: { kind: "failure", failure: "unreachable", detail: "it was spared" } });
  expect(seen()).toEqual(before);
});

test("latency covers the latest 64 answers", () => {
  const { list, seen } = known();
  list.learn(agentUrl, answered());
  expect(seen()?.latencyMs).toBeUndefined();
  list.learn(agentUrl, answered({ tookMs: 7 }));
  expect(seen()?.latencyMs).toEqual({ last: 7, p50: 7, p95: 7, of: 1 });
  for (let ms = 1; ms <= 100; ms += 1) list.learn(agentUrl, answered({ tookMs: ms }));
  expect(seen()?.latencyMs).toEqual({ last: 100, p50: 68, p95: 97, of: 64 });
});

test("quirks are counted once per document, limited, and quote no content", () => {
  const { list, seen } = known();
  list.learn(agentUrl, answered({ issues: [issue("root"), issue("root"), issue("keyphrases", false)] }));
  list.learn(agentUrl, answered({ issues: [issue("root")] }));
  expect(seen()?.quirks).toMatchObject([
    { rule: "root", count: 2, isRepaired: true, says: expect.any(String), fix: expect.any(String) },
    { rule: "keyphrases", count: 1, isRepaired: false, spec: expect.stringContaining("Manifest") },
  ]);
  expect(JSON.stringify(seen())).not.toContain("plugh");
});

test("an older dialect found by trying is used for a day; the dialect of an answer alone changes nothing", async () => {
  const { list, seen, clock } = known();
  list.learn(agentUrl, answered({}, "0.9"));
  expect([seen()?.dialect, list.dialectOf(agentUrl)]).toEqual(["0.9", undefined]);
  list.learn(agentUrl, answered({ isDialectFound: true }, "0.9"));
  expect(list.dialectOf("http://there.example")).toBe("0.9");
  await clock.advance(86_399_999);
  list.learn(agentUrl, answered({}, "0.9"));
  expect(list.dialectOf(agentUrl)).toBe("0.9");
  await clock.advance(1);
  expect(list.dialectOf(agentUrl)).toBeUndefined();
  list.learn(agentUrl, answered({ isDialectFound: true }, "1.1"));
  list.learn(agentUrl, answered({}, "0.9"));
  expect([seen()?.dialect, list.dialectOf(agentUrl)]).toEqual(["1.1", undefined]);
});

test("records are written with a delay, in batches, and the next process loads them", async () => {
  const store = createMemoryStore().agents;
  let writes = 0;
  const counting: AgentStore = {
    agents: store.agents,
    async keepAgents(change) {
      writes += 1;
      await store.keepAgents(change);
    },
  };
  const { list, clock } = known({ store: counting });
  for (let count = 0; count < 50; count += 1) {
    list.learn(agentUrl, { ...answered({ tookMs: count, issues: [issue("root")] }), manifest: manifestOf("Bot") });
    list.learn("http://other.example/", answered());
  }
  await clock.advance(4_999);
  expect(writes).toBe(0);
  await clock.advance(1);
  expect(writes).toBe(1);
  list.learn("http://last.example/", failed("timeout"), { isAdded: true });
  expect(list.forget("http://other.example")).toBe(true);
  expect(list.forget("http://other.example")).toBe(false);
  await list.close();
  expect(writes).toBe(2);
  const next = known({ stored: await counting.agents() });
  expect(next.list.all()).toEqual(list.all());
  expect(next.list.all().map(({ serviceUrl }) => serviceUrl)).toEqual([agentUrl, "http://last.example/"]);
});

test("a failed write is kept in memory and repeated", async () => {
  const store = createMemoryStore().agents;
  let trouble: Error | undefined = new StoreError("full", "no space left", { retryable: true });
  const failing: AgentStore = {
    agents: store.agents,
    async keepAgents(change) {
      if (trouble !== undefined) throw trouble;
      await store.keepAgents(change);
    },
  };
  const { list, clock, errors } = known({ store: failing });
  list.learn(agentUrl, answered());
  await clock.advance(12_000);
  expect([await store.agents(), errors]).toEqual([[], []]);
  trouble = new Error("something else");
  await clock.advance(5_000);
  expect(errors).toEqual([trouble]);
  trouble = undefined;
  await clock.advance(5_000);
  expect(await store.agents()).toMatchObject([{ serviceUrl: agentUrl }]);
});

test("a record of an unknown format is ignored", async () => {
  const store = createMemoryStore().agents;
  const strange = ["{", "null", "[]", '{"version":7,"record":{}}', '"text"'];
  await store.keepAgents({
    kept: strange.map((text, at) => ({ serviceUrl: `http://${at}.example/`, known: text })),
    forgotten: [],
  });
  const { list } = known({ stored: await store.agents() });
  expect(list.all()).toEqual([]);
});

test("connected agents come first, then hosted ones, then by name; agents at an old address of the floor go", () => {
  const here = "http://here.example/agents/echo";
  const connected = [relay];
  const { list, locations } = known({ connected });
  list.learn("http://b.example/", { ...answered(), manifest: manifestOf("ann") });
  list.learn("http://a.example/", { ...answered(), manifest: manifestOf("Zoe") });
  list.learn(here, answered());
  const urls = () => list.all().map(({ serviceUrl }) => serviceUrl);
  expect(urls()).toEqual([relay, here, "http://b.example/", "http://a.example/"]);
  expect(list.all()[0]).toMatchObject({ isConnected: true, health: "answering" });
  connected.pop();
  expect(list.all()[1]).toMatchObject({ serviceUrl: "http://b.example/" });
  const away = list.all().find(({ serviceUrl }) => serviceUrl === relay);
  expect(away).toMatchObject({ health: "silent", trouble: { code: "not-connected" } });
  expect(away?.isConnected).toBeUndefined();
  locations.placeOf = () => "elsewhere";
  expect(urls()).toEqual(["http://b.example/", "http://a.example/"]);
});

test("an agent met again with another spelling is the same agent, and nothing is written after closing", async () => {
  const { list, store, clock } = known();
  list.learn("http://there.example", answered());
  await clock.advance(5_000);
  list.forget("http://there.example/");
  list.learn("http://there.example/", answered());
  await list.close();
  list.learn("http://late.example/", answered());
  await clock.advance(60_000);
  expect(await store.agents()).toHaveLength(1);
});
