// From a workflow of the toolkit over the bridge and a real floor to the stock client: steps are shown while they run.
import { createNemoAgent } from "@plenary/agents";
import { createDialler, listen } from "@plenary/sdk";
import { expect, onTestFinished, test } from "vitest";
import { ann, bob } from "../support/envelopes.ts";
import { createGate } from "../support/wait-for.ts";
import { featureOf, startBridgeFloor } from "./bridge-floor.ts";
import { startNemoFloor, wordsOf } from "./nemo-floor.ts";
import type { Workflow } from "./stock-run.ts";
import { startStockServer } from "./stock-server.ts";

/** A client at a floor with an invited workflow. Everything is closed after the test. */
async function openChain(workflow: Workflow) {
  const stock = await startStockServer(workflow);
  const dialler = createDialler({ mode: "local" });
  const agent = createNemoAgent({ url: stock.url, name: "Flow", policy: "open", dialler, onError: () => {} });
  const listening = await listen(agent, { port: 0 });
  const floor = await startNemoFloor();
  onTestFinished(async () => {
    await floor.close();
    await listening.close();
    agent.close();
    await dialler.close();
    await stock.close();
  });
  return { floor, client: await floor.visit({ agents: [listening] }) };
}

test("the stock client sees a workflow's steps before its first word, nested, and none twice", async () => {
  const [search, answer] = [createGate(), createGate()];
  const { client } = await openChain(async (run) => {
    const whole = run.step("Function Start: <workflow>", "**Function Input:**\n```python\nflights\n```");
    run.step("Function Start: search_flights", "**Function Input:**", { parent: whole, id: "f1" });
    await search.opened;
    run.step("Function Complete: search_flights", "**Function Output:**\n3 &lt;found&gt;", { parent: whole, id: "f1" });
    await answer.opened;
    run.say("Three flights.");
    return () => run.step("Function Complete: <workflow>", "**Function Output:**", { id: whole });
  });
  client.say("flights?");
  const bubble = client.last();
  const shown = (name: string) => bubble.steps.find((step) => step.name === name);
  const searching = () => shown("Searching flights ...");
  await client.until(() => searching() !== undefined, "the search");
  expect(searching()?.payload).toMatch(/^\*\*Running\*\*/u);
  expect(shown("Running the workflow ...")).toMatchObject({ parent: shown("Agent: Flow")?.id });
  expect(searching()?.parent).toBe(shown("Running the workflow ...")?.id);
  search.open();
  await client.until(() => searching()?.payload.startsWith("**Done**") === true, "the end of the search");
  expect(searching()?.payload).toContain("3 &lt;found&gt;");
  // The workflow is still running: the greeting is the only utterance.
  expect(bubble.text).not.toContain("Three flights.");
  answer.open();
  const { text, steps } = await client.done();
  expect(wordsOf(text, "Flow")).toContain("Three flights.");
  expect(steps.filter(({ name }) => /search|workflow/iu.test(name)).map(({ name }) => name)).toEqual([
    "Running the workflow ...",
    "Searching flights ...",
  ]);
  expect(searching()?.payload).toMatch(/^\*\*Done\*\*.*3 &lt;found&gt;/su);
  expect(client.faults).toEqual([]);
});

test("steps before a question continue after the answer", async () => {
  const { client } = await openChain(async (run) => {
    run.step("Tool: search_flights", "**Input:**", { id: "t1" });
    const city = await run.ask({ input_type: "text", text: "Where to?" });
    run.step("Tool: book_flight", "**Input:**", { id: "t2" });
    run.step("Tool: search_flights", "**Output:**\n3", { id: "t1" });
    run.say(`To ${city}.`);
  });
  client.say("book a flight");
  await client.dialog();
  expect(client.last().steps.map(({ name }) => name)).toContain("Searching flights ...");
  client.reply("Rome");
  const { steps, text } = await client.done();
  expect(text).toContain("To Rome.");
  const names = steps.map(({ name }) => name).filter((name) => name.endsWith("..."));
  expect(names).toEqual(["Searching flights ...", "Booking flight ..."]);
  expect(steps.filter(({ name }) => name === "Agent: Flow")).toHaveLength(1);
  expect(client.faults).toEqual([]);
});

test("only the whisperer sees the steps of a whisper, and only their names where only names are shown", async () => {
  const goOn = createGate();
  const at = await startBridgeFloor(
    async (run) => {
      run.step("Tool: search_canary", "canary-77");
      await goOn.opened;
      run.say("Found.");
    },
    { bridge: { steps: "names" } },
  );
  await at.invite();
  const [mine, others] = [await at.watch(ann), await at.watch(bob)];
  await at.ask(ann, "psst", { isWhisper: true });
  const draft = await mine.draft(({ step }) => step !== undefined, "the step");
  expect(draft.step).toMatchObject({ title: "Searching canary ...", state: "running" });
  expect(JSON.stringify(draft)).not.toContain("canary-77");
  goOn.open();
  await at.sees(ann, "Flow (private): Found.");
  await at.say(ann, "the end");
  await others.saw("the end");
  expect(others.all()).not.toContain("canary");
  const spoken = (await at.events(ann)).find((event) => featureOf(event, "steps") !== undefined);
  expect(featureOf(spoken, "steps")).toMatchObject({ steps: [{ name: "Tool: search_canary", payload: "" }] });
});
