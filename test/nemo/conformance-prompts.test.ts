// N8, N9, N10, N14: an agent's questions are dialogs, with and without an answer, before and after a reload.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStore } from "@plenary/server";
import { expect, test } from "vitest";
import { startNemoFloor, useNemoFloor } from "./nemo-floor.ts";
import { asking, chosenBy, questions } from "./questions.ts";
import type { Cue } from "./scripted-agents.ts";
import { interactionMessage } from "./stock-client.ts";

const nemo = useNemoFloor();

const asker = () => nemo.agents.start("Quinn", asking);

const atStock: [kind: string, shown: string, reply: string, values: string[]][] = [
  ["text", "text", "Ada Lovelace", ["Ada Lovelace"]],
  ["binary_choice", "binary_choice", "cancel", ["cancel"]],
  ["radio", "radio", "sms", ["sms"]],
  // The stock client has no control for these.
  ["dropdown", "radio", "push", ["push"]],
  ["checkbox", "text", "1, 3", ["email", "push"]],
];

test.concurrent.each(atStock)(
  "N8 N9 the question %s is a %s at the stock client, and its reply reaches the agent",
  async (kind, shown, reply, values) => {
    const quinn = await asker();
    const client = await nemo.floor.visit({ agents: [quinn] });
    client.say(`ask ${kind}`);
    const { content } = await client.dialog();
    expect(content).toMatchObject({ input_type: shown, timeout: null });
    expect(content.text).toContain(questions[kind]?.text);
    if (kind === "checkbox") expect(content.text).toMatch(/1\W+Email[\s\S]*2\W+SMS[\s\S]*3\W+Push Notification/u);
    else expect(content.options).toEqual(questions[kind]?.options);
    client.reply(reply);
    const bubble = await client.done();
    expect(chosenBy(quinn)).toEqual([values]);
    expect(bubble.text).toContain(`chosen: ${values.join("+")}`);
    expect(client.shown.prompts).toHaveLength(1);
    expect(client.faults).toEqual([]);
  },
);

test.concurrent("N8 a wrong answer brings the same dialog back with the reason, and the next answer is accepted", async () => {
  const quinn = await asker();
  const client = await nemo.floor.visit({ agents: [quinn] });
  client.say("ask checkbox");
  const { content } = await client.dialog();
  client.reply("9");
  expect((await client.dialog()).content.text).toBe(`Choose numbers from 1 to 3, such as 1,3. ${content.text}`);
  client.reply("2");
  const { text, errors } = await client.done();
  expect(text).toContain("chosen: sms");
  expect(errors).toEqual([]);
  expect(client.faults).toEqual([]);
});

test.concurrent("the agent of a question without an answer in time gets the timeout, and continues", async () => {
  const quinn = await nemo.agents.start("Quinn", (cue) => {
    if (cue.chosen === undefined) cue.ask({ id: "q", input_type: "text", text: "Your name?", timeout: 1 });
    else cue.say(`lapsed: ${JSON.stringify(cue.chosen)}`);
  });
  const overhearing = await nemo.agents.start("Olga", (cue) => cue.answer());
  const client = await nemo.floor.visit({ agents: [quinn, overhearing] });
  client.say("ask me");
  await client.dialog();
  const { text, errors } = await client.done();
  expect(errors).toHaveLength(1);
  expect(text).toContain('lapsed: {"id":"q","values":[],"lapsed":true}');
  expect(client.faults).toEqual([]);
  // The question was private, so other readers do not see the result.
  expect(overhearing.requests.join()).not.toContain("lapsed");
});

