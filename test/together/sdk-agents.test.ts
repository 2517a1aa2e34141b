import { connect, createAgent, createDialler, listen } from "@plenary/sdk";
import { relayUrlOf } from "@plenary/server";
import { afterEach, expect, test } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

const ann = "tag:ann.example,2025:1";
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function openFloor() {
  const floor = await startTestFloor({ retries: "default", dialler: createDialler({ mode: "local" }) });
  closing.push(() => floor.close());
  return floor;
}

const identification = (name: string) => ({
  speakerUri: `tag:${name}.example,2025:1`,
  organization: "Example",
  conversationalName: name,
  synopsis: `${name} of the tests`,
});
const capabilities = [{ keyphrases: ["test"], descriptions: ["answers tests"] }];

/** Sends as Ann and returns the response as text. */
async function say(floor: TestFloor, events: object[]): Promise<string> {
  const { status, text } = await floor.send("together", events, { as: ann, wait: 20 });
  expect(status).toBe(200);
  return text;
}

const words = (text: string, to?: object) => utterance(ann, text, { to });

test("an agent that listens joins, answers everyone in public and a whisper in private", async () => {
  const floor = await openFloor();
  const manifest = { identification: identification("shout"), capabilities };
  const agent = createAgent({ manifest, onUtterance: ({ text }) => text.toUpperCase() });
  const { url, close } = await listen(agent, { port: 0 });
  closing.push(close);
  expect(await say(floor, [{ eventType: "invite", to: { serviceUrl: url } }, words("hello")])).toContain("HELLO");
  const whisper = { speakerUri: "tag:shout.example,2025:1", private: true };
  const answer = JSON.parse(await say(floor, [words("a secret", whisper)]));
  expect(answer.consequences[0].openFloor.events).toMatchObject([
    {
      to: { speakerUri: ann, private: true },
      parameters: { dialogEvent: { features: { text: { tokens: [{ value: "A SECRET" }] } } } },
    },
  ]);
});

test("an agent that connects out is invited at its relay address and answers the same way", async () => {
  const floor = await openFloor();
  const manifest = { identification: identification("inside"), capabilities };
  const agent = createAgent({ manifest, onUtterance: ({ text }) => `heard ${text}` });
  const { speakerUri } = identification("inside");
  const { serviceUrl, close } = await connect(agent, { url: floor.url, token: floor.token });
  closing.push(close);
  expect(serviceUrl).toBe(relayUrlOf(`${floor.url}/openfloor`, speakerUri));
  expect(await say(floor, [{ eventType: "invite", to: { serviceUrl, speakerUri } }, words("hello")])).toContain(
    "heard hello",
  );
});

test("a streamed answer arrives complete", async () => {
  const floor = await openFloor();
  const manifest = { identification: identification("stream"), capabilities };
  async function* piecemeal() {
    yield* ["one ", "two ", "three"];
  }
  const agent = createAgent({ manifest, onUtterance: piecemeal });
  const { url, close } = await listen(agent, { port: 0 });
  closing.push(close);
  expect(await say(floor, [{ eventType: "invite", to: { serviceUrl: url } }, words("count")])).toContain(
    "one two three",
  );
});
