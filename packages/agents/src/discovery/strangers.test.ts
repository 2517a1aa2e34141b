// What somebody whose name nobody has checked can make a discovery agent do.
import type { Manifest } from "@plenary/protocol";
import { expect, test } from "vitest";
import { at, itself, network } from "../testing/discovery-network.ts";
import { ann, library, manifestOf, openStage, serviceUrl, visa } from "../testing/discovery-stage.ts";

const many = (count: number, of: (at: number) => Manifest) => Array.from({ length: count }, (_, at) => of(at));
const publishing = (servicingManifests: readonly Manifest[]) => ({
  eventType: "publishManifests",
  parameters: { servicingManifests },
});
const question = { eventType: "getManifests", to: { serviceUrl }, parameters: { recommendScope: "external" } };
const bytesOf = (events: object) => Buffer.byteLength(JSON.stringify(events));

test("of one envelope fifty manifests are kept, however many events it has", async () => {
  const { send, ask } = openStage();
  const manifests = many(60, (at) => manifestOf(`weaver-${at}`, { keyphrases: [`weaving ${at}`] }));
  await send(manifests.map((manifest) => publishing([manifest])));
  expect((await ask("external", ["weaving 49"])).servicing).toContain("weaver-49");
  expect((await ask("external", ["weaving 50"])).servicing).not.toContain("weaver-50");
});

test("whoever publishes itself at the addresses of others makes nobody call them", async () => {
  const { dialler, called } = network({});
  const { publish, ask, discovery } = openStage({ dialler });
  const { speakerUri } = manifestOf("evil").identification;
  const evil = many(40, (at) => ({
    ...manifestOf("evil", { keyphrases: ["x"], isDiscovery: true, at: `https://victim.example/?${at}` }),
  }));
  await publish(evil, { speakerUri });
  for (const one of evil) await publish([one], { speakerUri, serviceUrl: at(one) });
  await ask("external", ["x"]);
  expect(called).toEqual([]);
  await discovery.close();
});

test("agents that have answered are called for strangers, but a host only now and then", async () => {
  const agents = many(20, (at) => manifestOf(`agent-${at}`, { keyphrases: ["x"], at: `https://busy.example/${at}` }));
  const { dialler, called } = network(Object.fromEntries(agents.map((one) => [at(one), itself(one)])));
  let now = Date.parse("2026-01-31T10:00:00Z");
  const { publish, ask, discovery } = openStage({ dialler, agents: agents.map(at), now: () => now });
  await ask("external", ["x"]);
  expect(called).toHaveLength(20);
  now += 120_000;
  const forge = async () => {
    for (const one of agents) {
      const { speakerUri } = one.identification;
      await publish([one, one], { speakerUri, serviceUrl: at(one) });
    }
  };
  await forge();
  await expect.poll(() => called.length).toBe(26);
  await forge();
  now += 60_000;
  await publish([agents[19] as Manifest], { ...agents[19]?.identification });
  await expect.poll(() => called.length).toBe(27);
  expect(called.at(-1)).toBe("https://busy.example/19");
  await discovery.close();
});

test("an agent that was asked speaks first hand for the place where it was asked alone", async () => {
  const elsewhere = { ...visa, identification: { ...visa.identification, serviceUrl: "https://victim.example/" } };
  const { dialler, called } = network({ [at(visa)]: { ...itself(visa), servicing: [visa, elsewhere] } });
  let now = Date.parse("2026-01-31T10:00:00Z");
  const { ask, discovery } = openStage({ dialler, agents: [at(visa)], now: () => now });
  await ask("external", ["visa"]);
  now += 7 * 3_600_000;
  await ask("external", ["visa"]);
  await expect.poll(() => called.length).toBe(2);
  expect(called).toEqual([at(visa), at(visa)]);
  await discovery.close();
});

test("the favourite is whoever answered there, whatever others tell", async () => {
  const { dialler, peers } = network({});
  let now = Date.parse("2026-01-31T10:00:00Z");
  const { publish, discovery, ask } = openStage({ dialler, favorite: at(visa), now: () => now, patienceMs: 100 });
  await publish([manifestOf("mallory", { keyphrases: ["x"], at: at(visa) })], ann);
  const favorite = async () => {
    const sender = { from: "https://asker.example/" };
    const events = [{ eventType: "findAssistant" }];
    const ovon = { schema: { version: "0.9.3" }, conversation: { id: "c1" }, sender, events };
    const request = new Request(serviceUrl, { method: "POST", body: JSON.stringify({ ovon }) });
    return (await discovery.fetch(request)).text();
  };
  expect(await favorite()).not.toContain("mallory");
  peers[at(visa)] = itself(visa);
  now += 600_000;
  await ask("external");
  await expect.poll(favorite).toContain("visa");
  expect(await favorite()).not.toContain("mallory");
  await discovery.close();
});

test("an answer to strangers is small, however large the manifests and however often an envelope asks", async () => {
  const { publish, send, discovery } = openStage();
  const fat = many(20, (at) => manifestOf(`fat-${at}`, { keyphrases: ["x"], synopsis: "y".repeat(20_000) }));
  for (const one of fat) await publish([one]);
  await publish([library]);
  const one = await send([question], ann, discovery.stranger);
  expect(bytesOf(one)).toBeLessThan(70_000);
  expect(JSON.stringify(one)).toContain("library");
  const often = await send(Array(60).fill(question), ann, discovery.stranger);
  expect(bytesOf(often)).toBeLessThan(90_000);
});

test("strangers tell so much in a while, and more a while later", async () => {
  let now = Date.parse("2026-01-31T10:00:00Z");
  const { publish, ask } = openStage({ now: () => now });
  const synopsis = "y".repeat(50_000);
  for (const one of many(21, (at) => manifestOf(`fat-${at}`, { keyphrases: ["x"], synopsis }))) await publish([one]);
  const late = manifestOf("late", { keyphrases: ["weaving"], synopsis });
  await publish([late]);
  expect((await ask("external", ["weaving"])).servicing).toEqual([]);
  now += 2_000;
  await publish([late]);
  expect((await ask("external", ["weaving"])).servicing).toEqual(["late"]);
});

test("where a floor vouches for it, an agent is at one place at a time", async () => {
  const { publish, ask } = openStage({ acquaintances: () => [] });
  const sender = { speakerUri: visa.identification.speakerUri };
  const places = many(10, (at) => ({
    ...visa,
    identification: { ...visa.identification, serviceUrl: `https://visa.example/${at}` },
  }));
  await publish(places, sender);
  const { events } = await ask("external", ["visa"]);
  const told = events[0]?.parameters?.servicingManifests?.map(({ identification }) => identification.serviceUrl);
  expect(told).toEqual(["https://visa.example/9"]);
});
