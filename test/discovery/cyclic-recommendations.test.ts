// Discovery agents that recommend each other: every search ends, and asks no agent twice.
import { createDiscovery, type DiscoveryOptions } from "@plenary/agents";
import { type Agent, createDialler, listen } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { answer, closeAgents, eventsIn, startAgent } from "../support/http-agent.ts";
import { recommended } from "./discovery-client.ts";
import { type Manifest, manifestOf, type Stranger, startStranger } from "./foreign-discovery-agents.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await closeAgents();
});

/** One of our discovery agents, on its own port. */
async function openDiscovery(consult: readonly string[], more: DiscoveryOptions = {}) {
  const dialler = createDialler({ mode: "local" });
  const discovery = createDiscovery({ dialler, consult, ...more });
  const { url, close } = await listen(discovery, { port: 0 });
  closing.push(close, discovery.close, () => dialler.close());
  return url;
}

/** A server that counts the searches for the agent that it will serve. */
async function openPlace() {
  const tasks: string[] = [];
  let agent: Agent | undefined;
  const fetch: Agent["fetch"] = async (request, at) => {
    const body = await request.text();
    if (body.includes('"recommendScope":"external"')) tasks.push(body);
    if (agent === undefined) return new Response(null, { status: 503 });
    return agent.fetch(new Request(request.url, { method: "POST", body }), at);
  };
  const { url, close } = await listen({ manifest: createDiscovery().manifest, fetch }, { port: 0 });
  closing.push(close);
  const live = (tenant: Agent) => {
    agent = tenant;
  };
  return { url, tasks, live };
}

function discoveryAt(serviceUrl: string, consult: readonly string[], more: DiscoveryOptions): Agent {
  const dialler = createDialler({ mode: "local" });
  const discovery = createDiscovery({ serviceUrl, dialler, consult, ...more });
  closing.push(discovery.close, () => dialler.close());
  return discovery;
}

const servant = (name: string, keyphrases: string[]) => manifestOf(name, `https://${name}.example/`, keyphrases);

test("a search among foreign agents that all recommend each other ends, and asks each of them once", async () => {
  const ring: Stranger[] = [];
  const everybody = () => ring.map(({ me }) => me);
  for (const name of ["one", "two", "three"]) {
    const servicingManifests = [servant(`weaver ${name}`.replace(" ", "-"), ["weaving"])];
    ring.push(await startStranger(name, () => ({ servicingManifests, discoveryManifests: everybody() })));
  }
  const url = await openDiscovery([ring[0]?.url ?? ""]);
  const { servicing } = await recommended(url, "weaving", { depthLeft: 3 });
  expect(servicing.sort()).toEqual(["weaver-one", "weaver-three", "weaver-two"]);
  expect(ring.map(({ tasks }) => tasks())).toEqual([["weaving"], ["weaving"], ["weaving"]]);
});

test("of three discovery agents of ours that consult each other in a ring each is asked once, from any start", async () => {
  const trades = ["weaving", "farming", "brewing"];
  const ring = await Promise.all(trades.map(openPlace));
  for (const [at, { url, live }] of ring.entries()) {
    const trade = trades[at] ?? "";
    const next = ring[(at + 1) % ring.length]?.url ?? "";
    live(discoveryAt(url, [next], { neighbours: [servant(`${trade}-servant`, [trade])] }));
  }
  for (const first of ring) {
    for (const { tasks } of ring) tasks.length = 0;
    const { servicing } = await recommended(first.url, "weaving, farming or brewing");
    expect(servicing.sort()).toEqual(["brewing-servant", "farming-servant", "weaving-servant"]);
    expect(ring.map(({ tasks }) => tasks.length)).toEqual([1, 1, 1]);
  }
});

test("a search respects its range: no other agents, or only known ones", async () => {
  const far = await startStranger("far", () => ({ servicingManifests: [servant("farmer", ["farming"])] }));
  const near = await startStranger("near", () => ({ discoveryManifests: [far.me] }));
  const url = await openDiscovery([near.url]);
  expect((await recommended(url, "farming", { depthLeft: 0 })).servicing).toEqual([]);
  expect([near.tasks(), far.tasks()]).toEqual([[], []]);
  expect((await recommended(url, "farming", { depthLeft: 1 })).servicing).toEqual([]);
  expect([near.tasks(), far.tasks()]).toEqual([["farming"], []]);
  expect((await recommended(url, "farming", { depthLeft: 2 })).servicing).toEqual(["farmer"]);
});

