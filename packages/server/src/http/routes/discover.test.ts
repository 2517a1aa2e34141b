import { afterEach, expect, test } from "vitest";
import type { HostedAgents } from "../../agents/hosted.ts";
import type { Discovery } from "../../ports/discovery.ts";
import { silentLogger } from "../../ports/logger.ts";
import { createFloorServer, type FloorServer } from "../../server.ts";
import { createMemoryStore } from "../../store/memory.ts";

const token = "the-operators-token";
const dialler = { dial: () => Promise.reject(new Error("no request expected")) };
const manifest = {
  identification: {
    speakerUri: "tag:clock.example,2026:1",
    serviceUrl: "http://127.0.0.1:1/clock",
    organization: "Example",
    conversationalName: "Clock",
    synopsis: "Tells the time.",
  },
  capabilities: [],
};

let server: FloorServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

type Needs = Parameters<Discovery["discover"]>[0];

/** Calls the given agents, records their answers, and finds two manifests. */
function searching(needs: Needs[], answers: string[] = []): Discovery {
  return {
    async discover(need, { ask, dialler: given, signal, sender }) {
      needs.push(need);
      for (const url of ask) {
        const { body } = await given.dial({ url, body: sender.speakerUri, headers: {}, signal, connectMs: 1_000 });
        for await (const chunk of body) answers.push(Buffer.from(chunk).toString());
      }
      const one = { kind: "servicing", manifest: { ...manifest, score: 0.5 }, reasons: { words: ["time"] } } as const;
      return {
        found: [one, { kind: "servicing", manifest }],
        asked: [{ serviceUrl: ask[0] ?? "", found: 2 }],
        unasked: 0,
      };
    },
  };
}

const hostedAgents: HostedAgents = {
  names: ["discovery", "clock"],
  create: (name) => ({
    manifest: { identification: { speakerUri: `tag:here.example,2026:${name}` } },
    fetch: async () => new Response(`this is ${name}`),
  }),
};

async function start(discovery?: Discovery, hosted: HostedAgents | undefined = hostedAgents) {
  const ports = {
    store: createMemoryStore(),
    dialler,
    hostedAgents: hosted,
    logger: silentLogger,
    ...(discovery && { discovery }),
  };
  server = await createFloorServer(ports, { token, drainMs: 0, listen: { port: 0 } });
  const { url } = server;
  const post = async (path: string, body: object, bearer = token) => {
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { url, post, search: (body: object, bearer?: string) => post("/api/v1/discover", body, bearer) };
}

test("a host gets the recommendations of the hosted discovery agent, which is called in process", async () => {
  const [needs, answers]: [Needs[], string[]] = [[], []];
  const { url, search } = await start(searching(needs, answers));
  const need = { text: " what time is it ", languages: ["en-GB"], layers: ["text"], scope: "all" };
  const { status, body } = await search(need);
  expect(status).toBe(200);
  expect(body).toEqual({
    found: [
      { kind: "servicing", manifest, score: 0.5, reasons: { words: ["time"] } },
      { kind: "servicing", manifest },
    ],
    asked: [{ serviceUrl: `${url}/agents/discovery`, found: 2 }],
    unasked: 0,
  });
  expect(needs).toEqual([{ ...need, text: "what time is it" }]);
  expect(answers).toEqual(["this is discovery"]);
});

test("the result has at most `limit` agents", async () => {
  const { search } = await start(searching([]));
  expect((await search({ text: "time", limit: 1 })).body.found).toHaveLength(1);
});

test.each([
  [{}, "/text"],
  [{ text: "   " }, "/text"],
  [{ text: "x".repeat(1_001) }, "/text"],
  [{ text: 7 }, "/text"],
  [{ text: "time", languages: "en" }, "/languages"],
  [{ text: "time", languages: ["not a tag"] }, "/languages/0"],
  [{ text: "time", layers: Array(9).fill("text") }, "/layers"],
  [{ text: "time", scope: "internal" }, "/scope"],
  [{ text: "time", limit: 51 }, "/limit"],
])("%j is refused with a pointer", async (body, pointer) => {
  const needs: Needs[] = [];
  const { search } = await start(searching(needs));
  const answer = await search(body);
  expect(answer).toMatchObject({ status: 400, body: { pointer, fix: expect.any(String) } });
  expect(needs).toEqual([]);
});

test("a floor without a discovery agent answers 404 with a fix", async () => {
  const { search } = await start(searching([]), { ...hostedAgents, names: ["clock"] });
  expect(await search({ text: "time" })).toMatchObject({
    status: 404,
    body: {
      detail: "this floor knows no discovery agent",
      fix: expect.stringContaining("POST /api/v1/agents"),
    },
  });
});

test("searches have a rate limit per person", async () => {
  const { post, search } = await start(searching([]));
  const session = await post("/api/v1/sessions", { name: "Ann" });
  const bearer = String(session.body.token);
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async () => (await search({ text: "time" }, bearer)).status),
  );
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(16);
  expect((await search({ text: "time" })).status).toBe(200);
});
