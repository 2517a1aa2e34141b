import type { Agent, Listening } from "@plenary/sdk";
import type { ExitCode, Io } from "../io.ts";
import { keptPort } from "../kept-port.ts";
import { listenProblem } from "../listen-problem.ts";
import { type Mistake, mistakeText } from "../mistake.ts";
import { logLine } from "../redact.ts";
import { untilStopped } from "../until-stopped.ts";
import type { DiscoveryWishes } from "./discovery-wishes.ts";
import { modelAgentNames } from "./llm-agent.ts";
import type { LlmOptions } from "./llm-settings.ts";
import { nemoAgentName } from "./nemo-agent.ts";
import type { NemoOptions } from "./nemo-settings.ts";

export type AgentOptions = { port: number; host: string; json: boolean } & LlmOptions & NemoOptions & DiscoveryWishes;

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
    listening = await opened(agent, { ...options, port: made.port ?? options.port });
  } catch (cause) {
    await io.stderr.write(`plenary: ${logLine(listenProblem(cause, options))}\n`);
    await close();
    return 2;
  }
  const { url } = listening;
  const { conversationalName } = agent.manifest.identification;
  const text = `${conversationalName} is listening. Invite it at ${url}\n`;
  await io.stdout.write(json ? `${JSON.stringify({ name, conversationalName, url })}\n` : text);
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

/** `port`: the one that is part of its name. */
type Made = { agent: Agent; close: () => Promise<void>; port?: number } | { problems: string[] };

async function agentFor(name: string, options: AgentOptions, io: Io): Promise<Made> {
  const foreign = optionOfAnother(name, options);
  if (foreign !== undefined) return { problems: [foreign] };
  if (modelAgentNames.includes(name)) return llmFor(name, options, io);
  if (name === nemoAgentName) return nemoFor(options, io);
  if (name === "discovery") {
    const { discoveryFor } = await import("./discovery-wishes.ts");
    return discoveryFor(options, io, teller(io));
  }
  const { agentNamed, agentNames } = await import("@plenary/agents");
  const agent = agentNamed(name);
  if (agent === undefined) {
    const names = [...agentNames, ...modelAgentNames, nemoAgentName].join(", ");
    return { problems: [`there is no agent named "${name}". There is: ${names}`] };
  }
  return { agent, close: async () => {} };
}

const ownOptions = {
  llm: ["url", "model", "name", "instructions", "policy"],
  nemo: ["url", "name", "policy", "synopsis", "keyphrases", "greeting", "steps", "schema"],
  discovery: ["store", "agents", "consult", "favorite"],
} as const;

// Whoever chairs answers nobody, so it takes no policy.
const takenBy: Record<string, readonly string[]> = {
  ...ownOptions,
  "convener-llm": ["url", "model", "name", "instructions"],
};

/** What is wrong when an option is given that only another agent understands. */
function optionOfAnother(name: string, options: AgentOptions): string | undefined {
  const strange = Object.values(ownOptions)
    .flat()
    .find((one) => options[one] !== undefined && takenBy[name]?.includes(one) !== true);
  if (strange === undefined) return undefined;
  const owners = Object.entries(ownOptions).flatMap(([owner, its]) =>
    its.some((one) => one === strange) ? owner : [],
  );
  return `--${strange} is for plenary agent ${owners.join(" or ")} only: leave it out`;
}

function teller(io: Io): (error: unknown) => void {
  return (error) => {
    // Nobody is left to tell when that fails.
    io.stderr.write(`plenary: ${logLine(error instanceof Error ? error.message : error)}\n`).catch(() => undefined);
  };
}

async function llmFor(name: string, options: AgentOptions, io: Io): Promise<Made> {
  const { parseLlm } = await import("./llm-settings.ts");
  const mistakes: Mistake[] = [];
  const choice = parseLlm(options, io.env, mistakes);
  if (choice === undefined) return { problems: mistakes.map(mistakeText) };
  const { llmMaker } = await import("./llm-agent.ts");
  const { make, close } = await llmMaker(choice, teller(io));
  return { agent: make(name), close };
}

async function nemoFor(options: AgentOptions, io: Io): Promise<Made> {
  const { parseNemo } = await import("./nemo-settings.ts");
  const mistakes: Mistake[] = [];
  const choice = parseNemo(options, io.env, mistakes);
  if (choice === undefined) return { problems: mistakes.map(mistakeText) };
  const { nemoAgent } = await import("./nemo-agent.ts");
  return nemoAgent(choice, teller(io));
}
