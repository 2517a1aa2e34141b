// How a convener knows whether the floor delegates an event to it, and how hosted agents speak unasked.

import { envelope, textUtterance } from "@plenary/protocol";
import type { AgentHost } from "@plenary/sdk";
import { connect, createAgent, listen } from "@plenary/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, textOf, utterance } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";

let floor: TestFloor;
beforeEach(async () => {
  floor = await startTestFloor();
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const chair = "tag:chair.example,2026:1";

/** Records each event and whether it was delegated. */
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
  await floor.call("POST", "/api/v1/conversations", { id: "c", owner, convener: serviceUrl });
  await floor.until("c", (all) => all.some(({ kind, role }) => kind === "role" && role === "convener"));
  await floor.send("c", [utterance(ann, "told"), { eventType: "requestFloor" }]);
}

test("over HTTP a convener of the SDK gets isDelegated", async () => {
  const { agent, heard } = createListener();
  const listening = await listen(agent, { port: 0 });
  await askAndTell(listening.url);
  expect(heard).toEqual([
    ["utterance", false],
    ["requestFloor", true],
  ]);
  await listening.close();
});

test("over a socket a convener of the SDK gets isDelegated, too", async () => {
  const { agent, heard } = createListener();
  const connection = await connect(agent, { url: floor.url, token });
  await askAndTell(connection.serviceUrl);
  expect(heard).toEqual([
    ["utterance", false],
    ["requestFloor", true],
  ]);
  await connection.close();
});

test("a hosted agent speaks unasked, and only under its own name", async () => {
  let agentHost: AgentHost | undefined;
  const speakerUri = "tag:here.example,2026:bell";
  const identification = { speakerUri, organization: "", conversationalName: "Bell", synopsis: "" };
  const host = await startTestFloor({
    hostedAgents: {
      names: ["bell"],
      create: (_name, serviceUrl, given) => {
        if (given !== undefined) agentHost = given;
        const manifest = { identification: { ...identification, serviceUrl }, capabilities: [] };
        return createAgent({ manifest, onUtterance: () => undefined, greeting: false });
      },
    },
  });
  await host.openConversation("c", [ann]);
  await host.invite("c", { url: `${host.url}/agents/bell` });
  const ring = (as: string, words: string, id = "c") =>
    agentHost?.send(
      envelope({
        conversation: { id },
        sender: { speakerUri: as },
        events: [textUtterance(words, { speakerUri: as, id: words, startTime: "2026-01-31T10:05:00Z" })],
      }),
    );
  await ring(speakerUri, "ding");
  await expect(ring(ann, "in her name")).rejects.toThrow("not bound");
  await expect(ring(speakerUri, "elsewhere", "nowhere")).rejects.toThrow();
  const entries = await host.log("c");
  const said = entries.flatMap(({ kind, sender, event }) => (kind === "event" ? [[sender, textOf(event)]] : []));
  expect(said.filter(([, words]) => words !== undefined)).toEqual([[speakerUri, "ding"]]);
  await host.close();
});
