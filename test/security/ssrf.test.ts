// Each field in which a caller can name an address, with each internal address: the floor sends no request there.
import { createServer, type Server } from "node:http";
import { createDialler, type DiallerOptions } from "@plenary/sdk";
import { type Canaries, openCanaries } from "@plenary/sdk/testing/canaries";
import { loopbackHosts, specialHosts, trapUrls } from "@plenary/sdk/testing/ssrf-corpus";
import { afterEach, beforeEach, expect, test } from "vitest";
import { envelopeOf, type Json, utterance } from "../support/envelopes.ts";
import { startTestFloor } from "../support/start-test-floor.ts";

let canaries: Canaries;
beforeEach(async () => {
  canaries = await openCanaries();
});
afterEach(() => canaries.close());

const ann = "tag:ann.example,2026:1";
const agent = "tag:agent.example,2026:1";

/** Names resolve to this machine, so that a name that is not refused is noticed. */
const resolve = async () => [{ address: "127.0.0.1", family: 4 }];

async function startFloor(options: DiallerOptions) {
  const dialler = createDialler({ resolve, ...options });
  const deliveryLimits = { retryMs: 0, inviteRetryMs: 0 };
  const floor = await startTestFloor({
    dialler,
    drainMs: 5_000,
    deliveryLimits,
    webhookLimits: { perRegistrantMax: 1_000 },
  });
  const call = async (method: string, path: string, body: Json) => (await floor.call(method, path, body)).status;
  return {
    call,
    post: floor.post,
    say: (id: string, ...events: Json[]) => call("POST", "/openfloor", envelopeOf(id, ann, events)),
    async close() {
      await floor.close();
      await dialler.close();
      expect(floor.errors).toEqual([]);
    },
  };
}

type Floor = Awaited<ReturnType<typeof startFloor>>;

const api = "/api/v1/conversations";
const owner = { identification: { speakerUri: ann } };

/** One conversation for each address; each field that takes an address names it there. */
const requestsByField: Record<string, (floor: Floor, id: string, serviceUrl: string) => Promise<unknown>> = {
  "an invite by address": ({ say }, id, serviceUrl) => say(id, { eventType: "invite", to: { serviceUrl } }),
  "an invite by name and address": ({ say }, id, serviceUrl) =>
    say(id, { eventType: "invite", to: { speakerUri: `tag:x.example,2026:${id}`, serviceUrl } }),
  "a question to somebody elsewhere": ({ say }, id, serviceUrl) =>
    say(id, { eventType: "getManifests", to: { serviceUrl } }),
  "a whisper that goes with it": ({ say }, id, serviceUrl) =>
    say(
      id,
      { eventType: "getManifests", to: { serviceUrl } },
      utterance(ann, "psst", { to: { serviceUrl, private: true } }),
    ),
  "the agents it knows": ({ call }, _id, serviceUrl) => call("POST", "/api/v1/agents", { serviceUrl }),
  "the convener of a new conversation": ({ call }, id, serviceUrl) =>
    call("POST", api, { id: `convened ${id}`, owner, convener: serviceUrl }),
  "the favourite agent, called back when the last one leaves": async ({ call }, id, serviceUrl) => {
    const [name, place] = [`favourite ${id}`, `${api}/${encodeURIComponent(`favourite ${id}`)}`];
    await call("POST", api, { id: name, owner, favoriteAgent: serviceUrl });
    await call("POST", `${place}/seat`, { identification: { speakerUri: agent }, kind: "agent" });
    await call("POST", `${place}/remove`, { speakerUri: agent });
  },
  "an agent that is given a seat": async ({ call, say }, id, serviceUrl) => {
    const identification = { speakerUri: `tag:seated.example,2026:${id}`, serviceUrl };
    await call("POST", `${api}/${id}/seat`, { identification, kind: "agent" });
    await say(id, utterance(ann, "hello"));
  },
  "an agent that moves": async ({ call, say }, id, serviceUrl) => {
    await call("POST", `${api}/${id}/seat`, { identification: { speakerUri: agent }, kind: "agent" });
    await call("POST", `${api}/${id}/rebind`, { speakerUri: agent, serviceUrl });
    await say(id, utterance(ann, "where are you now?", { to: { speakerUri: agent } }));
  },
  "a webhook that is tested": async ({ post }, conversation, url) => {
    const { body } = await post("/api/v1/webhooks", { url, conversation });
    if (body.id !== undefined) await post(`/api/v1/webhooks/${body.id}/test`, {});
  },
  "what an utterance links to": ({ say }, id, valueUrl) => {
    const linked = utterance(ann, "look") as { parameters: { dialogEvent: { features: Json } } };
    linked.parameters.dialogEvent.features.image = { mimeType: "image/png", tokens: [{ valueUrl }] };
    return say(id, linked as unknown as Json);
  },
  "where a sender says it is": ({ call }, id, serviceUrl) => {
    const document = envelopeOf(id, ann, [utterance(ann, "I am there")]) as { openFloor: { sender: Json } };
    document.openFloor.sender.serviceUrl = serviceUrl;
    return call("POST", "/openfloor", document as unknown as Json);
  },
  "what a manifest says": ({ say }, id, serviceUrl) => {
    const identification = { speakerUri: ann, serviceUrl, organization: "o", conversationalName: "n", synopsis: "s" };
    const servicingManifests = [{ identification, capabilities: [] }];
    return say(id, { eventType: "publishManifests", parameters: { servicingManifests, discoveryManifests: [] } });
  },
};

