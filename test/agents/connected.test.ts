// Agents that connect to the floor: known without being added, and invited like any other agent.
import type { KnownAgent } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, bob, bot, envelopeOf, type Json } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { type Client, openSocket } from "../support/test-client.ts";
import { manifestOf } from "./foreign-agents.ts";

let floor: TestFloor;
beforeEach(async () => {
  floor = await startTestFloor({ retries: "default" });
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const known = async () => (await floor.get("/api/v1/agents")).body.agents as KnownAgent[];

function answer(agent: Client, frame: Json, events: readonly Json[]): void {
  const { id } = (frame.openFloor as { conversation: { id: string } }).conversation;
  agent.send({ ...envelopeOf(id, bot, events), inReplyTo: frame.delivery });
}

const frameWith = (agent: Client, words: string) => agent.find((frame) => JSON.stringify(frame).includes(words), words);

test("a connected agent is asked for its manifest, listed first, and invited at its relay address", async () => {
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  const listing = known();
  const servicingManifests = [manifestOf("Nat", bot, floor.relayUrl(bot))];
  const parameters = { servicingManifests, discoveryManifests: [] };
  answer(agent, await frameWith(agent, "getManifests"), [{ eventType: "publishManifests", parameters }]);
  const [nat] = await listing;
  expect(nat).toMatchObject({
    serviceUrl: floor.relayUrl(bot),
    isConnected: true,
    health: "answering",
    latencyMs: { of: 1 },
    manifest: { identification: { conversationalName: "Nat" } },
  });
  await floor.openConversation("c", [ann]);
  await floor.post("/openfloor", envelopeOf("c", ann, [{ eventType: "invite", to: { serviceUrl: nat?.serviceUrl } }]));
  answer(agent, await frameWith(agent, '"invite"'), [{ eventType: "acceptInvite" }]);
  await expect
    .poll(async () => JSON.stringify((await floor.get("/api/v1/conversations/c")).body), { timeout: 60_000 })
    .toMatch(/"state":"joined".*"state":"joined"/u);
  await agent.close();
  await expect.poll(async () => (await known())[0]?.health, { timeout: 60_000 }).toBe("silent");
  expect((await known())[0]).toMatchObject({ trouble: { code: "not-connected" }, manifest: expect.anything() });
  const checked = await floor.post("/api/v1/agents/check", { serviceUrl: floor.relayUrl(bot) });
  expect(checked.body.agents).toMatchObject([{ health: "silent", trouble: { code: "not-connected" } }]);
});

test("people are not listed, however much is delivered to them", async () => {
  await floor.openConversation("c", [ann, bob]);
  const viewer = await openSocket(floor, { speaker: bob, conversation: "c" });
  for (const words of ["one", "two"]) await floor.speak("c", ann, words);
  await viewer.find((frame) => JSON.stringify(frame).includes("two"), "two");
  expect(await known()).toEqual([]);
  const { status, body } = await floor.post("/api/v1/agents", { serviceUrl: floor.relayUrl(bob) });
  expect([status, body]).toEqual([422, expect.objectContaining({ pointer: "/serviceUrl" })]);
  await viewer.close();
});
