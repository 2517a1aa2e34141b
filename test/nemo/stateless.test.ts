// Clients that keep no conversation and send their history with each request: a question is answered by the next one.
import { expect, test, vi } from "vitest";
import { patience } from "../floor/world.ts";
import { contentOf, contentsOf, postTo, user } from "./http-peer.ts";
import { httpStage } from "./http-stage.ts";
import { startNemoFloor } from "./nemo-floor.ts";
import { asking } from "./questions.ts";

const { cast, post, stateOf } = httpStage();

/** Asks as it is told to; what else is said with it makes a history that no other test has. */
const asker = () => cast.actor("Alice", (cue) => asking({ ...cue, text: cue.text.replace(/^(ask \w+) .*$/u, "$1") }));
const assistant = (content: string) => ({ role: "assistant", content });

test.concurrent("the history of the next request leads back to the question, and the conversation ends then", async () => {
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

test.concurrent("the same after a stream, and for a question that is answered in words", async () => {
  const alice = await asker();
  let question = "";
  const body = { stream: true, messages: [user("ask text streamed")] };
  for await (const delta of contentsOf(await post({ body, agents: [alice] }))) question += delta;
  expect(question).toMatch(/What is your name\?\n\nAnswer with your next message\.$/u);
  const messages = [user("ask text streamed"), assistant(question), user("Ada")];
  expect(await contentOf(await post({ body: { messages } }))).toContain("chosen: Ada");
});

test.concurrent("a request that cannot be taken leaves the question as it was", async () => {
  const alice = await asker();
  const question = await contentOf(await post({ body: { messages: [user("ask text")] }, agents: [alice] }));
  const messages = [user("ask text"), assistant(question), user("Ada")];
  expect((await post({ body: { messages, to: "nobody" } })).status).toBe(400);
  expect(await contentOf(await post({ body: { messages } }))).toContain("chosen: Ada");
});

test.concurrent("nobody else is led there, and who is not is told how", async () => {
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
  // It was answered: the next request with that history is told the same.
  expect(await contentOf(await ask(messages, ann))).toContain("no longer open");
});

test.concurrent("of two guests who said and were asked the same nobody knows which is meant, so none is led there", async () => {
  const alice = await asker();
  const ask = (messages: object[]) => post({ body: { messages }, agents: [alice] });
  const said = user("ask radio twice");
  const [question = ""] = [await contentOf(await ask([said])), await contentOf(await ask([said]))];
  expect(await contentOf(await ask([said, assistant(question), user("2")]))).toContain("no longer open");
});

test.concurrent("so many questions of one person wait: the oldest makes room", async () => {
  const floor = await startNemoFloor();
  const alice = await asker();
  const ask = (messages: object[]) =>
    postTo(floor, { body: { messages }, agents: [alice], headers: { authorization: "Bearer sk-ann" } });
  const first = await ask([user("ask text")]);
  const isClosed = async () => {
    const { text } = await floor.call(`/api/v1/conversations/${first.headers.get("conversation-id")}`);
    return JSON.parse(text).isClosed;
  };
  for (let count = 1; count < 32; count += 1) await ask([user("ask text")]);
  expect(await isClosed()).toBe(false);
  await ask([user("ask text")]);
  await vi.waitFor(async () => expect(await isClosed()).toBe(true), patience);
  await floor.close();
  expect(floor.errors).toEqual([]);
});
