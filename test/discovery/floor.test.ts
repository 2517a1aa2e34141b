// The discovery agent of a real floor: the built command, a file for its store, and agents as others write them.
import { join } from "node:path";
import { createHostClient } from "@plenary/client/host";
import type { FloorEvent } from "@plenary/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqlite } from "../reliability/sqlite-file.ts";
import { answer, closeAgents, startAgent } from "../support/http-agent.ts";
import { main } from "../support/plenary-command.ts";
import { createProcesses, type Processes } from "../support/start-plenary-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { asker, post, recommended, send } from "./discovery-client.ts";
import { manifestOf } from "./foreign-discovery-agents.ts";

const token = "operators-token";
let processes: Processes;
let floor: Floor;

type Floor = { url: string; stop: (signal: NodeJS.Signals) => Promise<void> };

const start = async (args: readonly string[]): Promise<Floor> => {
  const { said, stop } = await processes.announced(process.execPath, [main, ...args, "--json"]);
  return { url: said.url, stop };
};
const storeFile = () => join(processes.folder, "floor.db");
const openFloor = () => start(["serve", "--port", "0", "--token", token, "--store", storeFile()]);

beforeAll(async () => {
  processes = createProcesses();
  floor = await openFloor();
});

afterAll(async () => {
  await closeAgents();
  await processes.close();
});

const discoveryOf = ({ url }: Floor) => `${url}/agents/discovery`;

const host = () => createHostClient({ url: floor.url, token });

const publish = (floor: Floor, name: string, keyphrases: string[]) =>
  send(discoveryOf(floor), [
    {
      eventType: "publishManifests",
      parameters: { servicingManifests: [manifestOf(name, `https://${name}.example/`, keyphrases)] },
    },
  ]);

function keptIn(file: string): string {
  const db = openSqlite(file, { readonly: true });
  try {
    return db
      .prepare("SELECT known FROM catalogue")
      .all()
      .map(({ known }) => String(known))
      .join("\n");
  } finally {
    db.close();
  }
}

test("the discovery agent knows the hosted and the added agents of its floor, and recommends in text", async () => {
  const weaver = await startAgent((heard, me) => {
    const manifest = manifestOf("weaver", me.url, ["weaving"]);
    return answer(heard, me, { eventType: "publishManifests", parameters: { servicingManifests: [manifest] } });
  }, "tag:strangers.example,2026:weaver");
  expect((await recommended(discoveryOf(floor), "what time is it in Tokyo?")).servicing[0]).toBe("Clock");
  await host().call("POST /api/v1/agents", { body: { serviceUrl: weaver.url } });
  expect((await recommended(discoveryOf(floor), "weaving")).servicing).toEqual(["weaver"]);

  const conversation = { id: "c1" };
  const owner = { identification: { speakerUri: asker } };
  await host().call("POST /api/v1/conversations", { body: { ...conversation, owner } });
  const say = async (events: FloorEvent[]) => {
    const openFloor = { schema: { version: "1.1.0" }, conversation, sender: { speakerUri: asker }, events };
    const request = { body: { openFloor }, headers: { prefer: "wait=20" } };
    return JSON.stringify((await host().call("POST /openfloor", request)).consequences);
  };
  await say([{ eventType: "invite", to: { serviceUrl: discoveryOf(floor) } }]);
  const features = {
    text: { mimeType: "text/plain", tokens: [{ value: "Discovery, who can help me with weaving?" }] },
  };
  const dialogEvent = { id: "de:1", speakerUri: asker, span: { startTime: "2026-01-01T00:00:00Z" }, features };
  const consequences = await say([{ eventType: "utterance", parameters: { dialogEvent } }]);
  expect(consequences).toContain("You could ask **weaver**");
  expect(consequences).toContain("publishManifests");
});

const ovon = (url: string, events: object[]) =>
  post(url, {
    ovon: {
      schema: { version: "0.9.3" },
      conversation: { id: "31050879662407560061859425913208" },
      sender: { from: "https://someBot.example" },
      events,
    },
  });

