// A workflow of the NeMo Agent Toolkit at a real floor: how it joins, gets utterances and speaks.
import { expect, test } from "vitest";
import { deadAddress } from "../agents/foreign-agents.ts";
import { ann, bob } from "../support/envelopes.ts";
import { closeAgents } from "../support/http-agent.ts";
import { createGate, waitFor } from "../support/wait-for.ts";
import { featureOf, startBridgeFloor } from "./bridge-floor.ts";
import type { Run, Workflow } from "./stock-run.ts";
import type { Json, StockMessage } from "./stock-shapes.ts";

const parrot: Workflow = (run) => run.say(`heard "${run.text}"`);

/** The messages that a workflow got, one line each. */
function messagesIn(frame: Json | undefined): string[] {
  const { messages } = (frame?.content ?? { messages: [] }) as { messages: StockMessage[] };
  return messages.map(({ role, content }) => `${role}| ${content.map(({ text }) => text).join("")}`);
}

test("the bridge sends the greeting of an invited workflow, and the workflow does not run", async () => {
  const at = await startBridgeFloor(parrot, { bridge: { greeting: "I am a workflow." } });
  await at.invite();
  expect(await at.lines(bob)).toContain("Flow: I am a workflow.");
  expect(await at.lines(bob)).toContain("Flow acceptInvite");
  expect(at.stock.callers).toHaveLength(1);
  expect(at.stock.callers[0]?.frames).toEqual([]);
  expect(at.stock.callers[0]?.url.searchParams.get("conversation_id")).toMatch(/./u);
});

test("the bridge declines as unavailable for an unreachable server, and as an error for one that refuses connections", async () => {
  const dead = (await deadAddress()).replace("http", "ws");
  await closeAgents();
  const nowhere = await startBridgeFloor(parrot, { bridge: { url: `${dead}websocket` } });
  await nowhere.invite();
  expect((await nowhere.lines(ann)).at(-1)).toMatch(/declineInvite @unavailable the workflow cannot be reached$/u);
  const shut = await startBridgeFloor(parrot);
  shut.stock.refuse(403);
  await shut.invite();
  expect((await shut.lines(ann)).at(-1)).toMatch(/declineInvite @error the workflow requires a credential$/u);
});

test("an answer is streamed, and ends as one utterance of the same id that keeps its steps", async () => {
  const goOn = createGate();
  const at = await startBridgeFloor(async (run) => {
    const whole = run.step("Function Start: <workflow>", "**Function Input:**");
    run.step("Tool: calc", "**Input:**\n```json\n{}\n```", { parent: whole, id: "tool-1" });
    run.say("Once ");
    await goOn.opened;
    run.say("upon a time.");
    run.trace("trace-7");
    return () => {
      run.step("Tool: calc", "**Output:**\n```python\n2\n```", { parent: whole, id: "tool-1" });
      run.step("Function Complete: <workflow>", "done", { id: whole });
    };
  });
  await at.invite();
  const viewer = await at.watch(bob);
  await at.ask(ann, "tell me a story");
  const first = await viewer.draft(({ delta = "" }) => delta.includes("Once"), "the first half");
  goOn.open();
  await at.sees(bob, "Flow: Once upon a time.");
  await viewer.draft(({ end }) => end === "final", "the end");
  const spoken = (await at.events(bob)).filter((event) => featureOf(event, "steps") !== undefined);
  expect(spoken).toHaveLength(1);
  expect(spoken[0]?.parameters).toMatchObject({ dialogEvent: { id: first.dialogEventId } });
  const { steps, trace } = featureOf(spoken[0], "steps") as { steps: Json[]; trace: string };
  expect(trace).toBe("trace-7");
  const calculated = steps.filter(({ name }) => String(name).includes("calc"));
  expect(calculated).toHaveLength(1);
  expect(calculated[0]).toMatchObject({ payload: expect.stringContaining("Output") });
  expect(steps.some(({ id }) => id === calculated[0]?.parent)).toBe(true);
  // Steps are not part of the text.
  expect((await at.lines(bob)).join("\n")).not.toContain("calc");
});

