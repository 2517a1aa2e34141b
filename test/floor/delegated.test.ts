// How a convener knows whether it is asked or merely told, and how agents of the floor's own process speak up.

import { envelope, textUtterance } from "@plenary/protocol";
import type { AgentHost } from "@plenary/sdk";
import { connect, createAgent, listen } from "@plenary/sdk";
import { createFloorServer, createMemoryStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { utterance } from "./agents.ts";
import { createLoopbackDialler } from "./loopback-dialler.ts";
import { ann, startWorld, textOf, token, type World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await world.close();
  expect(world.errors).toEqual([]);
});

const chair = "tag:chair.example,2026:1";

/** Writes down what it hears and whether it was asked. */
function createListener() {
  const heard: [string, boolean | undefined][] = [];
  const note = ({ event, isDelegated }: { event: { eventType: string }; isDelegated?: boolean }) => {
    heard.push([event.eventType, isDelegated]);
    return undefined;
  };
  const identification = { speakerUri: chair, organization: "", conversationalName: "Chair", synopsis: "" };
  const agent = createAgent({
    manifest: { identification: { ...identification, openFloorRoles: { convener: true } }, capabilities: [] },
    greeting: false,
    onUtterance: note,
    onEvent: note,
    onOverheard: note,
  });
  return { agent, heard };
}

async function askAndTell(serviceUrl: string): Promise<void> {
  const owner = { identification: { speakerUri: ann } };
  await world.call("POST", "/api/v1/conversations", { id: "c", owner, convener: serviceUrl });
  await world.until("c", (all) => all.some(({ kind, role }) => kind === "role" && role === "convener"));
  await world.send("c", [utterance(ann, "told"), { eventType: "requestFloor" }]);
}

test("over HTTP a convener of the SDK is told whether it is asked", async () => {
  const { agent, heard } = createListener();
  const listening = await listen(agent, { port: 0 });
  await askAndTell(listening.url);
  expect(heard).toEqual([
    ["utterance", false],
    ["requestFloor", true],
  ]);
  await listening.close();
});

test("so it is over a socket", async () => {
  const { agent, heard } = createListener();
  const connection = await connect(agent, { url: world.url, token });
  await askAndTell(connection.serviceUrl);
  expect(heard).toEqual([
    ["utterance", false],
    ["requestFloor", true],
  ]);
  await connection.close();
});

test("an agent of the floor's own process says what nobody asked for, as itself and as nobody else", async () => {
  let lent: AgentHost | undefined;
  const speakerUri = "tag:here.example,2026:bell";
  const identification = { speakerUri, organization: "", conversationalName: "Bell", synopsis: "" };
  const server = createFloorServer(
    {
      store: createMemoryStore(),
      dialler: createLoopbackDialler(),
      hostedAgents: {
        names: ["bell"],
        create: (_name, serviceUrl, host) => {
          if (host !== undefined) lent = host;
          const manifest = { identification: { ...identification, serviceUrl }, capabilities: [] };
          return createAgent({ manifest, onUtterance: () => undefined, greeting: false });
        },
      },
    },
    { token, drainMs: 0 },
  );
  const { url } = await server.listen(0);
  const call = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", prefer: "wait=5" };
    const response = await fetch(`${url}${path}`, {
      headers,
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    return (await response.json()) as { entries: Awaited<ReturnType<World["log"]>> };
  };
  await call("/api/v1/conversations", { id: "c", owner: { identification: { speakerUri: ann } } });
  const invite = { eventType: "invite", to: { serviceUrl: `${url}/agents/bell` } };
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id: "c" }, sender: { speakerUri: ann } };
  await call("/openfloor", { openFloor: { ...openFloor, events: [invite] } });
  const ring = (as: string, words: string, id = "c") =>
    lent?.send(
      envelope({
        conversation: { id },
        sender: { speakerUri: as },
        events: [textUtterance(words, { speakerUri: as, id: words, startTime: "2026-01-31T10:05:00Z" })],
      }),
    );
  await ring(speakerUri, "ding");
  await expect(ring(ann, "in her name")).rejects.toThrow("not bound");
  await expect(ring(speakerUri, "elsewhere", "nowhere")).rejects.toThrow();
  const { entries } = await call("/api/v1/conversations/c/log?limit=100");
  const said = entries.flatMap(({ kind, sender, event }) => (kind === "event" ? [[sender, textOf(event)]] : []));
  expect(said.filter(([, words]) => words !== undefined)).toEqual([[speakerUri, "ding"]]);
  await server.close();
});
