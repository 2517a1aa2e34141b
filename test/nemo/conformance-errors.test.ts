// N7, N10, N11: the person sees each error, and no error closes a socket.
import { expect, test } from "vitest";
import type { Json } from "./frame-checks.ts";
import { useNemoFloor } from "./nemo-floor.ts";
import type { Cue } from "./scripted-agents.ts";
import { interactionMessage, userMessage } from "./stock-client.ts";

const nemo = useNemoFloor(() => ({ deliveryLimits: { silenceMs: 800, answerMs: 2_000 } }));

const echo = (name: string) => nemo.agents.start(name, (cue) => cue.say(`you said ${cue.text}`));

const silent = "TimeoutError: Bob did not answer within 0.8 seconds";

const failures: [how: string, fail: (cue: Cue) => unknown, error: string][] = [
  ["answers with an error", (cue) => cue.fail(500, "boom"), "Bob: answered 500: boom"],
  [
    "answers with nonsense",
    (cue) => cue.fail(200, "hello, I am no envelope"),
    "Bob: answered with something that is no envelope",
  ],
  ["never answers", () => {}, silent],
  ["breaks off in the middle", (cue) => cue.stream().write("half a "), silent],
];

test.concurrent.each(failures)(
  "N7 an agent that %s: the client gets an error with visible text, and complete",
  async (_how, fail, error) => {
    const bob = await nemo.agents.start("Bob", (cue) => (cue.text === "fail" ? fail(cue) : cue.say("fine")));
    const client = await nemo.floor.visit({ agents: [bob] });
    await client.ask("work");
    const bubble = await client.ask("fail");
    expect(bubble).toMatchObject({ status: "complete", errors: [error] });
    expect(bubble.text).toContain("Bob");
    expect((await client.ask("work again")).text).toContain("fine");
    expect(client.faults).toEqual([]);
  },
);

test.concurrent("N7 an agent that cannot be reached: the client gets a visible error and complete, and the other agents answer", async () => {
  const [dead, alice] = [await echo("Dead"), await echo("Alice")];
  await dead.die();
  const alone = await nemo.floor.visit({ agents: [dead] });
  const client = await nemo.floor.visit({ agents: [dead, alice] });
  const [nobody, somebody] = await Promise.all([alone.ask("hi"), client.ask("hi")]);
  expect(nobody.errors).not.toEqual([]);
  expect(nobody.text.trim()).not.toBe("");
  expect(somebody.text).toContain("you said hi");
  expect(somebody.errors).not.toEqual([]);
  expect([...alone.faults, ...client.faults]).toEqual([]);
});

test.concurrent("a person in a conversation without agents does not wait in vain", async () => {
  const client = await nemo.floor.visit({ query: { agents: "" } });
  const bubble = await client.ask("anybody?");
  expect(bubble.status).toBe("complete");
  expect(client.faults).toEqual([]);
});

const content = { messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] };
const nonsense: [what: string, frame: string | Buffer | Json, code: RegExp][] = [
  ["bad JSON", "{", /^invalid_message$/u],
  ["an array", "[]", /^invalid_message$/u],
  ["a bare text", '"hello"', /^invalid_message$/u],
  ["a binary frame", Buffer.from([1, 2, 3]), /^invalid_/u],
  ["no type", { content }, /^invalid_message(_type)?$/u],
  ["an unknown type", { type: "ping" }, /^invalid_message_type$/u],
  ["a type of servers", { type: "system_response_message", content: { text: "I am Bob" } }, /^invalid_message_type$/u],
  ["no content", { type: "user_message", schema_type: "chat" }, /^invalid_/u],
  [
    "no words",
    { type: "user_message", schema_type: "chat", content: { messages: [] } },
    /^invalid_user_message_content$/u,
  ],
  ["words of nobody", { type: "user_message", schema_type: "chat", content: { messages: [7] } }, /^invalid_/u],
  ["an unknown schema_type", { type: "user_message", schema_type: "shout", content }, /^invalid_/u],
  ["an unknown way to sign in", { type: "auth_message", payload: { method: "smile" } }, /^(invalid_|user_auth_error)/u],
];

test.concurrent("N11 bad JSON, unknown types and the like are answered by an error_message, and the socket stays open", async () => {
  const alice = await echo("Alice");
  const client = await nemo.floor.visit({ agents: [alice] });
  await client.ask("hi");
  for (const [what, frame, code] of nonsense) {
    const before = client.frames.length;
    // The stock client names its conversation in all it sends.
    const isFrame = typeof frame === "object" && !Buffer.isBuffer(frame);
    client.provoke(isFrame ? { conversation_id: client.conversation, ...frame } : frame);
    const answers = () => client.frames.slice(before).filter(({ type }) => type === "error_message");
    await client.until(() => answers().length > 0, `an answer to ${what}`);
    const given = answers().map((frame) => (frame.content as Json).code);
    expect([what, given]).toEqual([what, [expect.stringMatching(code)]]);
  }
  expect((await client.ask("still there?")).text).toContain("you said still there?");
  expect(client.isOpen()).toBe(true);
  expect(client.faults).toEqual([]);
});

test.concurrent("N11 an invalid frame during a turn does not end the turn", async () => {
  const alice = await nemo.agents.start("Alice", () => {});
  const client = await nemo.floor.visit({ agents: [alice] });
  client.say("tell me");
  const [cue] = await alice.cues.until((all) => all.length === 1, "the question");
  const story = (cue as Cue).stream();
  story.write("Once ");
  await client.sees("Once ");
  client.provoke("{");
  client.provoke({ ...interactionMessage(client.conversation, "nobody asked") });
  const errors = () => client.frames.filter(({ type }) => type === "error_message");
  await client.until(() => errors().length === 2, "two answers");
  expect(client.last().status).toBe("working");
  story.finish("Once more");
  expect((await client.done()).text).toContain("Once");
  expect(client.faults).toEqual([]);
});

test.concurrent("a frame that is too large does not affect the frames after it", async () => {
  const alice = await echo("Alice");
  const client = await nemo.floor.visit({ agents: [alice] });
  client.provoke(userMessage("big", client.conversation, "x".repeat(2_000_000)));
  await client.until(() => client.frames.length > 0, "an error");
  expect(client.frames[0]).toMatchObject({ type: "error_message", content: { code: "invalid_data_content" } });
  expect(client.opened()).toBe(1);
  expect((await client.ask("small")).text).toContain("you said small");
  expect(client.faults).toEqual([]);
});
