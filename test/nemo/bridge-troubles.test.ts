// An error in a workflow is reported to the asker, and a stop ends the workflow.
import { once } from "node:events";
import { expect, test } from "vitest";
import { ann, bob } from "../support/envelopes.ts";
import { token } from "../support/start-test-floor.ts";
import { createGate, waitFor } from "../support/wait-for.ts";
import { handClock, startBridgeFloor } from "./bridge-floor.ts";
import { type Workflow, WorkflowError } from "./stock-run.ts";

const stop = (speakerUri: string) => [{ eventType: "revokeFloor", to: { speakerUri } }];

test("an error is whispered to the asker, and after the third one in a row the bridge leaves", async () => {
  const at = await startBridgeFloor(() => {
    throw new WorkflowError("ValueError", "boom");
  });
  await at.invite();
  await at.ask(ann, "first", { wait: 15 });
  expect((await at.lines(ann)).at(-1)).toMatch(/^Flow \(private\): .*boom/su);
  expect((await at.lines(bob)).join("\n")).not.toContain("boom");
  await at.ask(bob, "second", { wait: 15 });
  expect((await at.lines(bob)).at(-1)).toMatch(/^Flow \(private\): .*boom/su);
  expect((await at.lines(bob)).join("\n")).not.toContain("Flow bye");
  await at.ask(ann, "third", { wait: 15 });
  await at.sees(bob, /^Flow bye @error/u);
});

test("an error of a workflow reaches a NeMo client of the floor as an error, and the status over HTTP is 422", async () => {
  const at = await startBridgeFloor(() => {
    throw new WorkflowError("ValueError", "boom");
  });
  const query = new URLSearchParams({ agents: at.url, speaker: ann });
  const post = (path: string) =>
    fetch(`${at.testFloor.url}${path}?${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ messages: [{ role: "user", content: "@Flow start" }] }),
    });
  const whole = await post("/chat");
  expect([whole.status, await whole.json()]).toEqual([
    422,
    { code: "workflow_error", message: "ValueError", details: "boom" },
  ]);
  const streamed = await (await post("/chat/stream")).text();
  expect(streamed).toContain(JSON.stringify({ code: "workflow_error", message: "boom", details: "ValueError" }));
  expect(streamed).toContain("Sorry, my workflow failed");
});

test("an answer between two errors resets the count of errors", async () => {
  const at = await startBridgeFloor((run) => {
    if (run.text.includes("fail")) throw new WorkflowError("ValueError", "boom");
    run.say("fine");
  });
  await at.invite();
  for (const text of ["fail", "fail", "go on", "fail", "fail"]) await at.ask(ann, text, { wait: 15 });
  expect((await at.lines(ann)).filter((line) => line.includes("boom"))).toHaveLength(4);
  expect((await at.lines(ann)).join("\n")).not.toContain("Flow bye");
});

test("a stop closes the socket, and no text of the stopped run appears in the next answer", async () => {
  const finish = createGate();
  const ended = createGate();
  const at = await startBridgeFloor(async (run) => {
    if (!run.text.includes("story")) {
      await ended.opened;
      return run.say("Yes?");
    }
    run.say("Once upon ");
    await finish.opened;
    run.say("a time.");
    return () => void setImmediate(ended.open);
  });
  await at.invite();
  const viewer = await at.watch(bob);
  await at.ask(ann, "tell me a story");
  await viewer.draft(({ delta = "" }) => delta.includes("Once"), "the beginning");
  const [caller] = at.stock.callers;
  await at.send(ann, stop(at.flow()));
  await caller?.closed;
  await viewer.draft(({ end }) => end === "dropped", "the end of the draft");
  await at.ask(ann, "are you there?");
  await waitFor(() => at.stock.asked().length === 2, "the second run");
  // The first run continues at the server, and sends the rest while the second one works.
  finish.open();
  await at.sees(bob, "Flow: Yes?");
  await at.ask(ann, "once more", { wait: 15 });
  const spoken = (await at.lines(bob)).filter((line) => line.startsWith("Flow: "));
  expect(spoken.slice(-2)).toEqual(["Flow: Yes?", "Flow: Yes?"]);
  expect((await at.lines(bob)).join("\n")).not.toMatch(/Once upon|a time/u);
});

test("a workflow that never ends its answer is stopped, and the server is notified", async () => {
  const at = await startBridgeFloor(async (run) => {
    for (let count = 0; !run.signal.aborted && count < 1_000_000; count += 1) {
      run.say("and ");
      await new Promise(setImmediate);
      if (at.stock.callers[0]?.isOpen() !== true) return;
    }
  });
  await at.invite();
  const viewer = await at.watch(bob);
  await at.ask(ann, "go on for ever");
  await viewer.grown("and and and");
  await at.send(ann, stop(at.flow()));
  expect(await at.stock.callers[0]?.closed).toBeDefined();
  await waitFor(() => at.stock.running().length === 0, "the end of the run");
});

test("an endless answer is cut and its socket is closed, without a stop", async () => {
  const at = await startBridgeFloor((run) => {
    if (run.text.includes("well")) return run.say("Yes.");
    for (let count = 0; count < 400; count += 1) run.say("x".repeat(1_000));
    return undefined;
  });
  await at.invite();
  await at.ask(ann, "go on for ever");
  await at.sees(bob, /^Flow: x{1000,110000} .*cut: the answer is too long/u);
  await at.stock.callers[0]?.closed;
  await at.ask(ann, "are you well?");
  await at.sees(bob, "Flow: Yes.");
});

test("a workflow that stops sending is given up after its deadline, and the asker gets a message", async () => {
  const clock = handClock();
  const at = await startBridgeFloor(
    async (run) => {
      if (run.text.includes("well")) return run.say("Yes.");
      return void (await once(run.signal, "abort"));
    },
    { bridge: { clock } },
  );
  await at.invite();
  await at.ask(ann, "think for ever");
  await waitFor(() => at.stock.asked().length === 1, "the run");
  clock.advance(1_800_000);
  await at.sees(ann, /^Flow \(private\): Sorry, my workflow was not finished after 30 minutes/u);
  await at.ask(ann, "are you well?");
  await at.sees(bob, "Flow: Yes.");
});

test("a bridge that is stopped during a question does not wait for the answer", async () => {
  const at = await startBridgeFloor(async (run) => {
    run.say(run.text.includes("start") ? await run.ask({ input_type: "text", text: "How?" }) : `heard ${run.text}`);
  });
  await at.invite();
  await at.ask(ann, "start");
  await at.asked(ann);
  await at.send(ann, stop(at.flow()));
  await at.stock.callers[0]?.closed;
  await at.ask(ann, "something else", { wait: 15 });
  await at.sees(bob, /^Flow: heard .*something else$/u);
  expect(at.stock.replies()).toEqual([]);
});

test("the socket of an uninvited workflow is closed", async () => {
  const silent: Workflow = async (run) => void (await once(run.signal, "abort"));
  const at = await startBridgeFloor(silent);
  await at.invite();
  await at.ask(ann, "think for ever");
  await waitFor(() => at.stock.asked().length === 1, "the run");
  await at.send(ann, [{ eventType: "uninvite", to: { speakerUri: at.flow() } }]);
  await at.stock.callers[0]?.closed;
  expect(at.stock.callers).toHaveLength(1);
});
