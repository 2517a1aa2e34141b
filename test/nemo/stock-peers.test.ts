// The two peers of these tests, each written on its own after the same programs: they understand each other, so neither is
// adapted to our floor.
import { expect, onTestFinished, test } from "vitest";
import { openClient } from "./stock-client.ts";
import { type Run, WorkflowError } from "./stock-run.ts";
import { startStockServer } from "./stock-server.ts";

async function workflow(run: Run): Promise<void> {
  run.trace("t1");
  if (run.text === "fail") {
    run.say("I try. ");
    throw new WorkflowError("ValueError", "boom");
  }
  const outer = run.step("Function Start: plan", "{}");
  run.step("Tool: calc", "1 + 1", { parent: outer });
  const name = await run.ask({ input_type: "text", text: "Name?", placeholder: null, required: true });
  run.say("Hello ");
  run.say(`${name}.`);
}

test("the stock client shows what the stock server writes, and finds no fault in it", async () => {
  const server = await startStockServer(workflow);
  onTestFinished(server.close);
  const client = await openClient({ url: `http://127.0.0.1:${server.port}` });
  onTestFinished(client.close);
  client.say("go");
  await client.dialog();
  client.reply("Ada");
  expect(await client.done()).toMatchObject({ text: "Hello Ada.", trace: "t1", steps: [{ parent: "root" }, {}] });
  expect(await client.ask("fail")).toMatchObject({ text: "I try. ", errors: ["ValueError: boom"] });
  expect(server.ignored()).toEqual([]);
  expect(client.faults).toEqual([]);
});