test.concurrent("N8 a client other than the stock one gets real checkboxes with several values, and real lists", async () => {
  const quinn = await asker();
  const client = await nemo.floor.visit({ agents: [quinn], kind: "plain" });
  client.say("ask checkbox");
  expect((await client.dialog()).content).toMatchObject({
    input_type: "checkbox",
    options: questions.checkbox?.options,
  });
  const reply = interactionMessage(client.conversation, "", client.shown.modal);
  const parts = ["email", "sms"].map((text) => ({ type: "text", text }));
  client.shown.modal = undefined;
  client.put({ ...reply, content: { messages: [{ role: "user", content: parts }] } });
  await client.done();
  client.say("ask dropdown");
  expect((await client.dialog()).content.input_type).toBe("dropdown");
  client.reply("push");
  await client.done();
  expect(chosenBy(quinn)).toEqual([["email", "sms"], ["push"]]);
  expect(client.faults).toEqual([]);
});

test.concurrent("N8 a notification is shown and waits for no answer", async () => {
  const quinn = await nemo.agents.start("Quinn", (cue) =>
    cue.ask({ id: "n", input_type: "notification", text: "Half of it is done." }),
  );
  const client = await nemo.floor.visit({ agents: [quinn] });
  await client.ask("how far are you?");
  expect(client.shown.notices).toEqual(["Half of it is done."]);
  expect(client.faults).toEqual([]);
});

test.concurrent("N8 a question with an address opens the address for consent first", async () => {
  const url = "https://login.example/authorize?state=1";
  const quinn = await nemo.agents.start("Quinn", (cue) =>
    cue.chosen ? cue.say("signed in") : cue.ask({ id: "o", input_type: "text", text: "Sign in, then say done.", url }),
  );
  const client = await nemo.floor.visit({ agents: [quinn] });
  client.say("my mail, please");
  await client.dialog();
  expect(client.shown.prompts.map(({ input_type }) => input_type)).toEqual(["oauth_consent", "text"]);
  expect(client.shown.tabs).toEqual([url]);
  client.reply("done");
  expect((await client.done()).text).toContain("signed in");
  expect(client.faults).toEqual([]);
});

test.concurrent.each(["text", "binary_choice", "radio", "checkbox", "dropdown"])(
  "N8 an unanswered %s ends by itself: the error is shown, and the turn ends",
  async (kind) => {
    const quinn = await asker();
    const client = await nemo.floor.visit({ agents: [quinn] });
    client.say(`ask ${kind} 1`);
    expect((await client.dialog()).content).toMatchObject({ timeout: 1, error: "Too late for that." });
    const bubble = await client.done();
    expect(bubble.errors.join("\n")).toContain("TimeoutError");
    expect(bubble.text).toContain("Too late for that.");
    // A late reply is answered, and has no other effect.
    client.provoke(interactionMessage(client.conversation, "Ada"));
    await client.until(
      () => client.shown.lost.some(({ type }) => type === "error_message"),
      "an answer to a late reply",
    );
    expect((await client.ask("still there?")).text).toContain("said: still there?");
    expect(chosenBy(quinn)).toEqual([]);
    expect(client.faults).toEqual([]);
  },
);

test.concurrent("N9 a reply with any ids, or without ids, is accepted", async () => {
  const quinn = await asker();
  const client = await nemo.floor.visit({ agents: [quinn] });
  client.say("ask text");
  const { id: _id, thread_id: _thread, parent_id: _parent, ...bare } = interactionMessage(client.conversation, "Ada");
  await client.dialog();
  client.shown.modal = undefined;
  client.put(bare);
  expect((await client.done()).text).toContain("chosen: Ada");
  expect(client.faults).toEqual([]);
});

test.concurrent("N10 unasked, repeated and empty replies are answered, and the socket stays open", async () => {
  const quinn = await asker();
  const client = await nemo.floor.visit({ agents: [quinn] });
  const errors = () => client.frames.filter(({ type }) => type === "error_message").length;
  const answered = (count: number) => client.until(() => errors() >= count, `${count} errors`);
  client.provoke(interactionMessage(client.conversation, "nobody asked"));
  await answered(1);
  client.say("ask text");
  await client.dialog();
  client.provoke({ ...interactionMessage(client.conversation, ""), content: { messages: [] } });
  await answered(2);
  client.provoke(interactionMessage(client.conversation, "Ada"));
  client.provoke(interactionMessage(client.conversation, "Ada"));
  client.shown.modal = undefined;
  await answered(3);
  await client.done();
  expect(chosenBy(quinn)).toEqual([["Ada"]]);
  expect((await client.ask("still there?")).text).toContain("said: still there?");
  expect(client.isOpen()).toBe(true);
  expect(client.faults).toEqual([]);
});

