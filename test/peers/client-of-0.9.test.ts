import { createAgent, listen } from "@plenary/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import { createClientOf09, saidIn09 } from "./client-of-0.9.ts";

const from = "https://browser.example/ovon";
const speakerUri = "tag:agents.example,2026:weather";
const identification = { speakerUri, organization: "Example", conversationalName: "Weather", synopsis: "Forecasts." };
const capabilities = [{ keyphrases: ["weather"], descriptions: ["tells the weather"] }];

let floor: TestFloor;
let agent: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  floor = await startTestFloor();
  agent = await listen(createAgent({ manifest: { identification, capabilities }, onUtterance: () => "sunny" }), {
    port: 0,
  });
});
afterAll(async () => {
  await agent.close();
  await floor.close();
});

const typesIn = ({ ovon }: { ovon: { events: { eventType: string }[] } }) =>
  ovon.events.map(({ eventType }) => eventType);

test("an agent of ours answers findAssistant with proposeAssistant", async () => {
  const client = createClientOf09({ from, conversation: "find-1" });
  const answered = await client.post(
    agent.url,
    { eventType: "findAssistant", to: agent.url },
    saidIn09("whisper", from, "who knows the weather?", agent.url),
  );
  expect(answered.ovon.schema.version).toBe("0.9.3");
  const proposal = answered.ovon.events.find(({ eventType }) => eventType === "proposeAssistant");
  expect(proposal?.parameters).toMatchObject({
    servicingManifests: [{ identification: { serviceEndpoint: agent.url, synopsis: "Forecasts." } }],
    discoveryManifests: [],
  });
  expect(typesIn(answered)).not.toContain("publishManifest");
});

test("an agent of ours proposes itself to a findAssistant without a task, too", async () => {
  const client = createClientOf09({ from, conversation: "find-4" });
  const answered = await client.post(agent.url, { eventType: "findAssistant", to: agent.url });
  expect(typesIn(answered)).toEqual(["proposeAssistant"]);
});

test("an agent that recommends one other agent without a score proposes it", async () => {
  const other = {
    ...identification,
    speakerUri: "tag:agents.example,2026:tides",
    serviceUrl: "https://tides.example/",
  };
  const servicingManifests = [{ identification: other, capabilities }];
  const recommending = await listen(
    createAgent({
      manifest: { identification, capabilities },
      onUtterance: () => undefined,
      onManifests: () => ({ servicingManifests }),
    }),
    { port: 0 },
  );
  const client = createClientOf09({ from, conversation: "find-5" });
  const answered = await client.post(recommending.url, { eventType: "findAssistant", to: recommending.url });
  await recommending.close();
  expect(typesIn(answered)).toEqual(["proposeAssistant"]);
  expect(JSON.stringify(answered)).toContain("https://tides.example/");
});

test("an agent of ours answers requestManifest with publishManifest as before", async () => {
  const client = createClientOf09({ from, conversation: "find-2" });
  expect(typesIn(await client.post(agent.url, { eventType: "requestManifest", to: agent.url }))).toEqual([
    "publishManifest",
  ]);
});

test("findAssistant over the floor is answered with proposeAssistant", async () => {
  const headers = { authorization: `Bearer ${token}`, prefer: "wait=10" };
  const client = createClientOf09({ from, conversation: "find-3", headers });
  const address = `${floor.url}/openfloor`;
  await client.post(address, { eventType: "invite", to: agent.url });
  const answered = await client.post(
    address,
    { eventType: "findAssistant", to: agent.url },
    saidIn09("whisper", from, "who knows the weather?", agent.url),
  );
  expect((answered.consequences ?? []).flatMap(typesIn)).toContain("proposeAssistant");
  expect((answered.consequences ?? []).flatMap(typesIn)).not.toContain("publishManifest");
});

test("the floor returns persistentState in its own answer", async () => {
  const client = createClientOf09({ from, conversation: "state-1", headers: { authorization: `Bearer ${token}` } });
  client.remember("browser.example", { step: 3 });
  const first = await client.post(`${floor.url}/openfloor`, saidIn09("utterance", from, "remember this"));
  expect(first.ovon.conversation.persistentState).toEqual({ "browser.example": { step: 3 } });
  client.forget();
  const second = await client.post(`${floor.url}/openfloor`, saidIn09("utterance", from, "what was it?"));
  expect(second.ovon.conversation).toEqual({ id: "state-1", persistentState: { "browser.example": { step: 3 } } });
});
