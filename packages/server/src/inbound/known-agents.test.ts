import { afterEach, expect, test } from "vitest";
import type { HostedAgents } from "../hosted.ts";
import { createFloorServer, type FloorServer } from "../server.ts";
import { createMemoryStore } from "../stores/memory.ts";

const token = "the-operators-token";
const dialler = { dial: () => Promise.reject(new Error("nobody is dialled")) };

let server: FloorServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(hostedAgents?: HostedAgents) {
  const ports = { store: createMemoryStore(), dialler, ...(hostedAgents && { hostedAgents }) };
  server = createFloorServer(ports, { token, drainMs: 0 });
  const { url } = await server.listen(0);
  const call = async (method: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${url}/api/v1/agents`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as { agents: Record<string, unknown>[] };
  };
  return { url, call };
}

/** Says who it is to whoever asks, and keeps count of them; `mute` says nothing. */
function hosting(names: readonly string[], asked: string[]): HostedAgents {
  return {
    names,
    create: (name, serviceUrl) => ({
      fetch: async () => {
        asked.push(name);
        const identification = { speakerUri: `tag:here.example,2026:${name}`, serviceUrl, conversationalName: name };
        const manifest = { identification: { ...identification, organization: "", synopsis: "" }, capabilities: [] };
        const event = { eventType: "publishManifests", parameters: { servicingManifests: [manifest] } };
        const sender = { speakerUri: identification.speakerUri, serviceUrl };
        const openFloor = { schema: { version: "1.1.0" }, conversation: { id: "c" }, sender, events: [event] };
        return name === "mute" ? new Response("?", { status: 500 }) : Response.json({ openFloor });
      },
    }),
  };
}

test("the agents that live here are known from the first question on, and each is asked once", async () => {
  const asked: string[] = [];
  const { url, call } = await start(hosting(["polly", "mute"], asked));
  expect(asked).toEqual([]);
  const [{ agents }, again] = await Promise.all([call("GET"), call("GET")]);
  const polly = { conversationalName: "polly", speakerUri: "tag:here.example,2026:polly" };
  expect(agents).toEqual([
    expect.objectContaining({
      ...{ serviceUrl: `${url}/agents/polly`, health: "answering", isHosted: true },
      manifest: expect.objectContaining({ identification: expect.objectContaining(polly) }),
    }),
    { serviceUrl: `${url}/agents/mute`, health: "silent", isHosted: true, askedAt: expect.any(String) },
  ]);
  expect(again.agents).toEqual(agents);
  await call("GET");
  expect(asked.filter((name) => name === "polly")).toEqual(["polly"]);
});

test("whoever is asked again stays known as living here, and nobody else is", async () => {
  const { url, call } = await start(hosting(["polly"], []));
  await call("GET");
  await call("POST", { serviceUrl: `${url}/agents/polly` });
  await call("POST", { serviceUrl: "https://elsewhere.example/" });
  const { agents } = await call("GET");
  expect(agents.map(({ serviceUrl, isHosted }) => [serviceUrl, isHosted])).toEqual([
    [`${url}/agents/polly`, true],
    ["https://elsewhere.example/", undefined],
  ]);
});

test("a floor that hosts nobody knows nobody", async () => {
  const { call } = await start();
  expect(await call("GET")).toEqual({ agents: [] });
});
