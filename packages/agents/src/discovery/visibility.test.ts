// Which askers learn of which agents, and which agents learn of a task.

import type { Manifest } from "@plenary/protocol";
import type { AgentSummary } from "@plenary/sdk";
import { expect, test } from "vitest";
import { ann, guide, library, manifestOf, openDiscovery, serviceUrl, visa } from "../testing/discovery-fixture.ts";
import { at, itself, network } from "../testing/discovery-network.ts";

const floorUri = "tag:floor.example,2026:floor";
const theFloor = { sender: { speakerUri: floorUri } };
const askedAt = "2026-01-31T10:00:00Z";

function met(manifest: Manifest, how: Partial<AgentSummary> = {}): AgentSummary {
  return { serviceUrl: at(manifest), health: "answering", askedAt, manifest, manifestAt: askedAt, ...how };
}

function atFloor(knownAgents: readonly AgentSummary[], more: object = {}) {
  return openDiscovery({ floorUri: () => floorUri, knownAgents: () => knownAgents, ...more });
}

test("agents that a floor has merely met are shown to hosts only; hosted and added agents to everyone", async () => {
  const hosted = manifestOf("hosted");
  const { ask, send, utterance } = atFloor([
    met(visa),
    met(library, { isAdded: true }),
    met(hosted, { isHosted: true }),
  ]);
  expect((await ask("external")).servicing?.sort()).toEqual(["hosted", "library"]);
  expect((await ask("external", ["visa"])).servicing).toEqual([]);
  const to = { serviceUrl, speakerUri: visa.identification.speakerUri };
  expect((await ask("external", [], { to })).servicing).toEqual([]);
  expect(JSON.stringify(await send([utterance("Discovery, a visa", undefined)]))).not.toContain("visa.example");
  expect((await ask("external", [], theFloor)).servicing?.sort()).toEqual(["hosted", "library", "visa"]);
  expect((await ask("external", ["visa"], theFloor)).servicing).toEqual(["visa"]);
});

test("a stranger with the floor's name is not treated as the floor", async () => {
  const { send, discovery } = atFloor([met(visa)]);
  const question = { eventType: "getManifests", parameters: { recommendScope: "external" } };
  const events = await send([question], theFloor.sender, discovery.stranger);
  expect(JSON.stringify(events)).not.toContain("visa");
});

test.each(["https://keyed.example/hook?key=SECRET", "https://ann:SECRET@keyed.example/"])(
  "an address that may contain a key is shown to hosts only: %s",
  async (address) => {
    const keyed = manifestOf("keyed", { keyphrases: ["taxidermy"], at: address });
    const { ask, publish } = atFloor([met(keyed, { isAdded: true })]);
    await publish([keyed], { speakerUri: keyed.identification.speakerUri });
    expect((await ask("external", ["taxidermy"])).servicing).toEqual([]);
    expect((await ask("external")).servicing).toEqual([]);
    expect((await ask("external", ["taxidermy"], theFloor)).servicing).toEqual(["keyed"]);
  },
);

test("an agent that publishes itself in a conversation is public, also if the floor has met it", async () => {
  const knownAgents = [met(visa)];
  const { ask, publish } = atFloor(knownAgents);
  await publish([visa], { speakerUri: visa.identification.speakerUri });
  knownAgents[0] = met(visa, { health: "silent", manifestAt: "2026-01-31T11:00:00Z" });
  expect((await ask("external", ["visa"])).servicing).toEqual(["visa"]);
});

test("an agent without a manifest that the floor has met is asked, and shown to hosts only", async () => {
  const { dialler } = network({ [at(visa)]: itself(visa) });
  const { ask, discovery } = atFloor([{ serviceUrl: at(visa), health: "silent", askedAt }], { dialler });
  await expect.poll(async () => (await ask("external", ["visa"], theFloor)).servicing).toEqual(["visa"]);
  expect((await ask("external", ["visa"])).servicing).toEqual([]);
  await discovery.close();
});

test("a whispered task is not passed on; a public one goes to the configured discovery agents", async () => {
  const peer = manifestOf("peer", { keyphrases: ["discovery"], isDiscovery: true });
  const { dialler, bodies } = network({ [at(peer)]: { ...itself(peer), servicing: [peer, visa] } });
  const { send, utterance, discovery } = openDiscovery({ dialler, consult: [at(peer)] });
  const to = { speakerUri: discovery.manifest.identification.speakerUri };
  await send([utterance("a clinic for my illness", { ...to, private: true })]);
  expect(JSON.stringify(bodies)).not.toContain("illness");
  await send([utterance("a clinic for my illness", to)]);
  expect(JSON.stringify(bodies)).toContain("illness");
  await discovery.close();
});

test("a task goes only to discovery agents from the operator or the host", async () => {
  const names = ["chosen", "added", "met", "itself", "reported"];
  const guides = names.map((name) => manifestOf(name, { keyphrases: ["discovery"], isDiscovery: true }));
  const [chosen = guide, added = guide, merelyMet = guide, published = guide, reported = guide] = guides;
  const { dialler, bodies } = network(Object.fromEntries(guides.map((one) => [at(one), itself(one)])));
  const knownAgents = () => [met(added, { isAdded: true }), met(merelyMet)];
  const { publish, ask, discovery } = openDiscovery({ dialler, knownAgents, consult: [at(chosen)] });
  await publish([published], { speakerUri: published.identification.speakerUri, serviceUrl: at(published) });
  await publish([], ann, [reported]);
  const answer = await ask("external", ["a clinic for my illness"]);
  const asked = bodies.filter(({ body }) => body.includes("illness")).map(({ url }) => url);
  expect(asked.sort()).toEqual([at(added), at(chosen)]);
  expect(answer.discovery?.sort()).toEqual(["added", "chosen", "itself", "reported"]);
  await discovery.close();
});

test("the floor gets only trusted discovery agents", async () => {
  const peer = manifestOf("peer", { keyphrases: ["visa"], isDiscovery: true });
  const { ask, publish } = atFloor([met(peer, { isAdded: true })]);
  await publish([], ann, [guide]);
  expect(await ask("external", [], theFloor)).toMatchObject({ servicing: ["finder"], discovery: ["peer"] });
  expect(await ask("external")).toMatchObject({ servicing: [], discovery: ["peer", "finder"] });
});