test("the workflow gets the history with roles and names, and whispers only in answer to a whisper", async () => {
  const at = await startBridgeFloor(parrot);
  await at.invite();
  await at.say(bob, "the weather is fine");
  await at.say(ann, "a secret for Bob", { speakerUri: bob, private: true });
  await at.ask(ann, "a secret for Flow", { wait: 15, isWhisper: true });
  expect((await at.lines(ann)).at(-1)).toMatch(/^Flow \(private\): heard ".*a secret for Flow/u);
  expect((await at.lines(bob)).join("\n")).not.toContain("secret for Flow");
  await at.ask(bob, "how is the weather?", { wait: 15 });
  await at.ask(ann, "and tomorrow?", { wait: 15 });
  const [whispered, first, second] = at.stock.asked();
  expect(JSON.stringify(whispered)).not.toContain("secret for Bob");
  expect(messagesIn(first)).toEqual(["user| Bob: the weather is fine", "user| Bob: how is the weather?"]);
  expect(messagesIn(second)?.slice(-4)).toEqual([
    "user| Bob: the weather is fine",
    "user| Bob: how is the weather?",
    expect.stringMatching(/^assistant\| heard ".*how is the weather\?"$/u),
    "user| Ann: and tomorrow?",
  ]);
  expect(second).toMatchObject({ schema_type: "chat_stream", user: { name: "Ann" } });
  expect(second?.openFloor).toMatchObject({ conversationId: "table" });
  expect(at.stock.ignored()).toEqual([]);
});

test("each person is a user of its own at the server, and does not wait for the answers to others", async () => {
  const at = await startBridgeFloor(async (run) => {
    if (run.text.includes("start")) await run.ask({ input_type: "text", text: "How?" });
    run.say(`heard "${run.text}"`);
  });
  await at.invite();
  await at.ask(ann, "start");
  const question = await at.asked(ann);
  await at.ask(bob, "hello");
  await at.sees(ann, /^Flow: heard ".*hello"$/u);
  await at.choose(ann, question, ["so"]);
  await at.sees(ann, /^Flow \(private\): heard ".*start"$/u);
  const users = at.stock.callers.map(({ headers }) => headers.cookie);
  expect(users).toEqual([expect.stringMatching(userCookie), expect.stringMatching(userCookie)]);
  expect(new Set(users).size).toBe(2);
  expect(new Set(at.stock.asked().map(({ conversation_id: id }) => id)).size).toBe(2);
  expect(JSON.stringify([at.stock.asked(), await at.testFloor.log("table")])).not.toContain(String(users[0]).slice(12));
});

/** The user as the toolkit reads it. */
const userCookie = /^nat-session=[A-Za-z0-9\-_.~]+$/u;

test("shared: two people who speak at once are answered one after the other on one socket", async () => {
  const runs: Run[] = [];
  const gates = [createGate(), createGate()];
  const at = await startBridgeFloor(
    async (run) => {
      const own = gates[runs.push(run) - 1];
      run.say(`to ${run.text}: `);
      await own?.opened;
      run.say("done");
    },
    { bridge: { sharedSession: true } },
  );
  await at.invite();
  await at.ask(ann, "one");
  await at.ask(bob, "two");
  await waitFor(() => runs.length === 1, "the first run");
  gates[0]?.open();
  await at.sees(bob, "Flow: to Ann: one: done");
  await waitFor(() => runs.length === 2, "the second run");
  gates[1]?.open();
  await at.sees(ann, "Flow: to Bob: two: done");
  expect(at.stock.cancelled()).toBe(0);
  expect(at.stock.callers).toHaveLength(1);
});

test("notices go to the asker, and only the asker sees a consent link", async () => {
  const link = "https://login.example/authorize?state=s1";
  const at = await startBridgeFloor((run) => {
    run.notify("The index is a day old.");
    run.consent(link);
    run.say("Done.");
  });
  await at.invite();
  await at.ask(ann, "fetch my mail");
  const question = await at.asked(ann);
  expect(question).toMatchObject({ text: expect.stringMatching(/ at login\.example, /u), url: link });
  await at.choose(ann, question, ["continue"]);
  await at.sees(ann, "Flow (private): Done.");
  const seen = await at.lines(ann);
  expect(seen).toContain("Flow (private): The index is a day old.");
  expect(seen.filter((line) => line.includes(link))).toEqual([expect.stringMatching(/^Flow \(private\): /u)]);
  expect((await at.lines(bob)).join("\n")).not.toMatch(/login\.example|a day old/u);
  // Consent is given elsewhere: the server waits for no reply.
  expect(at.stock.replies()).toEqual([]);
});

test("an unsafe link is not passed on", async () => {
  const at = await startBridgeFloor((run) => run.consent("javascript:alert(1)"));
  await at.invite();
  await at.ask(ann, "fetch my mail");
  await at.sees(ann, /^Flow \(private\): .*not safe/u);
  expect((await at.lines(ann)).join("\n")).not.toContain("javascript");
});

test("a credential reaches the server only", async () => {
  const secret = "nobody-may-see-this";
  const at = await startBridgeFloor(parrot, { bridge: { credential: { method: "api_key", token: secret } } });
  await at.invite();
  await at.ask(ann, "hello", { wait: 15 });
  const [caller] = at.stock.callers;
  const shown = JSON.stringify([caller?.headers, caller?.frames]);
  expect(shown).toContain(secret);
  expect(caller?.url.href).not.toContain(secret);
  const everywhere = JSON.stringify([
    await at.events(ann),
    await at.testFloor.state("table"),
    at.troubles,
    at.stock.asked(),
  ]);
  expect(everywhere).not.toContain(secret);
});
