import type { AgentSummary } from "@plenary/sdk";
import { expect, test } from "vitest";
import { ann, library, manifestOf, openDiscovery, serviceUrl, visa } from "../../testing/discovery-fixture.ts";
import { at, itself, network } from "../../testing/discovery-network.ts";

const explained = (value: object) => ({
  search: { mimeType: "application/vnd.plenary.search+json", tokens: [{ value: { isExplained: true, ...value } }] },
});

test("a configured agent is asked and found", async () => {
  const { dialler, called } = network({ [at(visa)]: itself(visa) });
  const { ask, discovery } = openDiscovery({ dialler, agents: [at(visa)] });
  expect((await ask("external", ["visa"])).servicing).toEqual(["visa"]);
  await ask("external", ["visa"]);
  expect(called).toEqual([at(visa)]);
  await discovery.close();
});

test("an agent that stops answering is asked again later and marked as silent", async () => {
  const { dialler, peers } = network({ [at(visa)]: itself(visa) });
  let now = Date.parse("2026-01-31T10:00:00Z");
  const { ask, discovery } = openDiscovery({ dialler, agents: [at(visa)], now: () => now });
  const healthNow = async () => {
    const { events } = await ask("external", ["visa"], { features: explained({ depthLeft: 0 }) });
    const value = events[1]?.parameters?.dialogEvent?.features.reasons?.tokens[0]?.value;
    return (value as { reasons: { health: string }[] }).reasons[0]?.health;
  };
  expect(await healthNow()).toBe("answering");
  delete peers[at(visa)];
  now += 2 * 3_600_000;
  await expect.poll(healthNow).toBe("silent");
  await discovery.close();
});

test("the floor's agents are taken over, and those without a manifest are asked", async () => {
  const { dialler, called } = network({ [at(library)]: itself(library) });
  const askedAt = "2026-01-31T10:00:00Z";
  const knownAgents = (): AgentSummary[] => [
    { serviceUrl: at(visa), health: "answering", askedAt, manifest: visa, manifestAt: askedAt, isAdded: true },
    { serviceUrl: at(library), health: "silent", askedAt, isAdded: true },
  ];
  const { ask, discovery } = openDiscovery({ dialler, knownAgents });
  expect((await ask("external", ["visa"])).servicing).toEqual(["visa"]);
  await expect.poll(async () => (await ask("external", ["novels"])).servicing).toEqual(["library"]);
  expect(called).toEqual([at(library)]);
  await discovery.close();
});

test("agents that the floor has forgotten or moved are no longer recommended", async () => {
  let now = Date.parse("2026-01-31T10:00:00Z");
  const askedAt = "2026-01-31T10:00:00Z";
  let knownAgents: AgentSummary[] = [
    { serviceUrl: at(visa), health: "answering", askedAt, manifest: visa, isAdded: true },
  ];
  const { ask } = openDiscovery({ knownAgents: () => knownAgents, neighbours: [library], now: () => now });
  expect((await ask("external")).servicing?.sort()).toEqual(["library", "visa"]);
  knownAgents = [];
  now += 60_000;
  expect((await ask("external")).servicing).toEqual(["library"]);
});

test("a report about an agent does not replace the agent's own manifest", async () => {
  const lie = { ...visa, capabilities: [{ keyphrases: ["knitting"], descriptions: [] }] };
  const gossip = manifestOf("gossip", { keyphrases: ["gossip"] });
  const { dialler } = network({
    [at(visa)]: itself(visa),
    [at(gossip)]: { ...itself(gossip), servicing: [gossip, lie, library] },
  });
  const { ask, discovery } = openDiscovery({ dialler, agents: [at(visa), at(gossip)] });
  expect((await ask("external", ["visa"])).servicing).toEqual(["visa"]);
  expect((await ask("external", ["knitting"])).servicing).toEqual([]);
  expect((await ask("external", ["novels"])).servicing).toEqual(["library"]);
  await discovery.close();
});

test("a published manifest of an asked agent changes nothing: the agent is asked again", async () => {
  const { dialler, called } = network({ [at(visa)]: itself(visa) });
  let now = Date.parse("2026-01-31T10:00:00Z");
  const { ask, publish, discovery } = openDiscovery({ dialler, agents: [at(visa)], now: () => now });
  await ask("external", ["visa"]);
  now += 120_000;
  const forged = { ...visa, capabilities: [{ keyphrases: ["knitting"], descriptions: [] }] };
  const { speakerUri } = visa.identification;
  await publish([forged], { speakerUri });
  expect((await ask("external", ["knitting"])).servicing).toEqual([]);
  expect(called).toEqual([at(visa)]);
  await publish([forged], { speakerUri, serviceUrl: at(visa) });
  expect((await ask("external", ["knitting"])).servicing).toEqual([]);
  expect(called).toEqual([at(visa), at(visa)]);
  await discovery.close();
});

test("a verified sender is first-hand for itself only", async () => {
  const { ask, publish } = openDiscovery({ knownAgents: () => [] });
  await publish([visa], { speakerUri: visa.identification.speakerUri });
  const newer = { ...visa, capabilities: [{ keyphrases: ["residence permits"], descriptions: [] }] };
  const liar = { ...visa, capabilities: [{ keyphrases: ["knitting"], descriptions: [] }] };
  await publish([newer], { speakerUri: visa.identification.speakerUri });
  await publish([liar], ann);
  expect((await ask("external", ["residence permits"])).servicing).toEqual(["visa"]);
  expect((await ask("external", ["knitting"])).servicing).toEqual([]);
});

test("an address that leads back to the agent itself is not recommended", async () => {
  const alias = "http://localhost:7536/agents/discovery";
  const stage = openDiscovery();
  const { speakerUri } = stage.discovery.manifest.identification;
  const twin = manifestOf("twin", { keyphrases: ["discovery"], isDiscovery: true, at: alias });
  const { dialler } = network({ [alias]: { speakerUri, servicing: [twin] } });
  const { ask, publish, discovery } = openDiscovery({ dialler, agents: [alias] });
  await ask("external");
  await publish([], ann, [twin]);
  expect(await ask("external")).toMatchObject({ servicing: [], discovery: [] });
  await discovery.close();
});

test("without a dialler it knows only published manifests and calls no agent", async () => {
  const { ask, publish } = openDiscovery({ agents: ["https://nobody.example/"], consult: [serviceUrl] });
  await publish([visa]);
  expect((await ask("external", ["visa"])).servicing).toEqual(["visa"]);
});