async function tryAll(floor: Floor, urls: readonly string[]): Promise<void> {
  for (const [index, url] of urls.entries()) {
    const id = `c${index}`;
    await floor.call("POST", api, { id, owner });
    for (const request of Object.values(requestsByField)) await request(floor, id, url);
  }
}

const inwards = (port: number) => [
  ...loopbackHosts.flatMap((host) => [`http://${host}:${port}/`, `https://${host}:${port}/x`]),
  ...[...specialHosts, "localhost", "a.localhost", "metadata.google.internal"].map((host) => `http://${host}:${port}/`),
  ...trapUrls,
];

test("the corpus has the declared size", () => {
  expect(new Set(inwards(1)).size).toBe(315);
  expect(Object.keys(requestsByField).length).toBe(13);
});

test("a floor on the network calls no internal address, in any field that can name one", async () => {
  const floor = await startFloor({ mode: "production" });
  await tryAll(floor, inwards(canaries.port));
  await floor.close();
  expect(canaries.connections()).toBe(0);
}, 900_000);

test.each(Object.keys(requestsByField).slice(0, 10))(
  "a floor that may call this machine does so by %s",
  async (name) => {
    const floor = await startFloor({ mode: "local" });
    await floor.call("POST", api, { id: "c0", owner });
    await requestsByField[name]?.(floor, "c0", `http://127.0.0.1:${canaries.port}/`);
    await floor.close();
    expect(canaries.connections()).toBeGreaterThan(0);
  },
);

test("an address that is only mentioned is not requested, even if calls to it are allowed", async () => {
  for (const name of Object.keys(requestsByField).slice(10)) {
    const floor = await startFloor({ mode: "local" });
    await floor.call("POST", api, { id: "c0", owner });
    await requestsByField[name]?.(floor, "c0", `http://127.0.0.1:${canaries.port}/`);
    await floor.close();
    expect([name, canaries.connections()]).toEqual([name, 0]);
  }
});

async function startRedirecting(status: number, location: string): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { location }).end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}

test.each([301, 302, 303, 307, 308])("a redirect (%i) of an allowed agent is not followed", async (status) => {
  const server = await startRedirecting(status, `http://127.0.0.1:${canaries.port}/`);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const floor = await startFloor({ mode: "production", allowHosts: [`friend.example:${port}`] });
  await tryAll(floor, [`http://friend.example:${port}/`]);
  await floor.close();
  server.closeAllConnections();
  server.close();
  expect(canaries.connections()).toBe(0);
});
