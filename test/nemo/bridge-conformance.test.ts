// Cases C1 to C7: what a client must accept from the real server.
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { ann, bob } from "../support/envelopes.ts";
import { createGate, waitFor } from "../support/wait-for.ts";
import { handClock, startBridgeFloor } from "./bridge-floor.ts";
import { type Run, type Workflow, WorkflowError } from "./stock-run.ts";

const never = (run: Run) => once(run.signal, "abort").then(() => {});
const error = { code: "user_auth_error", message: "Authentication failed", details: "default" };

test("C1: null text, empty deltas, steps before and after, equal times and unknown types are accepted", async () => {
  const at = await startBridgeFloor(
    (run) => {
      const id = run.step("Function Start: f", "in");
      run.say(null);
      run.say("");
      run.send({ type: "system_weather_message", content: { text: "rain" }, conversation_id: "elsewhere" });
      run.send({ type: "system_response_message" });
      run.send({ type: "system_intermediate_message", content: { name: 7, payload: null } });
      run.raw("no JSON at all");
      run.raw("[1, 2]");
      run.say("  Still ");
      run.say("here.");
      return () => void run.step("Function Complete: f", "out", { id });
    },
    // A bare error, and a frame from before any question.
    { stock: { onConnect: ({ raw }) => raw(JSON.stringify(error)) } },
  );
  await at.invite();
  for (const [index, text] of ["first", "second"].entries()) {
    await at.ask(ann, text, { wait: 15 });
    const spoken = (await at.lines(bob)).filter((line) => /^Flow: +Still here\.$/u.test(line));
    expect(spoken).toHaveLength(index + 1);
  }
  expect((await at.lines(ann)).join("\n")).not.toMatch(/rain|null|undefined/u);
  expect(at.stock.callers).toHaveLength(1);
});

describe("C2: a turn ends", () => {
  test("with complete, even without any text", async () => {
    const at = await startBridgeFloor((run) => (run.text.includes("speak") ? run.say("Spoken.") : undefined));
    await at.invite();
    const before = (await at.lines(bob)).length;
    await at.ask(ann, "nothing", { wait: 15 });
    expect((await at.lines(bob)).slice(before)).toEqual(["Ann: nothing"]);
    await at.ask(ann, "speak", { wait: 15 });
    expect((await at.lines(bob)).at(-1)).toBe("Flow: Spoken.");
  });

  test("with invalid_user_message_content, after which no complete comes", async () => {
    const at = await startBridgeFloor(async (run) => {
      if (run.text.includes("again")) return run.say("Better.");
      const content = { code: "invalid_user_message_content", message: "ValueError", details: "No text." };
      const { id: parent_id, conversation_id } = run.payload;
      run.send({ type: "error_message", id: "e1", parent_id, conversation_id, content, status: "in_progress" });
      return never(run);
    });
    await at.invite();
    await at.ask(ann, "hm", { wait: 15 });
    await at.sees(ann, /^Flow \(private\): .*No text\./su);
    await at.ask(ann, "again", { wait: 15 });
    await at.sees(bob, "Flow: Better.");
  });

  test("with the end of the connection, when the server does not come back", async () => {
    const at = await startBridgeFloor(async (run) => {
      run.say("Half of ");
      await never(run);
    });
    await at.invite();
    const viewer = await at.watch(bob);
    await at.ask(ann, "hello");
    await viewer.draft(({ delta = "" }) => delta.includes("Half"), "the first half");
    await at.stock.close();
    await viewer.draft(({ end }) => end !== undefined, "the end of the draft");
    await at.sees(bob, /^Flow: Half of .*interrupted/u);
  });
});

test("C3: a server never has two turns in flight on one socket", async () => {
  const gates = [createGate(), createGate(), createGate(), createGate()];
  let running = 0;
  let most = 0;
  let count = 0;
  const at = await startBridgeFloor(async (run) => {
    running += 1;
    most = Math.max(most, running);
    await gates[count++]?.opened;
    run.say("ok");
    running -= 1;
  });
  await at.invite();
  for (const [as, text] of [
    [ann, "one"],
    [bob, "two"],
    [ann, "three"],
    [bob, "four"],
  ] as const) {
    await at.ask(as, text);
  }
  for (const [index, { open }] of gates.entries()) {
    await waitFor(() => count > index || (running === 0 && index > 0), `run ${index + 1}`);
    open();
  }
  await waitFor(() => running === 0 && JSON.stringify(at.stock.asked()).includes("four"), "the last run");
  expect(most).toBe(1);
  expect(at.stock.cancelled()).toBe(0);
  for (const text of ["one", "two", "three", "four"]) expect(JSON.stringify(at.stock.asked())).toContain(text);
});

test("C4: a prompt is answered once, and a second answer is dropped", async () => {
  const goOn = createGate();
  const at = await startBridgeFloor(async (run) => {
    if (!run.text.includes("start")) return run.say("What else?");
    const name = await run.ask({ input_type: "text", text: "Name?" });
    await goOn.opened;
    run.say(`Hello, ${name}.`);
  });
  await at.invite();
  await at.ask(ann, "start");
  const question = await at.asked(ann);
  await at.choose(ann, question, ["Ada"]);
  await at.choose(ann, question, ["Eve"]);
  await waitFor(() => at.stock.replies().length > 0, "the reply");
  goOn.open();
  await at.sees(ann, "Flow (private): Hello, Ada.");
  await at.ask(ann, "bye", { wait: 15 });
  expect(at.stock.replies()).toHaveLength(1);
  expect(at.stock.callers).toHaveLength(1);
  expect(at.stock.callers[0]?.isOpen()).toBe(true);
});

