// Clients without Conversation-Id that send their history: the next request answers a question.
import { expect, test, vi } from "vitest";
import { patience } from "../support/wait-for.ts";
import { contentOf, contentsOf, postTo, user } from "./http-client.ts";
import { startNemoFloor, useNemoFloor } from "./nemo-floor.ts";
import { asking } from "./questions.ts";

const { agents, post, stateOf } = useNemoFloor();

/** Asks the question that the message names. The rest of the message makes the history of each test unique. */
const asker = () => agents.start("Alice", (cue) => asking({ ...cue, text: cue.text.replace(/^(ask \w+) .*$/u, "$1") }));
const assistant = (content: string) => ({ role: "assistant", content });

test.concurrent("the history of the next request finds the question, and the conversation is closed after the answer", async () => {
  const alice = await asker();
  const messages: { role: string; content: string }[] = [
    { role: "system", content: "be brief" },
    user("ask radio first"),
  ];
  const first = await post({ body: { messages }, agents: [alice] });
  const conversation = first.headers.get("conversation-id") ?? "";
  const question = await contentOf(first);
  expect(question).toMatch(/Which one do you prefer\?.*Answer with a number from 1 to 3\.$/su);
  expect((await stateOf(conversation)).isClosed).toBe(false);
  const second = await post({ body: { messages: [...messages, assistant(` ${question}\n`), user("2")] } });
  expect(second.headers.get("conversation-id")).toBe(conversation);
  expect(await contentOf(second)).toContain("chosen: sms");
  await vi.waitFor(async () => expect((await stateOf(conversation)).isClosed).toBe(true), patience);
});

test.concurrent("a streamed question, or one that is answered in plain text, is found by the history as well", async () => {
  const alice = await asker();
  let question = "";
  const body = { stream: true, messages: [user("ask text streamed")] };
  for await (const delta of contentsOf(await post({ body, agents: [alice] }))) question += delta;
  expect(question).toMatch(/What is your name\?\n\nAnswer with your next message\.$/u);
  const messages = [user("ask text streamed"), assistant(question), user("Ada")];
  expect(await contentOf(await post({ body: { messages } }))).toContain("chosen: Ada");
});

test.concurrent("a refused request leaves the question open", async () => {
  const alice = await asker();
  const question = await contentOf(await post({ body: { messages: [user("ask text")] }, agents: [alice] }));
  const messages = [user("ask text"), assistant(question), user("Ada")];
  expect((await post({ body: { messages, to: "nobody" } })).status).toBe(400);
  expect(await contentOf(await post({ body: { messages } }))).toContain("chosen: Ada");
});

test.concurrent("other persons cannot answer the question, and the response says how to continue", async () => {
  const alice = await asker();
  const ann = { authorization: "Bearer sk-ann" };
  const ask = (messages: object[], headers: Record<string, string>) =>
    post({ body: { messages }, agents: [alice], headers });
  const question = await contentOf(await ask([user("ask radio")], ann));
  const messages = [user("ask radio"), assistant(question), user("2")];
  for (const other of [{}, { authorization: "Bearer sk-bob" }]) {
    const content = await contentOf(await ask(messages, other));
    expect(content).toMatch(/^\*\(The question above is no longer open here\..*Conversation-Id.*said: 2/su);
  }
  expect(await contentOf(await ask([...messages.slice(0, 2), user("1")], ann))).toContain("chosen: email");
  // After the answer the question is closed.
  expect(await contentOf(await ask(messages, ann))).toContain("no longer open");
});

test.concurrent("of two guests with equal histories neither request finds a question, because it could be the wrong one", async () => {
  const alice = await asker();
  const ask = (messages: object[]) => post({ body: { messages }, agents: [alice] });
  const said = user("ask radio twice");
  const [question = ""] = [await contentOf(await ask([said])), await contentOf(await ask([said]))];
  expect(await contentOf(await ask([said, assistant(question), user("2")]))).toContain("no longer open");
});

test.concurrent("one person has at most 32 open questions; the oldest is closed", async () => {
  const floor = await startNemoFloor();
  const alice = await asker();
  const ask = (messages: object[]) =>
    postTo(floor, { body: { messages }, agents: [alice], headers: { authorization: "Bearer sk-ann" } });
  const first = await ask([user("ask text")]);
  const isClosed = async () => {
    const { text } = await floor.get(`/api/v1/conversations/${first.headers.get("conversation-id")}`);
    return JSON.parse(text).isClosed;
  };
  for (let count = 1; count < 32; count += 1) await ask([user("ask text")]);
  expect(await isClosed()).toBe(false);
  await ask([user("ask text")]);
  await vi.waitFor(async () => expect(await isClosed()).toBe(true), patience);
  await floor.close();
  expect(floor.errors).toEqual([]);
});
