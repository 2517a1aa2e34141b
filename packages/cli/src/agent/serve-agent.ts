import type { Agent } from "@plenary/sdk";
import { cidrsIn, hostsIn } from "../config/allow-list.ts";
import { type ConfigError, configErrorText } from "../errors.ts";
import type { ExitCode, Io } from "../io.ts";
import { untilStopped } from "../node-io.ts";
import { logLine } from "../output/redact.ts";
import { openTextDialler } from "../serve/diallers.ts";
import { listenProblem } from "../serve/listen-port.ts";
import type { DiscoveryAgentOptions } from "./discovery-agent.ts";
import { agentIdentity } from "./identity.ts";
import { modelAgentNames } from "./llm-agent.ts";
import type { LlmOptions } from "./llm-settings.ts";
import { nemoAgentName } from "./nemo-agent.ts";
import type { NemoOptions } from "./nemo-settings.ts";

export type AgentOptions = {
  port: number;
  host: string;
  publicUrl?: string;
  speaker?: string;
  allowOrigin?: readonly string[];
  json: boolean;
} & LlmOptions &
  NemoOptions &
  DiscoveryAgentOptions;

/** Serves one built-in agent until a stop signal. */
export async function serveAgent(name: string, options: AgentOptions, io: Io): Promise<ExitCode> {
  const served = await startAgent(name, options, io);
  if ("problems" in served) {
    for (const problem of served.problems) await io.stderr.write(`plenary: ${logLine(problem)}\n`);
    return 2;
  }
  const { agent, url, close } = served;
  const { conversationalName, speakerUri } = agent.manifest.identification;
  const text = `${conversationalName} is listening. Invite it at ${url}\n`;
  await io.stdout.write(options.json ? `${JSON.stringify({ name, conversationalName, speakerUri, url })}\n` : text);
  await untilStopped();
  await close();
  return 0;
}

type AgentErrors = { problems: string[] };

const attemptsMax = 5;

