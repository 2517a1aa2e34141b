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

async function toldTo(whom: "host" | "conversant" | "stranger", isLocal: boolean): Promise<string> {
  const hosted = hostedDiscovery({ create: createDiscovery, isLocal, neighbours: () => [] });
  hosted.lend(host);
  const agent = hosted.make(serviceUrl, whom === "stranger" ? undefined : host);
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
