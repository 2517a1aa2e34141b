// What a sender without a verified identity can cause in a discovery agent.
import type { Manifest } from "@plenary/protocol";
import { expect, test } from "vitest";
import {
  ann,
  guide,
  library,
  manifestOf,
  openDiscovery,
  searchOf,
  serviceUrl,
  visa,
} from "../testing/discovery-fixture.ts";
import { at, itself, network } from "../testing/discovery-network.ts";

const many = (count: number, of: (at: number) => Manifest) => Array.from({ length: count }, (_, at) => of(at));
const publishing = (servicingManifests: readonly Manifest[]) => ({
  eventType: "publishManifests",
  parameters: { servicingManifests },
});
const question = { eventType: "getManifests", to: { serviceUrl }, parameters: { recommendScope: "external" } };
const bytesOf = (events: object) => Buffer.byteLength(JSON.stringify(events));

test("at most fifty manifests of one envelope are kept, over all of its events", async () => {
  const { send, ask } = openDiscovery();
  const manifests = many(60, (at) => manifestOf(`weaver-${at}`, { keyphrases: [`weaving ${at}`] }));
  await send(manifests.map((manifest) => publishing([manifest])));
  expect((await ask("external", ["weaving 49"])).servicing).toContain("weaver-49");
  expect((await ask("external", ["weaving 50"])).servicing).not.toContain("weaver-50");
});