/** Creates the agent and listens. */
async function startAgent(name: string, options: AgentOptions, io: Io): Promise<RunningAgent | AgentErrors> {
  const errors: ConfigError[] = [];
  const allowed = { allowHosts: hostsIn(io.env, errors), allowCidrs: cidrsIn(io.env, errors) };
  if (errors.length > 0) return { problems: errors.map(configErrorText) };
  for (let attempt = 1; ; attempt += 1) {
    const made = await createNamedAgent(name, options, io);
    if ("problems" in made) return made;
    try {
      return await listenAgent(made, options, allowed);
    } catch (cause) {
      await made.close();
      // Another instance may have taken the port meanwhile. The port is part of the identity, so create the agent again.
      const isTaken = (cause as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (options.port !== 0 || !isTaken || attempt === attemptsMax)
        return { problems: [listenProblem(cause, options)] };
    }
  }
}

type Allowed = { allowHosts: string[]; allowCidrs: string[] };

async function listenAgent(
  { agent, port, close }: CreatedAgent,
  options: AgentOptions,
  allowed: Allowed,
): Promise<RunningAgent> {
  const { listen } = await import("@plenary/sdk");
  const { host, allowOrigin: allowOrigins, publicUrl: serviceUrl } = options;
  const textDialler = await openTextDialler(allowed);
  const listening = await listen(agent, {
    port,
    host,
    textDialler,
    ...(serviceUrl !== undefined && { serviceUrl }),
    ...(allowOrigins && { allowOrigins }),
  }).catch(async (cause) => {
    await textDialler.close();
    throw cause;
  });
  const closeAll = async () => {
    await listening.close();
    await close();
    await textDialler.close();
  };
  return { agent, url: serviceUrl ?? listening.url, close: closeAll };
}

/** `close` also stops the listener. */
type RunningAgent = { agent: Agent; url: string; close: () => Promise<void> };

type CreatedAgent = { agent: Agent; close: () => Promise<void>; port: number };

async function createNamedAgent(name: string, options: AgentOptions, io: Io): Promise<CreatedAgent | AgentErrors> {
  const foreign = foreignOptionError(name, options);
  if (foreign !== undefined) return { problems: [foreign] };
  if (modelAgentNames.includes(name)) return createLlmAgent(name, options, io);
  if (name === nemoAgentName) return createWorkflowAgent(options, io);
  if (name === "discovery") {
    const { createDiscoveryAgent } = await import("./discovery-agent.ts");
    return createDiscoveryAgent(options, io, errorLogger(io));
  }
  const { agentNamed, agentNames } = await import("@plenary/agents");
  const kind = agentNamed(name)?.manifest.identification.speakerUri;
  if (kind === undefined) {
    const names = [...agentNames, ...modelAgentNames, nemoAgentName].join(", ");
    return { problems: [`there is no agent named "${name}". Available: ${names}`] };
  }
  const own = await agentIdentity(kind, options, io);
  const agent = agentNamed(name, own.name);
  if (agent === undefined) throw new Error(`${name} cannot be created`);
  return { agent, port: own.port, close: async () => {} };
}

const ownOptions = {
  llm: ["url", "model", "name", "instructions", "policy", "takes"],
  nemo: [
    "url",
    "name",
    "policy",
    "synopsis",
    "keyphrases",
    "greeting",
    "steps",
    "schema",
    "sharedSession",
    "patience",
    "takes",
  ],
  discovery: ["store", "agents", "consult", "favorite"],
} as const;

// A convener answers no utterances, so it has no policy.
const optionsOf: Record<string, readonly string[]> = {
  ...ownOptions,
  "convener-llm": ["url", "model", "name", "instructions"],
};

/** The error for an option that belongs to another agent. */
function foreignOptionError(name: string, options: AgentOptions): string | undefined {
  const strange = Object.values(ownOptions)
    .flat()
    .find((one) => options[one] !== undefined && optionsOf[name]?.includes(one) !== true);
  if (strange === undefined) return undefined;
  const owners = Object.entries(ownOptions).flatMap(([owner, its]) =>
    its.some((one) => one === strange) ? owner : [],
  );
  return `--${optionName(strange)} is for plenary agent ${owners.join(" or ")} only: leave it out`;
}

/** In kebab case. */
function optionName(option: string): string {
  return option.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

function errorLogger(io: Io): (error: unknown) => void {
  return (error) => {
    // stderr may be closed.
    io.stderr.write(`plenary: ${logLine(error instanceof Error ? error.message : error)}\n`).catch(() => undefined);
  };
}

async function createLlmAgent(name: string, options: AgentOptions, io: Io): Promise<CreatedAgent | AgentErrors> {
  const { parseLlm } = await import("./llm-settings.ts");
  const errors: ConfigError[] = [];
  const choice = parseLlm(options, io.env, errors);
  if (choice === undefined) return { problems: errors.map(configErrorText) };
  const { llmMaker } = await import("./llm-agent.ts");
  const { make, close } = await llmMaker(choice, errorLogger(io));
  const { port, name: own } = await agentIdentity(make(name).manifest.identification.speakerUri, options, io);
  return { agent: make(name, own), port, close };
}

async function createWorkflowAgent(options: AgentOptions, io: Io): Promise<CreatedAgent | AgentErrors> {
  const { parseNemo } = await import("./nemo-settings.ts");
  const errors: ConfigError[] = [];
  const choice = parseNemo(options, io.env, errors);
  if (choice === undefined) return { problems: errors.map(configErrorText) };
  const { nemoAgent, sessionKeyOf } = await import("./nemo-agent.ts");
  const { port, name } = await agentIdentity(`nemo ${choice.name ?? ""} ${choice.url}`, options, io);
  const settings = { ...choice, ...(await sessionKeyOf(choice, io)) };
  return { ...(await nemoAgent(settings, errorLogger(io), name)), port };
}
