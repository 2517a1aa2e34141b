import type { Agent, Listening } from "@plenary/sdk";
import type { ExitCode, Io } from "./io.ts";
import { keptPort } from "./kept-port.ts";
import { listenProblem } from "./listen-problem.ts";
import type { LlmOptions } from "./llm-settings.ts";
import { type Mistake, mistakeText } from "./mistake.ts";
import { logLine } from "./redact.ts";
import { untilStopped } from "./until-stopped.ts";

export type AgentOptions = { port: number; host: string; json: boolean } & LlmOptions;

/** Serves one ready-made agent until it is told to stop. */
export async function serveAgent(name: string, options: AgentOptions, io: Io): Promise<ExitCode> {
  const made = await agentFor(name, options, io);
  if ("problems" in made) {
    for (const problem of made.problems) await io.stderr.write(`plenary: ${logLine(problem)}\n`);
    return 2;
  }
  const { agent, close } = made;
  const { json } = options;
  let listening: Listening;
  try {
    listening = await opened(agent, options);
  } catch (cause) {
    await io.stderr.write(`plenary: ${logLine(listenProblem(cause, options))}\n`);
    await close();
    return 2;
  }
  const { url } = listening;
  const { conversationalName } = agent.manifest.identification;
  const text = `${conversationalName} is listening. Invite it at ${url}\n`;
  await io.stdout.write(json ? `${JSON.stringify({ name, url })}\n` : text);
  await untilStopped();
  await listening.close();
  await close();
  return 0;
}

async function opened(agent: Agent, { port, host }: AgentOptions): Promise<Listening> {
  const { listen } = await import("@plenary/sdk");
  if (port !== 0) return listen(agent, { port, host });
  const kept = await keptPort(agent.manifest.identification.speakerUri);
  // Another of its kind may have taken it this very moment.
  return listen(agent, { port: kept, host }).catch(() => listen(agent, { port: 0, host }));
}

type Made = { agent: Agent; close: () => Promise<void> } | { problems: string[] };

async function agentFor(name: string, options: AgentOptions, io: Io): Promise<Made> {
  if (name === "llm") return llmFor(options, io);
  const { agentNamed, agentNames } = await import("@plenary/agents");
  const agent = agentNamed(name);
  if (agent === undefined) {
    return { problems: [`there is no agent named "${name}". There is: ${[...agentNames, "llm"].join(", ")}`] };
  }
  const strange = (["url", "model", "name", "instructions", "policy"] as const).find(
    (one) => options[one] !== undefined,
  );
  if (strange !== undefined) return { problems: [`--${strange} is for plenary agent llm only: leave it out`] };
  return { agent, close: async () => {} };
}

async function llmFor(options: AgentOptions, io: Io): Promise<Made> {
  const { parseLlm } = await import("./llm-settings.ts");
  const mistakes: Mistake[] = [];
  const choice = parseLlm(options, io.env, mistakes);
  if (choice === undefined) return { problems: mistakes.map(mistakeText) };
  const { llmMaker } = await import("./llm-agent.ts");
  const onError = (error: unknown) => {
    // Nobody is left to tell when that fails.
    io.stderr.write(`plenary: ${logLine(error instanceof Error ? error.message : error)}\n`).catch(() => undefined);
  };
  const { make, close } = await llmMaker(choice, onError);
  return { agent: make(), close };
}
