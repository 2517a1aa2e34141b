import { agentNames } from "@plenary/agents";
import { expect, test } from "vitest";
import { run } from "../run.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { readyMadeAgents } from "./hosted-agents.ts";

async function plenary(args: string[], env: Record<string, string> = {}) {
  const io = createMemoryIo({ env });
  const exitCode = await run(args, io);
  return { exitCode, ...io.written };
}

test("an unknown agent is reported with the available ones", async () => {
  expect(await plenary(["agent", "nobody"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `plenary: there is no agent named "nobody". Available: ${[...agentNames, "llm", "convener-llm", "nemo"].join(", ")}\n`,
  });
});

test("options of the model agents are refused for others", async () => {
  expect(await plenary(["agent", "echo", "--model", "x"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: "plenary: --model is for plenary agent llm only: leave it out\n",
  });
});

test.each(["clock.example", "ftp://clock.example/", "https://me:secret@clock.example/"])(
  "%s is no public address",
  async (address) => {
    const { exitCode, stderr } = await plenary(["agent", "echo", "--public-url", address]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("A public address is a URL, such as https://clock.example/agent.");
  },
);

test("a missing model is an error", async () => {
  const { exitCode, stdout, stderr } = await plenary(["agent", "llm"], { PLENARY_LLM_KEY: "sk-1" });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain("PLENARY_LLM_URL is missing");
  expect(stderr).toContain("PLENARY_LLM_MODEL is missing");
});

test("a floor with half of the model settings does not open", async () => {
  const { exitCode, stderr } = await plenary(["serve", "--port", "0"], { PLENARY_LLM_URL: "http://127.0.0.1:1/v1" });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("PLENARY_LLM_MODEL is missing");
});

test("a floor hosts a model only when one is configured", async () => {
  const onError = () => {};
  expect((await readyMadeAgents({ onError })).names).toEqual(agentNames);
  const llm = { baseUrl: "http://127.0.0.1:1/v1", model: "llama3.2" };
  const hosted = await readyMadeAgents({ llm, onError });
  expect(hosted.names).toEqual([...agentNames, "llm", "convener-llm"]);
  await hosted.close();
});
