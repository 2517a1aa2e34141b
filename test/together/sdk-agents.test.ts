import { connect, createAgent, createDialler, listen } from "@plenary/sdk";
import { createFloorServer, createMemoryStore, relayUrlOf } from "@plenary/server";
import { afterEach, expect, test } from "vitest";

const ann = "tag:ann.example,2025:1";
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function openFloor() {
  const server = createFloorServer({ store: createMemoryStore(), dialler: createDialler({ mode: "local" }) });
  const { url } = await server.listen(0);
  closing.push(() => server.close());
  return { url, token: server.token };
}

type Floor = Awaited<ReturnType<typeof openFloor>>;

const identification = (name: string) => ({
  speakerUri: `tag:${name}.example,2025:1`,
  organization: "Example",
  conversationalName: name,
  synopsis: `${name} of the tests`,
});
const capabilities = [{ keyphrases: ["test"], descriptions: ["answers tests"] }];

/** Sends as Ann and gives what came of it, as text. */
async function say({ url, token }: Floor, events: object[]): Promise<string> {
  const openFloor = {
    schema: { version: "1.1.0" },
    conversation: { id: "together" },
    sender: { speakerUri: ann },
    events,
  };
  const response = await fetch(`${url}/openfloor`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", prefer: "wait=20" },
    body: JSON.stringify({ openFloor }),
  });
  expect(response.status).toBe(200);
  return response.text();
}

let spoken = 0;

function words(text: string, to?: object) {
  spoken += 1;
  const dialogEvent = {
    id: `de:${spoken}`,
    speakerUri: ann,
    span: { startTime: "2025-01-31T10:05:00Z" },
    features: { text: { mimeType: "text/plain", tokens: [{ value: text }] } },
  };
  return { eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } };
}

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

test("a streamed answer arrives whole", async () => {
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
