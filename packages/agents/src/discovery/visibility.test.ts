// Who learns what: of whom a floor knows, and of what somebody looks for.

import type { Manifest } from "@plenary/protocol";
import type { Acquaintance } from "@plenary/sdk";
import { expect, test } from "vitest";
import { ann, guide, library, manifestOf, openDiscovery, serviceUrl, visa } from "../testing/discovery-fixture.ts";
import { at, itself, network } from "../testing/discovery-network.ts";

const floorUri = "tag:floor.example,2026:floor";
const theFloor = { sender: { speakerUri: floorUri } };
const askedAt = "2026-01-31T10:00:00Z";

function met(manifest: Manifest, how: Partial<Acquaintance> = {}): Acquaintance {
  return { serviceUrl: at(manifest), health: "answering", askedAt, manifest, manifestAt: askedAt, ...how };
}

function atFloor(acquaintances: readonly Acquaintance[], more: object = {}) {
  return openDiscovery({ floorUri: () => floorUri, acquaintances: () => acquaintances, ...more });
}

test("whom a floor has merely met is told to whoever may host; whom it hosts or was told to know, to everybody", async () => {
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

test("a stranger who calls itself the floor is not told more", async () => {
  const { send, discovery } = atFloor([met(visa)]);
  const question = { eventType: "getManifests", parameters: { recommendScope: "external" } };
  const events = await send([question], theFloor.sender, discovery.stranger);
  expect(JSON.stringify(events)).not.toContain("visa");
});

test.each(["https://keyed.example/hook?key=SECRET", "https://ann:SECRET@keyed.example/"])(
  "an address that may hold a key is told to whoever may host alone: %s",
  async (address) => {
    const keyed = manifestOf("keyed", { keyphrases: ["taxidermy"], at: address });
    const { ask, publish } = atFloor([met(keyed, { isAdded: true })]);
    await publish([keyed], { speakerUri: keyed.identification.speakerUri });
    expect((await ask("external", ["taxidermy"])).servicing).toEqual([]);
    expect((await ask("external")).servicing).toEqual([]);
    expect((await ask("external", ["taxidermy"], theFloor)).servicing).toEqual(["keyed"]);
  },
);

test("an agent that publishes itself in a conversation is for everybody, though its floor has met it, too", async () => {
  const acquaintances = [met(visa)];
  const { ask, publish } = atFloor(acquaintances);
  await publish([visa], { speakerUri: visa.identification.speakerUri });
  acquaintances[0] = met(visa, { health: "silent", manifestAt: "2026-01-31T11:00:00Z" });
  expect((await ask("external", ["visa"])).servicing).toEqual(["visa"]);
});

test("an agent that its floor has met and knows nothing of is asked, and told to whoever may host alone", async () => {
  const { dialler } = network({ [at(visa)]: itself(visa) });
  const { ask, discovery } = atFloor([{ serviceUrl: at(visa), health: "silent", askedAt }], { dialler });
  await expect.poll(async () => (await ask("external", ["visa"], theFloor)).servicing).toEqual(["visa"]);
  expect((await ask("external", ["visa"])).servicing).toEqual([]);
  await discovery.close();
});

test("what is whispered to it is passed on to nobody, what is said to it to those it was given", async () => {
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

test("a task goes to discovery agents that somebody chose, and to none that came by itself", async () => {
  const names = ["chosen", "added", "met", "itself", "reported"];
  const guides = names.map((name) => manifestOf(name, { keyphrases: ["discovery"], isDiscovery: true }));
  const [chosen = guide, added = guide, merelyMet = guide, published = guide, told = guide] = guides;
  const { dialler, bodies } = network(Object.fromEntries(guides.map((one) => [at(one), itself(one)])));
  const acquaintances = () => [met(added, { isAdded: true }), met(merelyMet)];
  const { publish, ask, discovery } = openDiscovery({ dialler, acquaintances, consult: [at(chosen)] });
  await publish([published], { speakerUri: published.identification.speakerUri, serviceUrl: at(published) });
  await publish([], ann, [told]);
  const answer = await ask("external", ["a clinic for my illness"]);
  const asked = bodies.filter(({ body }) => body.includes("illness")).map(({ url }) => url);
  expect(asked.sort()).toEqual([at(added), at(chosen)]);
  expect(answer.discovery?.sort()).toEqual(["added", "chosen", "itself", "reported"]);
  await discovery.close();
});

test("the floor, which asks on, is led only to discovery agents that somebody chose", async () => {
  const peer = manifestOf("peer", { keyphrases: ["visa"], isDiscovery: true });
  const { ask, publish } = atFloor([met(peer, { isAdded: true })]);
  await publish([], ann, [guide]);
  expect(await ask("external", [], theFloor)).toMatchObject({ servicing: ["finder"], discovery: ["peer"] });
  expect(await ask("external")).toMatchObject({ servicing: [], discovery: ["peer", "finder"] });
});
