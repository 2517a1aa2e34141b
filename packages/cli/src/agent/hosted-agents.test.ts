import { createDiscovery, type DiscoveryOptions } from "@plenary/agents";
import type { AgentHost } from "@plenary/sdk";
import { createFloorServer, createMemoryStore, type FloorStore, silentLogger } from "@plenary/server";
import { expect, test } from "vitest";
import { hostedDiscovery, readyMadeAgents } from "./hosted-agents.ts";

const dialler = { dial: () => Promise.reject(new Error("no agent is dialled")) };
const token = "the-operators-token";
const port = 7536;

type Known = { serviceUrl: string; manifest: { identification: { speakerUri: string } } };

/** The names of the agents of a floor on this store: as it knows them itself, and as its discovery agent recommends them. */
async function namesOn(store: FloorStore, isLocal = true): Promise<{ own: string[]; recommended: string[] }> {
  const hostedAgents = await readyMadeAgents({ onError: () => {}, isLocal });
  const kept = { ...store, close: async () => {} };
  const publicUrl = `http://127.0.0.1:${port}`;
  const options = { token, drainMs: 0, publicUrl, listen: { port: 0 } };
  const server = await createFloorServer({ store: kept, dialler, hostedAgents, logger: silentLogger }, options);
  const { url } = server;
  const headers = { authorization: `Bearer ${token}` };
  const { agents } = (await (await fetch(`${url}/api/v1/agents`, { headers })).json()) as { agents: Known[] };
  const own = agents.map(({ manifest }) => manifest.identification.speakerUri);
  const events = [{ eventType: "getManifests", parameters: { recommendScope: "all" } }];
  const sender = { speakerUri: "tag:asker.example,2026:1" };
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id: "c1" }, sender, events };
  const body = JSON.stringify({ openFloor });
  const text = await (await fetch(`${url}/agents/discovery`, { method: "POST", body })).text();
  const recommended = [...text.matchAll(/"speakerUri":"(tag:127[^"]*)"/gu)].map(([, name = ""]) => name);
  await server.close();
  await hostedAgents.close();
  return { own, recommended };
}

test("agents of two floors at one address have different speakerUris, and a floor keeps them", async () => {
  const [here, there] = [createMemoryStore(), createMemoryStore()];
  const first = await namesOn(here);
  expect(first.own).toContainEqual(expect.stringMatching(/^tag:127\.0\.0\.1,2025:[\da-f]{12}:7536:clock$/u));
  expect(new Set(first.own).size).toBe(first.own.length);
  expect(first.recommended.length).toBeGreaterThan(3);
  expect(first.own).toEqual(expect.arrayContaining(first.recommended));
  const again = await namesOn(here, false);
  expect(again.own).toEqual(first.own);
  expect(again.recommended.length).toBeGreaterThan(3);
  expect(again.own).toEqual(expect.arrayContaining(again.recommended));
  const other = await namesOn(there);
  expect(other.own.filter((name) => first.own.includes(name))).toEqual([]);
});

test("agents in conversations of an older version keep their speakerUris", async () => {
  const store = createMemoryStore();
  const old = { ...store, log: { ...store.log, count: async () => 1 } };
  expect((await namesOn(old)).own).toContain("tag:127.0.0.1,2025:7536:clock");
  expect((await namesOn(store)).own).toContain("tag:127.0.0.1,2025:7536:clock");
});

test("texts at a URL are fetched for the floor's conversations, not for outside callers", async () => {
  const asked: string[] = [];
  const words = async function* () {
    yield new TextEncoder().encode("good morning");
  };
  const dial = async ({ url }: { url: string }) => {
    asked.push(url);
    return { status: 200, headers: new Headers(), body: words() };
  };
  const hosted = await readyMadeAgents({ onError: () => {}, textDialler: { dial } });
  const serviceUrl = "http://127.0.0.1:7536/agents/echo";
  const host: AgentHost = {
    floorUri: () => "tag:floor.example,2026:floor",
    readHistory: async () => [],
    send: async () => {},
    knownAgents: () => [],
    catalogue: { manifests: async () => [], keepManifests: async () => {} },
  };
  const answerTo = async (caller: "floor" | "program" | "page") => {
    const isFloor = caller === "floor";
    const agent = hosted.create("echo", serviceUrl, isFloor ? host : undefined, isFloor ? undefined : caller);
    const features = { text: { mimeType: "text/plain", tokens: [{ valueUrl: "https://words.example/1" }] } };
    const span = { startTime: "2026-01-01T00:00:00Z" };
    const dialogEvent = { id: "de-1", speakerUri: "tag:ann.example,2026:1", span, features };
    const events = [{ eventType: "utterance", parameters: { dialogEvent } }];
    const sender = { speakerUri: "tag:ann.example,2026:1" };
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id: caller }, sender, events };
    const request = new Request(serviceUrl, { method: "POST", body: JSON.stringify({ openFloor }) });
    return (await agent?.fetch(request))?.text();
  };
  expect(await answerTo("floor")).toContain("You said: good morning");
  expect(asked).toEqual(["https://words.example/1"]);
  for (const caller of ["program", "page"] as const) expect(await answerTo(caller)).not.toContain("good morning");
  expect(asked).toHaveLength(1);
});

