import { afterEach, expect, test } from "vitest";
import type { HostedAgents } from "./hosted.ts";
import { createFloorServer, type FloorServer } from "./server.ts";
import { createMemoryStore } from "./stores/memory.ts";

let server: FloorServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

test("an agent that lives at a floor answers one address so often, and its neighbour all the same", async () => {
  const hostedAgents: HostedAgents = {
    names: ["clock", "echo"],
    create: (name) => ({
      manifest: { identification: { speakerUri: `tag:here.example,2026:${name}` } },
      fetch: async () => new Response(name),
    }),
  };
  const dialler = { dial: () => Promise.reject(new Error("nobody is dialled")) };
  const rateLimits = { hostedAgents: { perS: 0.000_001, burst: 2 } };
  const ports = { store: createMemoryStore(), dialler, hostedAgents };
  server = createFloorServer(ports, { token: "the-operators-token", drainMs: 0, rateLimits });
  const { url } = await server.listen(0);
  const call = async (name: string) => (await fetch(`${url}/agents/${name}`, { method: "POST", body: "{}" })).status;
  expect([await call("clock"), await call("clock"), await call("clock"), await call("echo")]).toEqual([
    200, 200, 429, 200,
  ]);
});
