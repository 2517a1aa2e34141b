// D18 with the SDK: a stopped handler gets an abort signal.
import { createAgent, createDialler, listen } from "@plenary/sdk";
import type { FloorServerPorts } from "@plenary/server";
import { afterEach, expect, test } from "vitest";
import { startTestFloor } from "../support/start-test-floor.ts";

const ann = "tag:ann.example,2025:1";
const composer = "tag:composer.example,2025:1";
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Begins an utterance, and continues only when it is stopped. */
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
  const dialler = createDialler({ mode: "local" });
  const floor = await startTestFloor({ retries: "default", dialler, ...(hostedAgents && { hostedAgents }) });
  closing.push(() => floor.close());
  return floor;
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

test.each(ways)("%s gets the stop signal, and later text is dropped", async (_name, start) => {
  const composing = createComposer();
  const [floor, serviceUrl] = await start(composing);
  await floor.send("c", [{ eventType: "invite", to: { serviceUrl } }], { as: ann });
  const answered = floor.say("c", "tell me a story", { as: ann, wait: 20 });
  await composing.begun;
  expect(await floor.must("POST", "/api/v1/conversations/c/pause", {})).toMatchObject({ isPaused: true });
  await composing.stopped;
  // The turn ends for the waiting request, without an answer.
  expect((await answered).body).toMatchObject({ consequences: [] });
  const entries = await floor.log("c");
  expect(JSON.stringify(entries)).not.toContain("once upon");
});