test.concurrent("two agents that ask at once get one dialog after the other", async () => {
  const [quinn, rosa] = [await asker(), await nemo.agents.start("Rosa", asking)];
  const client = await nemo.floor.visit({ agents: [quinn, rosa] });
  client.say("ask text");
  await client.dialog();
  await rosa.cues.until((all) => all.length === 1, "Rosa's cue");
  client.reply("for the first");
  await client.dialog();
  client.reply("for the second");
  await client.done();
  expect([...chosenBy(quinn), ...chosenBy(rosa)].map(([value]) => value).sort()).toEqual([
    "for the first",
    "for the second",
  ]);
  expect(client.faults).toEqual([]);
});

test.concurrent("questions of two agents with the same id are distinguished", async () => {
  const asks = (cue: Cue) =>
    cue.chosen ? cue.say(`chosen: ${cue.chosen.values}`) : cue.ask({ id: "1", ...questions.text });
  const [quinn, rosa] = [await nemo.agents.start("Quinn", asks), await nemo.agents.start("Rosa", asks)];
  const client = await nemo.floor.visit({ agents: [quinn, rosa] });
  client.say("go");
  for (const reply of ["one", "two"]) {
    await client.dialog();
    client.reply(reply);
  }
  await client.done();
  expect([...chosenBy(quinn), ...chosenBy(rosa)].map(([value]) => value).sort()).toEqual(["one", "two"]);
  expect(client.faults).toEqual([]);
});

test.concurrent("N14 after a reload the question is shown again with less time, is answered, and so is the next", async () => {
  const quinn = await asker();
  const [client, watch] = await Promise.all([
    nemo.floor.visit({ agents: [quinn] }),
    nemo.floor.visit({ agents: [quinn] }),
  ]);
  client.say("ask text 60");
  const first = await client.dialog();
  // Waits until the one-second question of another client has ended.
  watch.say("ask text 1");
  await watch.done();
  await client.reload();
  const again = await client.dialog();
  expect(again.content).toMatchObject({ text: first.content.text, input_type: "text" });
  expect(again.content.timeout).toBeLessThan(60);
  expect(again.content.timeout).toBeGreaterThan(20);
  client.reply("Ada");
  expect((await client.done()).text).toContain("chosen: Ada");
  client.say("ask radio");
  await client.dialog();
  await client.cut();
  await client.dialog();
  client.reply("sms");
  expect((await client.done()).text).toContain("chosen: sms");
  expect(chosenBy(quinn)).toEqual([["Ada"], ["sms"]]);
  expect([...client.faults, ...watch.faults]).toEqual([]);
});

test.concurrent("N14 a floor that restarts during a question asks it again, and accepts the answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plenary-nemo-"));
  const file = join(folder, "nemo.floor.db");
  const quinn = await asker();
  const before = await startNemoFloor({ store: createSqliteStore(file) });
  const client = await before.visit({ agents: [quinn], retryMs: 1_000 });
  let after = before;
  try {
    client.say("ask radio");
    await client.dialog();
    await client.through(async () => {
      await before.shut();
      after = await startNemoFloor({ store: createSqliteStore(file), port: before.port });
    });
    await client.until(() => client.shown.prompts.length === 2, "the question once more");
    client.reply("sms");
    expect((await client.done()).text).toContain("chosen: sms");
    expect(chosenBy(quinn)).toEqual([["sms"]]);
    expect((await client.ask("and now?")).text).toContain("said: and now?");
    expect([...client.faults, ...before.errors, ...after.errors]).toEqual([]);
  } finally {
    await client.close();
    await after.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