test("agents that a search has already visited are not asked, under either of their names", async () => {
  const peer = await startStranger("peer", () => ({ servicingManifests: [servant("farmer", ["farming"])] }));
  const url = await openDiscovery([peer.url]);
  for (const visited of [[peer.url], [peer.speakerUri]]) {
    expect((await recommended(url, "farming", { visited, depthLeft: 2 })).servicing).toEqual([]);
  }
  expect(peer.tasks()).toEqual([]);
});

test("an agent that was given under another address than its own is asked once", async () => {
  const peer = await startStranger("peer", () => ({ servicingManifests: [servant("farmer", ["farming"])] }));
  const url = await openDiscovery([peer.url.replace("127.0.0.1", "localhost")]);
  expect((await recommended(url, "farming")).servicing).toEqual(["farmer"]);
  expect(peer.tasks()).toEqual(["farming"]);
});

test("an agent that recommends itself under ever new addresses is asked a limited number of times", async () => {
  let names = 0;
  const liar = await startStranger("liar", (_, me) => {
    const discoveryManifests = Array.from({ length: 30 }, (): Manifest => {
      names += 1;
      const { identification } = me;
      const serviceUrl = `${identification.serviceUrl}${names}`;
      const speakerUri = `tag:liars.example,2026:${names}`;
      return { ...me, identification: { ...identification, serviceUrl, speakerUri } };
    });
    return { servicingManifests: [], discoveryManifests };
  });
  const url = await openDiscovery([liar.url]);
  const { discovery } = await recommended(url, "weaving", { depthLeft: 99 });
  expect(liar.tasks().length).toBeGreaterThan(1);
  expect(liar.tasks().length).toBeLessThanOrEqual(8);
  expect(discovery.length).toBeLessThanOrEqual(8);
});

test("a foreign agent that asks the same request back is answered at once, and the search continues", async () => {
  let ours = "";
  const curious = await startStranger("curious", async (task) => {
    const { servicing } = await recommended(ours, task);
    return { servicingManifests: servicing.includes("weaver") ? [servant("helper", ["helping"])] : [] };
  });
  const weaver = await startAgent((heard, me) => {
    const manifest = { ...servant("weaver", ["weaving"]) };
    manifest.identification = { ...manifest.identification, serviceUrl: me.url };
    return answer(heard, me, { eventType: "publishManifests", parameters: { servicingManifests: [manifest] } });
  });
  ours = await openDiscovery([curious.url], { agents: [weaver.url] });
  const { servicing } = await recommended(ours, "weaving");
  expect(servicing).toEqual(["weaver", "helper"]);
  expect(curious.tasks()).toEqual(["weaving"]);
});

test("a recommendation loses score with each hop, and names the hops", async () => {
  const score = 1;
  const far = await startStranger("far", () => ({
    servicingManifests: [{ ...servant("distant", ["farming"]), score }],
  }));
  const near = await startStranger("near", () => ({
    servicingManifests: [{ ...servant("close", ["farming"]), score }],
    discoveryManifests: [far.me],
  }));
  const url = await openDiscovery([near.url]);
  const { events, servicing, scores } = await recommended(url, "farming", { depthLeft: 2, isExplained: true });
  expect({ servicing, scores }).toEqual({ servicing: ["close", "distant"], scores: [0.7, 0.49] });
  expect(JSON.stringify(events.at(-1))).toContain(`"via":"${near.speakerUri}"`);
});

test("a silent or broken agent does not hide other results, and is not waited for again", async () => {
  const mute = await startAgent(() => undefined);
  const babbler = await startAgent((heard) => ({ body: eventsIn(heard).length > 0 ? "<html>" : "" }));
  const good = await startStranger("good", () => ({ servicingManifests: [servant("weaver", ["weaving"])] }));
  const url = await openDiscovery([mute.url, babbler.url, good.url], { patienceMs: 600 });
  expect((await recommended(url, "weaving")).servicing).toEqual(["weaver"]);
  const heard = mute.heard.length;
  expect((await recommended(url, "weaving")).servicing).toEqual(["weaver"]);
  expect(mute.heard).toHaveLength(heard);
});
