import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import {
  type Frame,
  type Mind,
  nemoFixture,
  operatorToken,
  saying,
  startNemoFixture,
  textIn,
  uriOf,
} from "../testing/nemo-fixture.ts";

const echo: Mind = ({ texts }) => texts.map((text) => saying(uriOf("echo"), `echo ${text}`));

const isPrompt = ({ type }: Frame) => type === "system_interaction_message";

const isError = ({ type }: Frame) => type === "error_message";

/** Answers when it is let. */
function slow(name: string) {
  let [go, isStopped] = [() => {}, false];
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const mind: Mind = async ({ texts, signal }) => {
    if (texts.length === 0) return [];
    signal.addEventListener("abort", () => {
      isStopped = true;
    });
    await gate;
    return texts.map((text) => saying(uriOf(name), `at last ${text}`));
  };
  return { mind, go: () => go(), isStopped: () => isStopped };
}

test("a second message stops what is still being worked on, and takes its place", async () => {
  const late = slow("late");
  const { connect, withAgents } = await nemoFixture({ late: late.mind, echo });
  const client = await connect(withAgents("session=s"));
  client.send(client.message("first", { conversation_id: "c" }));
  await client.until(({ content }) => String(content.text).includes("echo first"));
  client.send(client.message("second", { conversation_id: "c" }));
  await expect.poll(() => late.isStopped()).toBe(true);
  late.go();
  const frames = await client.untilOver();
  expect(frames.at(-1)?.parent_id).toBe("m-2");
  expect(textIn(frames)).toContain("echo second");
  expect(textIn(frames)).not.toContain("at last first");
});

const question = {
  interaction: {
    mimeType: "application/vnd.plenary.interaction+json",
    tokens: [{ value: { id: "q1", input_type: "text", text: "Your name?", timeout: 60 } }],
  },
};

/** Asks when it hears "ask", and says what it was answered. */
function asker(): Mind {
  return ({ events, texts }) =>
    texts.map((text, index) => {
      const features = (events.filter(({ eventType }) => eventType === "utterance")[index]?.parameters?.dialogEvent
        ?.features ?? {}) as Record<string, { tokens: { value: { values?: string[] } }[] }>;
      const values = features.interactionReply?.tokens[0]?.value.values;
      if (values !== undefined) return saying(uriOf("asker"), `hello ${values.join()}`);
      return text === "ask"
        ? saying(uriOf("asker"), "Your name?", { features: question })
        : saying(uriOf("asker"), "yes");
    });
}

test("a question keeps the turn open, is shown again after a cut with the time that is left, and is answered once", async () => {
  const { connect, withAgents } = await nemoFixture({ asker: asker() });
  const client = await connect(withAgents("session=s"));
  client.send(client.message("ask", { conversation_id: "c" }));
  const prompt = (await client.until(isPrompt)).at(-1);
  expect(prompt?.content).toMatchObject({ input_type: "text", text: "Your name?" });
  client.ws.terminate();
  const again = await connect(withAgents("session=s&conversation_id=c"));
  const shown = (await again.until(isPrompt)).at(-1);
  expect(shown?.id).not.toBe(prompt?.id);
  expect(shown?.content.timeout).toBeLessThanOrEqual(60);
  again.answer("Ann", { conversation_id: "whatever" });
  const frames = await again.untilOver();
  expect(textIn(frames)).toContain("hello Ann");
  again.answer("Ann", { conversation_id: "c" });
  const late = await again.untilOver();
  expect(late.find(isError)).toBeDefined();
  expect(textIn(await again.ask("more", { conversation_id: "c" }))).toContain("yes");
});

test("after a restart of the floor a question that waits is shown again, and nothing said since is lost", async () => {
  const store = createMemoryStore();
  const lasting = { ...store, close: async () => {} };
  const first = await startNemoFixture({ asker: asker() }, {}, { store: lasting });
  const client = await first.connect(first.withAgents("session=s"));
  client.send(client.message("ask", { conversation_id: "c" }));
  await client.until(isPrompt);
  await first.close();
  const { connect } = await nemoFixture({ asker: asker() }, {}, { store: lasting });
  const again = await connect("?session=s&conversation_id=c");
  expect((await again.until(isPrompt)).at(-1)?.content).toMatchObject({ text: "Your name?" });
});

test("what an agent says between two messages is told with the next one", async () => {
  const { url, connect, withAgents } = await nemoFixture({ echo });
  const client = await connect(withAgents("session=s"));
  await client.ask("hello", { conversation_id: "c" });
  await client.until(({ type }) => type === "observability_trace_message");
  const openFloor = {
    schema: { version: "1.1.0" },
    conversation: { id: "c" },
    sender: { speakerUri: uriOf("echo") },
    events: [saying(uriOf("echo"), "by the way")],
  };
  const sent = await fetch(`${url}/openfloor`, {
    method: "POST",
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
    body: JSON.stringify({ openFloor }),
  });
  expect(sent.status).toBe(200);
  const text = textIn(await client.ask("next", { conversation_id: "c" }));
  expect(text.indexOf("by the way")).toBeGreaterThanOrEqual(0);
  expect(text.indexOf("by the way")).toBeLessThan(text.indexOf("echo next"));
});

test("a newer client of the same person takes over, and the older one is not cut off", async () => {
  const late = slow("late");
  const { connect, withAgents } = await nemoFixture({ late: late.mind });
  const older = await connect(withAgents("session=s"));
  older.send(older.message("hello", { conversation_id: "c" }));
  await older.until(({ content }) => String(content.name).includes("joined"));
  const newer = await connect("?session=s&conversation_id=c");
  late.go();
  expect(textIn(await newer.untilOver())).toContain("at last hello");
  expect(older.ws.readyState).toBe(older.ws.OPEN);
  expect(textIn(older.frames)).not.toContain("at last hello");
});
