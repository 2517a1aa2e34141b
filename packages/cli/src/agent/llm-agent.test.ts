import type { AgentHost } from "@plenary/sdk";
import { expect, test } from "vitest";
import { run } from "../run.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { readyMadeAgents } from "./hosted-agents.ts";

const onError = () => {};
const llm = { baseUrl: "http://127.0.0.1:1/v1", model: "llama3.2", name: "Cook", instructions: "You cook." };
const serviceUrl = "http://127.0.0.1:2/agents/convener-llm";

const host: AgentHost = {
  floorUri: () => "tag:floor.example,2026:floor",
  readHistory: async () => [],
  send: async () => {},
  knownAgents: () => [],
  catalogue: { manifests: async () => [], keepManifests: async () => {} },
};

test("a floor hosts the model convener only when a model is configured, and only for itself", async () => {
  const without = await readyMadeAgents({ onError });
  expect(without.names).not.toContain("convener-llm");
  expect(without.create("convener-llm", serviceUrl, host)).toBeUndefined();
  const hosted = await readyMadeAgents({ llm, onError });
  expect(hosted.names).toContain("convener-llm");
  expect(hosted.create("convener-llm", serviceUrl)).toBeUndefined();
  const { manifest } = hosted.create("convener-llm", serviceUrl, host) ?? {};
  // The name and the instructions of the setting are those of the agent that talks.
  expect(manifest?.identification).toMatchObject({ conversationalName: "Chair", openFloorRoles: { convener: true } });
  await hosted.close();
});

test("the model convener has the same options, except the policy", async () => {
  const attempt = async (...options: string[]) => {
    const io = createMemoryIo({ env: {} });
    const exitCode = await run(["agent", "convener-llm", ...options], io);
    return { exitCode, stderr: io.written.stderr };
  };
  const refused = await attempt("--url", llm.baseUrl, "--model", "x", "--policy", "open");
  expect(refused).toEqual({
    exitCode: 2,
    stderr: "plenary: --policy is for plenary agent llm or nemo only: leave it out\n",
  });
  const { exitCode, stderr } = await attempt("--url", llm.baseUrl, "--instructions", "Only gardening.");
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^plenary: PLENARY_LLM_MODEL is missing[^\n]*\n$/u);
});