test("C5: after a cut the bridge reconnects with its conversation_id, and the question can still be answered", async () => {
  const at = await startBridgeFloor(async (run) => {
    const name = await run.ask({ input_type: "text", text: "Name?", timeout: 60 });
    run.say(`Hello, ${name}.`);
  });
  await at.invite();
  await at.ask(ann, "start");
  const question = await at.asked(ann);
  at.stock.callers[0]?.drop();
  const back = await waitFor(() => at.stock.callers[1], "the second socket");
  expect(at.stock.asked()).toHaveLength(1);
  expect(back.url.searchParams.get("conversation_id")).toBe(at.stock.asked()[0]?.conversation_id);
  await at.choose(ann, question, ["Ada"]);
  await at.sees(ann, "Flow (private): Hello, Ada.");
  expect(at.stock.asked()).toHaveLength(1);
});

test("C5: a second question after a cut, which the server accepts no answer to, ends only the turn", async () => {
  const at = await startBridgeFloor(async (run) => {
    if (!run.text.includes("start")) return run.say("Here I am.");
    await run.ask({ input_type: "text", text: "One?" });
    run.say(await run.ask({ input_type: "text", text: "Two?" }));
  });
  await at.invite();
  await at.ask(ann, "start");
  await at.asked(ann);
  at.stock.callers[0]?.drop();
  await waitFor(() => at.stock.callers[1], "the second socket");
  await at.choose(ann, (await at.questions(ann)).at(-1) as never, ["uno"]);
  const second = await waitFor(() => at.stock.replies().length === 1, "the first reply").then(() =>
    at.sees(ann, /Two\?/u),
  );
  expect(second).toContain("Two?");
  await at.choose(ann, (await at.questions(ann)).at(-1) as never, ["due"]);
  await at.stock.callers[1]?.closed;
  await at.ask(ann, "still there?");
  await at.sees(bob, "Flow: Here I am.");
});

test("C6: after the timeout of a prompt nothing is sent, and the asker gets a message", async () => {
  const clock = handClock();
  const grace = createGate();
  const at = await startBridgeFloor(
    async (run) => {
      const error = "Too late, it was 42.";
      const asked = run.ask({ input_type: "text", text: "Quick?", timeout: 30, error });
      const lapsed = grace.opened.then(() => Promise.reject(new WorkflowError("TimeoutError", "")));
      run.say(await Promise.race([asked, lapsed]));
    },
    { bridge: { clock } },
  );
  await at.invite();
  await at.ask(ann, "start");
  const question = await at.asked(ann);
  expect(question).toMatchObject({ timeout: 30, error: "Too late, it was 42." });
  // The server would still accept a reply: it waits for five seconds more.
  clock.advance(30_001);
  await at.delivered(() => at.choose(ann, question, ["42"]));
  await at.stock.callers[0]?.heard();
  expect(at.stock.replies()).toEqual([]);
  grace.open();
  await at.sees(ann, /^Flow \(private\): .*Too late, it was 42\./su);
  expect(at.stock.replies()).toEqual([]);
  expect(at.stock.callers[0]?.isOpen()).toBe(true);
  expect((await at.lines(bob)).join("\n")).not.toContain("Too late");
});

test("C6: after an unanswered prompt the next question is answered as usual", async () => {
  const at = await startBridgeFloor(
    async (run) => {
      if (!run.text.includes("start")) return run.say("Here I am.");
      run.say(await run.ask({ input_type: "text", text: "Quick?", timeout: 1 }));
    },
    { stock: { graceMs: 100 } },
  );
  await at.invite();
  await at.ask(ann, "start");
  await at.asked(ann);
  await waitFor(() => at.stock.running().length === 0, "the server's own end of the run");
  await at.ask(ann, "still there?");
  await at.sees(bob, "Flow: Here I am.");
  expect(at.stock.replies()).toEqual([]);
  expect(at.stock.callers).toHaveLength(1);
});

test("C7: a connection that breaks during an answer is opened once more, and the answer is complete", async () => {
  const goOn = createGate();
  const halves: Workflow = async (run) => {
    run.say("One half, ");
    run.drop();
    await goOn.opened;
    run.say("the other half.");
  };
  const at = await startBridgeFloor(halves);
  await at.invite();
  await at.ask(ann, "hello");
  await waitFor(() => at.stock.callers[1], "the second socket");
  goOn.open();
  await at.sees(bob, "Flow: One half, the other half.");
  expect(await at.stock.callers[0]?.closed).toBe(1006);
  expect(at.stock.asked()).toHaveLength(1);
});

test("C7: a connection that breaks repeatedly is given up, and the agent answers the next question", async () => {
  const at = await startBridgeFloor(
    async (run) => {
      if (run.text.includes("well")) return run.say("Yes.");
      return never(run);
    },
    { stock: { onConnect: (caller) => isBroken && caller.drop() } },
  );
  let isBroken = false;
  await at.invite();
  await at.ask(ann, "hello");
  await waitFor(() => at.stock.asked().length === 1, "the run");
  isBroken = true;
  at.stock.callers[0]?.drop();
  await at.sees(ann, /^Flow \(private\): .*was lost/u);
  isBroken = false;
  await at.ask(ann, "are you well?");
  await at.sees(bob, "Flow: Yes.");
});
