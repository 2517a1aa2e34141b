// Every example of the page "WebSocket Message Schema", over a real socket: messages of clients are accepted, messages of servers are
// written with the same fields. Where the page has a placeholder for a value that a client knows, the client fills it in.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryCredentials } from "@plenary/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addKey } from "../support/start-test-floor.ts";
import type { Json } from "./frame-checks.ts";
import { type NemoFloor, startNemoFloor } from "./nemo-floor.ts";
import { type Cue, createScriptedAgents, stepsFeature } from "./scripted-agents.ts";

type Example = Json & { type: string; content: Json };

const examples: Example[] = JSON.parse(readFileSync(join(import.meta.dirname, "page-examples.json"), "utf8"));
const ofType = (type: string): Example => {
  const found = examples.find((one) => one.type === type);
  if (found === undefined) throw new Error(`no example of ${type}`);
  return found;
};

const ann = "tag:people.example,2026:ann";
const agents = createScriptedAgents();
let floor: NemoFloor;
/** A public floor, where people need a credential. */
let open: NemoFloor;
let key: string;

beforeAll(async () => {
  const credentials = createMemoryCredentials();
  key = await addKey(credentials, ann);
  floor = await startNemoFloor();
  open = await startNemoFloor({ allowRemote: true, credentials, host: "0.0.0.0" });
});
afterAll(async () => {
  await floor.close();
  await open.close();
  await agents.close();
  expect([...floor.errors, ...open.errors]).toEqual([]);
});

/** Asks the page's question on "ask", and repeats other utterances. */
const asker = () =>
  agents.start("Alice", (cue: Cue) => {
    const example = examples[Number(/^example (\d+)$/u.exec(cue.text)?.[1])];
    const isQuestion = cue.chosen === undefined && example !== undefined;
    return isQuestion ? cue.ask({ id: cue.text, ...example.content }) : cue.say(`heard: ${cue.text}`);
  });

test.concurrent("the page has its twelve examples", () => {
  expect(examples.map(({ type }) => type)).toEqual([
    ...["user_message", "user_interaction_message", "system_intermediate_message", "system_response_message"],
    ...["error_message", ...Array(6).fill("system_interaction_message"), "observability_trace_message"],
  ]);
});

test.concurrent("the example user_message is accepted: its last message is sent as the speaker of its security field", async () => {
  const alice = await asker();
  const client = await open.visit({ agents: [alice], kind: "page" });
  const { schema_type: _placeholder, ...message } = ofType("user_message");
  const security = { api_key: key, token: key };
  client.say("", { ...message, ...known(client), schema_type: "chat_stream", security });
  client.last().askedBy = String(message.id);
  expect(await client.done()).toMatchObject({
    status: "completed",
    text: expect.stringContaining("heard: solve this question"),
  });
  expect(alice.cues.items).toMatchObject([{ from: ann, text: "solve this question" }]);
  expect(client.faults).toEqual([]);
});

test.concurrent("the example user_interaction_message is accepted as the answer to a question", async () => {
  const alice = await asker();
  const client = await floor.visit({ agents: [alice], kind: "page" });
  client.say("example 5");
  await client.dialog();
  client.shown.modal = undefined;
  const { security: _placeholder, ...reply } = ofType("user_interaction_message");
  client.put({ ...reply, ...known(client) });
  await client.done();
  expect(alice.cues.items[1]?.chosen?.values).toEqual(["Yes continue processing sensitive information"]);
  expect(client.faults).toEqual([]);
});

const known = ({ conversation }: { conversation: string }) => ({ conversation_id: conversation });

const prompts = examples.flatMap(({ type, content }, index): [string, number][] =>
  type === "system_interaction_message" ? [[`${content.input_type}, timeout ${content.timeout}`, index]] : [],
);

test.concurrent.each(prompts)(
  "the example prompt %s is written with the same fields and the same texts",
  async (_which, index) => {
    const alice = await asker();
    const client = await floor.visit({ agents: [alice], kind: "page" });
    client.say(`example ${index}`);
    const { content } = await client.dialog();
    const frame = client.frames.find(({ type }) => type === "system_interaction_message");
    expect(shapeOf(frame)).toEqual(shapeOf(examples[index]));
    expect(content).toEqual(examples[index]?.content);
    expect(client.faults).toEqual([]);
  },
);

test.concurrent("the examples of steps, texts, errors and traces are written with the same fields", async () => {
  const steps = stepsFeature({ id: "step_789", name: "Query rephrasal", payload: "Step information" });
  const alice = await agents.start("Alice", (cue) =>
    cue.text === "fail" ? cue.fail(500, "boom") : cue.say("fine", { features: steps }),
  );
  const client = await floor.visit({ agents: [alice], kind: "page" });
  await client.ask("work");
  await client.ask("fail");
  const types = [
    "system_intermediate_message",
    "system_response_message",
    "error_message",
    "observability_trace_message",
  ];
  for (const type of types) {
    const { update_message_id: _toolkits, ...frame } = client.frames.find((one) => one.type === type) ?? {};
    expect(shapeOf(frame)).toEqual(shapeOf(ofType(type)));
  }
  expect(client.faults).toEqual([]);
});

/** Names and types without values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shapeOf(part)]));
}