test("publishing manifests with other agents' addresses causes no calls", async () => {
  const { dialler, called } = network({});
  const { publish, ask, discovery } = openDiscovery({ dialler });
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

test("published agents that answered before are asked again, with a rate limit per host", async () => {
  const agents = many(20, (at) => manifestOf(`agent-${at}`, { keyphrases: ["x"], at: `https://busy.example/${at}` }));
  const { dialler, called } = network(Object.fromEntries(agents.map((one) => [at(one), itself(one)])));
  let now = Date.parse("2026-01-31T10:00:00Z");
  const { publish, ask, discovery } = openDiscovery({ dialler, agents: agents.map(at), now: () => now });
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

test("an asked agent is first-hand only for the asked address", async () => {
  const elsewhere = { ...visa, identification: { ...visa.identification, serviceUrl: "https://victim.example/" } };
  const { dialler, called } = network({ [at(visa)]: { ...itself(visa), servicing: [visa, elsewhere] } });
  let now = Date.parse("2026-01-31T10:00:00Z");
  const { ask, discovery } = openDiscovery({ dialler, agents: [at(visa)], now: () => now });
  await ask("external", ["visa"]);
  now += 7 * 3_600_000;
  await ask("external", ["visa"]);
  await expect.poll(() => called.length).toBe(2);
  expect(called).toEqual([at(visa), at(visa)]);
  await discovery.close();
});

test("the favourite is the agent that answered at its address, whatever others report", async () => {
  const { dialler, peers } = network({});
  let now = Date.parse("2026-01-31T10:00:00Z");
  const { publish, discovery, ask } = openDiscovery({ dialler, favorite: at(visa), now: () => now, patienceMs: 100 });
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

test("answers to strangers are limited in size, for large manifests and many questions", async () => {
  const { publish, send, discovery } = openDiscovery();
  const fat = many(20, (at) => manifestOf(`fat-${at}`, { keyphrases: ["x"], synopsis: "y".repeat(20_000) }));
  for (const one of fat) await publish([one]);
  await publish([library]);
  const one = await send([question], ann, discovery.stranger);
  expect(bytesOf(one)).toBeLessThan(70_000);
  expect(JSON.stringify(one)).toContain("library");
  const often = await send(Array(60).fill(question), ann, discovery.stranger);
  expect(bytesOf(often)).toBeLessThan(90_000);
});

test("the intake of anonymous manifests is rate limited", async () => {
  let now = Date.parse("2026-01-31T10:00:00Z");
  const { publish, ask } = openDiscovery({ now: () => now });
  const synopsis = "y".repeat(50_000);
  for (const one of many(21, (at) => manifestOf(`fat-${at}`, { keyphrases: ["x"], synopsis }))) await publish([one]);
  const late = manifestOf("late", { keyphrases: ["weaving"], synopsis });
  await publish([late]);
  expect((await ask("external", ["weaving"])).servicing).toEqual([]);
  now += 2_000;
  await publish([late]);
  expect((await ask("external", ["weaving"])).servicing).toEqual(["late"]);
});

test("a verified agent has one address at a time", async () => {
  const { publish, ask } = openDiscovery({ knownAgents: () => [] });
  const sender = { speakerUri: visa.identification.speakerUri };
  const places = many(10, (at) => ({
    ...visa,
    identification: { ...visa.identification, serviceUrl: `https://visa.example/${at}` },
  }));
  await publish(places, sender);
  const { events } = await ask("external", ["visa"]);
  const shown = events[0]?.parameters?.servicingManifests?.map(({ identification }) => identification.serviceUrl);
  expect(shown).toEqual(["https://visa.example/9"]);
});

const evil = manifestOf("evil", { keyphrases: ["visa", "immigration", "passport"], synopsis: "Visa, visa, visa." });
const publishRequest = (manifest: Manifest, caller: string) => {
  const events = [publishing([manifest])];
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id: "c1" }, sender: ann, events };
  const request = new Request(serviceUrl, { method: "POST", body: JSON.stringify({ openFloor }) });
  return [request, { caller }] as const;
};

test("an anonymous entry ranks below verified ones, however well it matches, and is marked", async () => {
  const weak = manifestOf("weak", { keyphrases: ["passport photographs for dogs and cats"] });
  const { dialler } = network({ [at(weak)]: itself(weak) });
  const { publish, send, ask, discovery, utterance } = openDiscovery({ dialler, agents: [at(weak)] });
  await publish([evil]);
  const features = searchOf({ isExplained: true });
  const { events, servicing } = await ask("external", ["passport photographs"], { features });
  expect(servicing).toEqual(["weak", "evil"]);
  const [first = 0, second = 0] = events[0]?.parameters?.servicingManifests?.map(({ score }) => score ?? 0) ?? [];
  expect(first).toBeGreaterThan(second);
  const said = events.find(({ eventType }) => eventType === "utterance");
  const why = said?.parameters?.dialogEvent?.features.reasons?.tokens[0]?.value;
  const named = { speakerUri: weak.identification.speakerUri };
  expect(why).toMatchObject({ reasons: [named, { isUnverified: true }] });
  expect(why).not.toMatchObject({ reasons: [{ isUnverified: true }, {}] });
  expect((await ask("external")).servicing).toEqual(["weak", "evil"]);
  const inWords = JSON.stringify(await send([utterance("Discovery, immigration", undefined)]));
  expect(inWords).toMatch(/\*\*evil\*\*.*\(not verified; /u);
  await discovery.close();
});

test("a discovery agent from a stranger is named as not verified, and a stranger cannot name discovery agents", async () => {
  const { dialler } = network({ [at(visa)]: itself(visa) });
  const { publish, ask, discovery } = openDiscovery({ dialler, agents: [at(visa)] });
  await publish([], ann, [visa, guide]);
  expect((await ask("external")).discovery).toEqual(["finder"]);
  const { events } = await ask("external", ["taxidermy"], { features: searchOf({ isExplained: true }) });
  expect(JSON.stringify(events)).toContain("finder (not verified)");
  await discovery.close();
});

test("a stranger cannot take the speakerUri of an agent verified at another address", async () => {
  const { dialler } = network({ [at(visa)]: itself(visa) });
  const { publish, ask, discovery } = openDiscovery({ dialler, agents: [at(visa)] });
  const { speakerUri } = visa.identification;
  const taken = { ...evil, identification: { ...evil.identification, speakerUri } };
  await publish([taken]);
  const { events } = await ask("external", ["visa"]);
  const addresses = events[0]?.parameters?.servicingManifests?.map(({ identification }) => identification.serviceUrl);
  expect(addresses).toEqual([at(visa)]);
  expect(JSON.stringify((await ask("external", [], { to: { serviceUrl, speakerUri } })).events)).not.toContain("evil");
  await discovery.close();
});

test("the newest hundred manifests per network address are kept, whatever the senders' names", async () => {
  const { ask, discovery } = openDiscovery();
  const tell = async (name: string, caller: string) => {
    await discovery.stranger.fetch(...publishRequest(manifestOf(name, { keyphrases: [name] }), caller));
  };
  await tell("another", "203.0.113.2");
  for (let count = 0; count < 120; count += 1) await tell(`weaver${count}`, "203.0.113.1");
  expect((await ask("external", ["weaver19"])).servicing).not.toContain("weaver19");
  expect((await ask("external", ["weaver20"])).servicing).toContain("weaver20");
  expect((await ask("external", ["weaver119"])).servicing).toContain("weaver119");
  expect((await ask("external", ["another"])).servicing).toEqual(["another"]);
});

test("one network address cannot change the entries of another", async () => {
  const { ask, discovery } = openDiscovery();
  await discovery.stranger.fetch(...publishRequest(manifestOf("owl", { keyphrases: ["weaving"] }), "203.0.113.1"));
  await discovery.stranger.fetch(...publishRequest(manifestOf("owl", { keyphrases: ["forging"] }), "203.0.113.2"));
  expect((await ask("external", ["weaving"])).servicing).toEqual(["owl"]);
  expect((await ask("external", ["forging"])).servicing).toEqual([]);
});

test("an anonymous manifest expires after a day unless it is published again; a verified one does not", async () => {
  const { dialler } = network({ [at(library)]: itself(library) });
  let now = Date.parse("2026-01-31T10:00:00Z");
  const { publish, ask, discovery } = openDiscovery({ dialler, agents: [at(library)], now: () => now });
  await publish([visa, evil]);
  expect((await ask("external")).servicing?.sort()).toEqual(["evil", "library", "visa"]);
  now += 20 * 3_600_000;
  await publish([visa]);
  now += 5 * 3_600_000;
  expect((await ask("external")).servicing?.sort()).toEqual(["library", "visa"]);
  now += 25 * 3_600_000;
  expect((await ask("external", ["visa"])).servicing).toEqual([]);
  await discovery.close();
});

test("a misled discovery agent cannot give a known speakerUri to another address", async () => {
  const { speakerUri } = visa.identification;
  const taken = { ...evil, identification: { ...evil.identification, speakerUri } };
  const peers = { [at(visa)]: itself(visa), [at(guide)]: { ...itself(guide), servicing: [taken, library] } };
  const { ask, discovery } = openDiscovery({
    dialler: network(peers).dialler,
    agents: [at(visa)],
    consult: [at(guide)],
  });
  const { events, servicing } = await ask("external", ["immigration"]);
  expect(servicing).toEqual(expect.arrayContaining(["visa", "library"]));
  expect(JSON.stringify(events)).not.toContain(at(evil));
  await discovery.close();
});