type Proposal = { identification: { conversationalName: string; serviceEndpoint: string }; score?: number };
type OvonEvent = {
  eventType: string;
  parameters: { servicingManifests: Proposal[]; discoveryManifests: Proposal[]; manifest: Proposal };
};

async function eventsOf(url: string, events: object[]): Promise<OvonEvent[]> {
  const { ovon: answered } = await ovon(url, events);
  return (answered as { events: OvonEvent[] }).events;
}

test("0.9.3: findAssistant is answered with proposals, and without a whisper with the favourite", async () => {
  const to = discoveryOf(floor);
  const features = { text: { mimeType: "text/plain", tokens: [{ value: "What time is it in Tokyo?" }] } };
  const span = { startTime: "2023-06-14 02:06:07+00:00" };
  const whisper = { eventType: "whisper", parameters: { dialogEvent: { speakerId: "speaker0819", span, features } } };
  const [proposed, ...more] = await eventsOf(to, [
    { to, eventType: "findAssistant" },
    { to, ...whisper },
  ]);
  expect(more).toEqual([]);
  expect(proposed?.eventType).toBe("proposeAssistant");
  expect(proposed?.parameters.servicingManifests[0]?.identification).toMatchObject({
    conversationalName: "Clock",
    serviceEndpoint: `${floor.url}/agents/clock`,
  });
  expect(Number.isInteger(proposed?.parameters.servicingManifests[0]?.score)).toBe(true);

  const [favorite] = await eventsOf(to, [{ to, eventType: "findAssistant" }]);
  expect(favorite?.eventType).toBe("proposeAssistant");
  expect(favorite?.parameters.servicingManifests.map((one) => one.identification.conversationalName)).toEqual([
    "Guide",
  ]);
  expect(favorite?.parameters.discoveryManifests).toEqual([]);

  const [own] = await eventsOf(to, [{ to, eventType: "requestManifest" }]);
  expect(own).toMatchObject({
    eventType: "publishManifest",
    parameters: { manifest: { identification: { conversationalName: "Discovery", serviceEndpoint: to } } },
  });
});

test("a separate discovery agent stores its configured agents and favourite, and consults other discovery agents", async () => {
  const weaver = await startAgent((heard, me) => {
    const manifest = manifestOf("weaver", me.url, ["weaving"]);
    return answer(heard, me, { eventType: "publishManifests", parameters: { servicingManifests: [manifest] } });
  }, "tag:strangers.example,2026:weaver");
  const store = join(processes.folder, "known.db");
  const first = await start(["agent", "discovery", "--store", store, "--agents", weaver.url, "--favorite", weaver.url]);
  expect((await recommended(first.url, "weaving")).servicing).toEqual(["weaver"]);
  const [favorite] = await eventsOf(first.url, [{ to: first.url, eventType: "findAssistant" }]);
  const named = favorite?.parameters.servicingManifests.map((one) => one.identification.conversationalName);
  expect(named).toEqual(["weaver"]);
  const second = await start(["agent", "discovery", "--consult", first.url]);
  expect((await recommended(second.url, "weaving")).servicing).toEqual(["weaver"]);
  await first.stop("SIGTERM");
  expect(keptIn(store)).toContain("weaver");
});

test("a published manifest survives a kill of the floor, and is stored when the floor stops", async () => {
  await publish(floor, "farmer", ["farming"]);
  await waitFor(async () => (keptIn(storeFile()).includes("farmer") ? true : undefined), "the manifest in the file");
  await floor.stop("SIGKILL");
  floor = await openFloor();
  expect((await recommended(discoveryOf(floor), "farming")).servicing).toEqual(["farmer"]);
  // Published just before the floor stops.
  await publish(floor, "brewer", ["brewing"]);
  await floor.stop("SIGTERM");
  expect(keptIn(storeFile())).toContain("brewer");
});
