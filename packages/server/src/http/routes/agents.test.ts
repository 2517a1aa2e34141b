import { afterEach, expect, test } from "vitest";
import type { HostedAgents } from "../../agents/hosted.ts";
import { silentLogger } from "../../ports/logger.ts";
import { createFloorServer, type FloorServer } from "../../server.ts";
import { createMemoryStore } from "../../store/memory.ts";

const token = "the-operators-token";
const dialler = { dial: () => Promise.reject(new Error("no request expected")) };

let server: FloorServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(hostedAgents?: HostedAgents) {
  const ports = { store: createMemoryStore(), dialler, logger: silentLogger, ...(hostedAgents && { hostedAgents }) };
  server = await createFloorServer(ports, { token, drainMs: 0, listen: { port: 0 } });
  const { url } = server;
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${url}/api/v1/agents${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text || "null") as { agents: Record<string, unknown>[] } };
  };
  const call = async (method: string, body?: object) => (await ask(method, "", body)).body;
  return { url, call, ask };
}

/** Agents that answer manifest requests and record them in `asked`; `mute` answers 500. */
function hosting(names: readonly string[], asked: string[]): HostedAgents {
  return {
    names,
    create: (name, serviceUrl) => ({
      manifest: { identification: { speakerUri: `tag:here.example,2026:${name}` } },
      fetch: async (request) => {
        asked.push(name);
        if (name === "mute") return new Response("?", { status: 500 });
        const { id } = ((await request.json()) as { openFloor: { conversation: { id: string } } }).openFloor
          .conversation;
        const identification = { speakerUri: `tag:here.example,2026:${name}`, serviceUrl, conversationalName: name };
        const manifest = { identification: { ...identification, organization: "", synopsis: "" }, capabilities: [] };
        const event = { eventType: "publishManifests", parameters: { servicingManifests: [manifest] } };
        const sender = { speakerUri: identification.speakerUri, serviceUrl };
        const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender, events: [event] };
        return Response.json({ openFloor });
      },
    }),
  };
}

test("hosted agents are listed from the first request on, and each is checked once", async () => {
  const asked: string[] = [];
  const { url, call } = await start(hosting(["polly", "mute"], asked));
  expect(asked).toEqual([]);
  const [{ agents }, again] = await Promise.all([call("GET"), call("GET")]);
  const polly = { conversationalName: "polly", speakerUri: "tag:here.example,2026:polly" };
  expect(agents).toMatchObject([
    {
      serviceUrl: `${url}/agents/mute`,
      health: "failing",
      isHosted: true,
      failuresInARow: 1,
      trouble: { code: "status", detail: "it answered 500: ?" },
    },
    {
      serviceUrl: `${url}/agents/polly`,
      health: "answering",
      isHosted: true,
      dialect: "1.1",
      quirks: [],
      manifest: { identification: polly },
      latencyMs: { of: 1 },
    },
  ]);
  expect(again.agents).toEqual(agents);
  await call("GET");
  expect(asked.filter((name) => name === "polly")).toEqual(["polly"]);
});

test("a hosted agent that is added again stays hosted, and other agents are not", async () => {
  const { url, call } = await start(hosting(["polly"], []));
  await call("GET");
  await call("POST", { serviceUrl: `${url}/agents/polly` });
  await call("POST", { serviceUrl: "https://elsewhere.example/" });
  const { agents } = await call("GET");
  expect(agents.map(({ serviceUrl, isHosted }) => [serviceUrl, isHosted])).toEqual([
    [`${url}/agents/polly`, true],
    ["https://elsewhere.example/", undefined],
  ]);
});

test("a floor without hosted agents has an empty list", async () => {
  const { call } = await start();
  expect(await call("GET")).toEqual({ agents: [], invitedByDefault: [] });
});

test("the list can be filtered by health", async () => {
  const { ask } = await start(hosting(["polly", "mute"], []));
  const names = async (health: string) =>
    (await ask("GET", `?health=${health}`)).body.agents.map(({ serviceUrl }) => String(serviceUrl).split("/").at(-1));
  expect([await names("answering"), await names("failing"), await names("silent")]).toEqual([["polly"], ["mute"], []]);
  const { status, body } = await ask("GET", "?health=fine");
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ detail: expect.stringContaining("one of answering") }),
  ]);
});

test("one agent is checked, or all; an unknown agent that does not answer is not stored", async () => {
  const asked: string[] = [];
  const { url, call, ask } = await start(hosting(["polly", "mute"], asked));
  await call("GET");
  const checked = await ask("POST", "/check", { serviceUrl: `${url}/agents/polly` });
  expect(checked.body.agents).toMatchObject([{ health: "answering", latencyMs: { of: 2 } }]);
  const all = await ask("POST", "/check", {});
  expect(all.body.agents).toMatchObject([{ failuresInARow: 2 }, { latencyMs: { of: 3 } }]);
  expect(asked.filter((name) => name === "polly")).toHaveLength(3);
  const unknownAgent = { serviceUrl: "https://elsewhere.example/" };
  expect((await ask("POST", "/check", unknownAgent)).body.agents).toMatchObject([
    { ...unknownAgent, health: "failing" },
  ]);
  expect((await call("GET")).agents).toHaveLength(2);
});

test("an address is stored normalized, and an address with a password is refused", async () => {
  const { call, ask } = await start();
  await call("POST", { serviceUrl: "http://elsewhere.example/\u001b]0;pwned\u0007" });
  const secret = { serviceUrl: "http://user:secret@elsewhere.example/" };
  for (const path of ["", "/check"]) {
    const { status, body } = await ask("POST", path, secret);
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ pointer: "/serviceUrl", detail: expect.stringContaining("without a user name") }),
    ]);
    expect(JSON.stringify(body)).not.toContain("secret");
  }
  const { agents } = await call("GET");
  expect(agents.map(({ serviceUrl }) => serviceUrl)).toEqual(["http://elsewhere.example/%1B]0;pwned"]);
});

test("a deleted agent is not listed, and an invalid deletion gets a fix", async () => {
  const { call, ask } = await start();
  const serviceUrl = "https://elsewhere.example/";
  await call("POST", { serviceUrl });
  const forget = (query: string) => ask("DELETE", query);
  expect((await forget(`?serviceUrl=${encodeURIComponent(serviceUrl)}`)).status).toBe(204);
  expect(await call("GET")).toEqual({ agents: [], invitedByDefault: [] });
  const again = await forget(`?serviceUrl=${encodeURIComponent(serviceUrl)}`);
  expect([again.status, again.body]).toEqual([404, expect.objectContaining({ fix: expect.stringContaining("lists") })]);
  const nothing = await forget("");
  expect([nothing.status, nothing.body]).toEqual([
    400,
    expect.objectContaining({ detail: expect.stringContaining("serviceUrl"), fix: expect.any(String) }),
  ]);
  for (const bad of [
    { serviceUrl: "no url" },
    { serviceUrl: 7 },
    { serviceUrl: "http://[" },
    { serviceUrl: "ftp://x.example" },
  ]) {
    expect([await ask("POST", "/check", bad), await ask("POST", "", bad)]).toMatchObject([
      { status: 400, body: { pointer: "/serviceUrl" } },
      { status: 400, body: { pointer: "/serviceUrl" } },
    ]);
  }
});

test("the list names the hosted agents that a new conversation begins with", async () => {
  const { url, call } = await start({ ...hosting(["polly", "mute"], []), invitedByDefault: ["mute", "gone", "polly"] });
  expect(await call("GET")).toMatchObject({ invitedByDefault: [`${url}/agents/mute`, `${url}/agents/polly`] });
});
