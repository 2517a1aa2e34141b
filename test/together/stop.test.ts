// D18 with the SDK on the other side: whoever is stopped learns it from the signal its handler was given.
import { createAgent, createDialler, listen } from "@plenary/sdk";
import { createFloorServer, createMemoryStore, type FloorServerPorts } from "@plenary/server";
import { afterEach, expect, test } from "vitest";

const ann = "tag:ann.example,2025:1";
const composer = "tag:composer.example,2025:1";
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Begins to say something, and would go on only when it is stopped. */
function createComposer() {
  const composing = new EventTarget();
  const when = (what: string) => new Promise((resolve) => composing.addEventListener(what, resolve, { once: true }));
  const [begun, stopped] = [when("begun"), when("stopped")];
  const agent = createAgent({
    manifest: {
      identification: {
        speakerUri: composer,
        organization: "Example",
        conversationalName: "Composer",
        synopsis: "never ends",
      },
      capabilities: [{ keyphrases: ["test"], descriptions: ["answers tests"] }],
    },
    onInvite: () => undefined,
    async *onUtterance({ signal }) {
      signal.addEventListener("abort", () => composing.dispatchEvent(new Event("stopped")), { once: true });
      yield "once upon ";
      composing.dispatchEvent(new Event("begun"));
      await stopped;
      yield "a time";
    },
  });
  return { agent, begun, stopped };
}

type Composer = ReturnType<typeof createComposer>;

async function openFloor(hostedAgents?: FloorServerPorts["hostedAgents"]) {
  const ports = { store: createMemoryStore(), dialler: createDialler({ mode: "local" }) };
  const server = createFloorServer({ ...ports, ...(hostedAgents && { hostedAgents }) });
  const { url } = await server.listen(0);
  closing.push(() => server.close());
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json", prefer: "wait=20" },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.ok).toBe(true);
    return (await response.json()) as Record<string, unknown>;
  };
  const send = (...events: object[]) => {
    const conversation = { id: "together" };
    return call("/openfloor", {
      openFloor: { schema: { version: "1.1.0" }, conversation, sender: { speakerUri: ann }, events },
    });
  };
  return { url, call, send };
}

function words(text: string) {
  const span = { startTime: "2025-01-31T10:05:00Z" };
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  return { eventType: "utterance", parameters: { dialogEvent: { id: "de:1", speakerUri: ann, span, features } } };
}

const ways: [name: string, start: (composer: Composer) => Promise<[Awaited<ReturnType<typeof openFloor>>, string]>][] =
  [
    [
      "an agent that listens",
      async ({ agent }) => {
        const listening = await listen(agent, { port: 0 });
        closing.push(() => listening.close());
        return [await openFloor(), listening.url];
      },
    ],
    [
      "an agent that lives in the floor",
      async ({ agent }) => {
        const floor = await openFloor({ names: ["composer"], create: () => agent });
        return [floor, `${floor.url}/agents/composer`];
      },
    ],
  ];

test.each(ways)("%s is told to stop, and what it says then is not heard", async (_name, start) => {
  const composing = createComposer();
  const [floor, serviceUrl] = await start(composing);
  await floor.send({ eventType: "invite", to: { serviceUrl } });
  const answered = floor.send(words("tell me a story"));
  await composing.begun;
  expect(await floor.call("/api/v1/conversations/together/pause", {})).toMatchObject({ isPaused: true });
  await composing.stopped;
  // The turn has come to its end for whoever waits for it, without an answer.
  expect(await answered).toMatchObject({ consequences: [] });
  const { entries } = await floor.call("/api/v1/conversations/together/log?limit=1000");
  expect(JSON.stringify(entries)).not.toContain("once upon");
});