const serviceUrl = "https://floor.example/agents/discovery";

const secret = {
  identification: {
    speakerUri: "tag:x.example,2026:secret",
    serviceUrl: "https://x.example/SECRET",
    organization: "X",
    conversationalName: "secret",
    synopsis: "",
  },
  capabilities: [{ keyphrases: ["weaving"], descriptions: [] }],
};

const at = "2026-01-01T00:00:00Z";
const floorUri = "tag:floor.example,2026:floor";
const host: AgentHost = {
  floorUri: () => floorUri,
  readHistory: async () => [],
  send: async () => {},
  knownAgents: () => [
    { serviceUrl: "https://x.example/SECRET", health: "answering", askedAt: at, manifest: secret, manifestAt: at },
  ],
  catalogue: { manifests: async () => [], keepManifests: async () => {} },
};

async function toldTo(asker: "host" | "conversant" | "stranger" | "page", isLocal: boolean): Promise<string> {
  const hosted = hostedDiscovery({ create: createDiscovery, isLocal, neighbours: () => [] });
  hosted.provide({ ...host, mark: undefined });
  const isOutside = asker === "stranger" || asker === "page";
  const agent = hosted.make(serviceUrl, isOutside ? undefined : host, asker === "page" ? "page" : "program");
  const events = [{ eventType: "getManifests", to: { serviceUrl }, parameters: { recommendScope: "external" } }];
  const sender = { speakerUri: asker === "conversant" ? "tag:asker.example,2026:1" : floorUri };
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id: "c1" }, sender, events };
  const body = JSON.stringify({ openFloor });
  const text = await (await agent.fetch(new Request(serviceUrl, { method: "POST", body }))).text();
  await hosted.close();
  return text;
}

test("known agents are recommended to the floor itself, not to outside callers", async () => {
  expect(await toldTo("host", false)).toContain("SECRET");
  expect(await toldTo("conversant", false)).not.toContain("SECRET");
  expect(await toldTo("stranger", true)).not.toContain("SECRET");
  expect(await toldTo("stranger", false)).not.toContain("SECRET");
});

const known = { ...secret, identification: { ...secret.identification, serviceUrl: "http://127.0.0.1:9/SECRET" } };
const publish = { eventType: "publishManifests", parameters: { servicingManifests: [known] } };
const question = { eventType: "getManifests", to: { serviceUrl }, parameters: { recommendScope: "external" } };

test("a web page of another origin does not learn which agents a floor on this machine knows; a program does", async () => {
  const hosted = hostedDiscovery({ create: createDiscovery, isLocal: true, neighbours: () => [] });
  hosted.provide({ ...host, knownAgents: () => [], mark: undefined });
  const send = async (speakerUri: string, caller: "program" | "page", event: object) => {
    const sender = { speakerUri };
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id: "c1" }, sender, events: [event] };
    const request = new Request(serviceUrl, { method: "POST", body: JSON.stringify({ openFloor }) });
    return (await hosted.make(serviceUrl, undefined, caller).fetch(request)).text();
  };
  await send(known.identification.speakerUri, "program", publish);
  expect(await send("tag:asker.example,2026:1", "program", question)).toContain("SECRET");
  expect(await send("tag:asker.example,2026:1", "page", question)).not.toContain("SECRET");
  await hosted.close();
});

test("the agent that answers web pages of other origins has no way to dial; the one for programs has", async () => {
  const dialler = { dial: () => Promise.reject(new Error("no agent is dialled")) };
  for (const isLocal of [true, false]) {
    const made: DiscoveryOptions[] = [];
    const create = (options: DiscoveryOptions) => {
      made.push(options);
      return createDiscovery(options);
    };
    const hosted = hostedDiscovery({ create, isLocal, neighbours: () => [], dialler });
    for (const caller of ["program", "page"] as const) hosted.make(serviceUrl, undefined, caller);
    expect(made.map((options) => options.dialler)).toEqual([dialler, undefined]);
    await hosted.close();
  }
});
