import { createDiscovery, type DiscoveryOptions } from "@plenary/agents";
import type { AgentHost } from "@plenary/sdk";
import { expect, test } from "vitest";
import { hostedDiscovery } from "./discovery-agent.ts";

const serviceUrl = "https://floor.example/agents/discovery";

const secret = {
  identification: {
    ...{ speakerUri: "tag:x.example,2026:secret", serviceUrl: "https://x.example/SECRET", organization: "X" },
    ...{ conversationalName: "secret", synopsis: "" },
  },
  capabilities: [{ keyphrases: ["weaving"], descriptions: [] }],
};

const at = "2026-01-01T00:00:00Z";
const floorUri = "tag:floor.example,2026:floor";
const host: AgentHost = {
  floorUri: () => floorUri,
  recall: async () => [],
  send: async () => {},
  acquaintances: () => [
    { serviceUrl: "https://x.example/SECRET", health: "answering", askedAt: at, manifest: secret, manifestAt: at },
  ],
  catalogue: { manifests: async () => [], keepManifests: async () => {} },
};

async function toldTo(asker: "host" | "conversant" | "stranger" | "page", isLocal: boolean): Promise<string> {
  const hosted = hostedDiscovery({ create: createDiscovery, isLocal, neighbours: () => [] });
  hosted.lend({ ...host, mark: () => undefined });
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

test("whom a floor has met is told to that floor when it asks itself, and to nobody else", async () => {
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
  hosted.lend({ ...host, acquaintances: () => [], mark: () => undefined });
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
  const dialler = { dial: () => Promise.reject(new Error("nobody is dialled")) };
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
