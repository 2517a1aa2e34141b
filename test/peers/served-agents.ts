// Every ready-made agent, served over HTTP as `plenary agent NAME` serves it.
import { agentNamed, createLlm, createNemoAgent } from "@plenary/agents";
import { type Agent, createDialler, listen } from "@plenary/sdk";
import { onTestFinished } from "vitest";
import { startStockServer } from "../nemo/stock-server.ts";
import { says, startModel } from "../support/stub-model.ts";

/** Each agent under the name that people use for it. */
const talkers = {
  Echo: "echo",
  Clock: "clock",
  Calculator: "calculator",
  Guide: "guide",
  Scribe: "scribe",
  Interviewer: "interviewer",
  Discovery: "discovery",
} as const;

export type Name = keyof typeof talkers | "Stub" | "Flow";
export const names: readonly Name[] = [...(Object.keys(talkers) as (keyof typeof talkers)[]), "Stub", "Flow"];

/** Returns the address of the agent, which closes with the test. */
export async function serve(name: Name): Promise<string> {
  const listening = await listen(await made(name), { port: 0 });
  onTestFinished(() => listening.close());
  return listening.url;
}

/** An agent by its name on the command line. */
export async function serveNamed(name: string): Promise<string> {
  const agent = agentNamed(name);
  if (agent === undefined) throw new Error(`there is no agent ${name}`);
  const listening = await listen(agent, { port: 0 });
  onTestFinished(() => listening.close());
  return listening.url;
}

async function made(name: Name): Promise<Agent> {
  if (name === "Stub") return llm();
  if (name === "Flow") return nemo();
  // Guide speaks at the pace of a reader.
  const options = { speakerUri: newName(name), spokenMs: 0 };
  const agent = agentNamed(talkers[name], options);
  if (agent === undefined) throw new Error(`there is no agent ${name}`);
  return agent;
}

/** Several agents of one kind may join one floor. */
const newName = (name: Name) => `tag:agents.example,2026:${name.toLowerCase()}-${crypto.randomUUID()}`;

async function llm(): Promise<Agent> {
  const model = await startModel(says("I think so."));
  const dialler = createDialler({ mode: "local" });
  onTestFinished(async () => {
    await dialler.close();
    await model.close();
  });
  return createLlm({ baseUrl: model.baseUrl, model: "stub", name: "Stub", speakerUri: newName("Stub"), dialler });
}

async function nemo(): Promise<Agent> {
  const stock = await startStockServer(async (run) => run.say("Done."));
  const dialler = createDialler({ mode: "local" });
  const agent = createNemoAgent({
    url: stock.url,
    name: "Flow",
    speakerUri: newName("Flow"),
    dialler,
    onError: () => {},
  });
  onTestFinished(async () => {
    agent.close();
    await dialler.close();
    await stock.close();
  });
  return agent;
}
