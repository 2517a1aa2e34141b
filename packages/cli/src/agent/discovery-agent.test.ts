import { createDiscovery } from "@plenary/agents";
import type { AgentHost } from "@plenary/floor";
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

async function toldTo(whom: "host" | "conversant" | "stranger" | "page", isLocal: boolean): Promise<string> {
  const hosted = hostedDiscovery({ create: createDiscovery, isLocal, neighbours: () => [] });
  hosted.lend({ ...host, mark: () => undefined });
  const isOutside = whom === "stranger" || whom === "page";
  const agent = hosted.make(serviceUrl, isOutside ? undefined : host, whom === "page" ? "page" : "program");
  const events = [{ eventType: "getManifests", to: { serviceUrl }, parameters: { recommendScope: "external" } }];
  const sender = { speakerUri: whom === "conversant" ? "tag:asker.example,2026:1" : floorUri };
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

test("a web page of another origin is not told whom a floor on this machine knows, and nothing is dialled for it", async () => {
  const published = { ...host, catalogue: { ...host.catalogue, manifests: async () => [] }, acquaintances: () => [] };
  const dialled: string[] = [];
  const dial = async ({ url }: { url: string }): Promise<never> => {
    dialled.push(url);
    throw new Error("nobody is there");
  };
  const known = { ...secret, identification: { ...secret.identification, serviceUrl: "http://127.0.0.1:9/SECRET" } };
  const ask = async (caller: "program" | "page") => {
    const hosted = hostedDiscovery({ create: createDiscovery, isLocal: true, neighbours: () => [], dialler: { dial } });
    hosted.lend({ ...published, mark: () => undefined });
    const send = async (speakerUri: string, from: "program" | "page", event: object) => {
      const openFloor = {
        schema: { version: "1.1.0" },
        conversation: { id: "c1" },
        sender: { speakerUri },
        events: [event],
      };
      const request = new Request(serviceUrl, { method: "POST", body: JSON.stringify({ openFloor }) });
      return (await hosted.make(serviceUrl, undefined, from).fetch(request)).text();
    };
    const tell = { eventType: "publishManifests", parameters: { servicingManifests: [known] } };
    await send(known.identification.speakerUri, "program", tell);
    const question = { eventType: "getManifests", to: { serviceUrl }, parameters: { recommendScope: "external" } };
    const told = await send("tag:asker.example,2026:1", caller, question);
    dialled.length = 0;
    await send("tag:evil.example,2026:1", caller, tell);
    await hosted.close();
    return told;
  };
  expect(await ask("program")).toContain("SECRET");
  expect(await ask("page")).not.toContain("SECRET");
  expect(dialled).toEqual([]);
});
