import type { Command } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { collectOrigin, portOf, publicUrlOf, speakerUriOf } from "../options.ts";
import type { AgentOptions } from "./serve-agent.ts";

// Listed here, because importing the agents would slow down the help.
const agents: readonly [name: string, does: string][] = [
  ["guide", "explains the floor and answers questions about it"],
  ["clock", "tells times and dates around the world"],
  ["calculator", "calculates, with units"],
  ["scribe", "remembers who said what, summarizes and exports it"],
  ["discovery", "recommends agents for a task"],
  ["interviewer", "asks questions with choices"],
  ["echo", "repeats what it hears"],
  ["convener-open", "convener: everyone may speak"],
  ["convener-queue", "convener: requests for the floor are granted in order"],
  ["convener-round-robin", "convener: each speaks in the order of joining"],
  ["convener-moderated", "convener: the owner approves every speaker"],
  ["convener-single-speaker", "convener: one speaks at a time, for a minute"],
  ["convener-budget", "convener: speakers over their budget lose the floor"],
  ["llm", "answers with a model behind any OpenAI-compatible endpoint"],
  ["convener-llm", "convener: a model decides the judgement calls, the queue all else"],
  ["nemo", "answers with a workflow of the NeMo Agent Toolkit"],
];

export function addAgent(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("agent")
    .summary("serve one built-in agent")
    .description("Serves one built-in agent that any floor can invite.")
    .argument("<name>", agents.map(([name]) => name).join(", "))
    .option("--port <number>", "the port to listen on; 0 takes a free port, the same every time", portOf, 0)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--public-url <url>", "its public address, such as behind a proxy", publicUrlOf)
    .option("--speaker <uri>", "its speakerUri; default: a unique one, kept in .plenary", speakerUriOf)
    .option("--allow-origin <url>", "a web page that may call it; repeatable; default: every page", collectOrigin)
    .option("--url <url>", "llm: the base URL of the endpoint (PLENARY_LLM_URL); nemo: of the workflow")
    .option("--model <model>", "llm: the model, as its server names it (PLENARY_LLM_MODEL)")
    .option("--name <name>", "llm, nemo: its display name; default: from the model, or Workflow (PLENARY_LLM_NAME)")
    .option("--instructions <text>", "llm: its instructions, or @FILE (PLENARY_LLM_INSTRUCTIONS)")
    .option(
      "--policy <policy>",
      "llm, nemo: addressed, or open: also when a person speaks to everyone (PLENARY_LLM_POLICY)",
    )
    .option("--takes <layers>", "llm, nemo: what it reads, such as text,image,audio,video (PLENARY_LLM_TAKES)")
    .option("--synopsis <text>", "nemo: what it does, for its manifest")
    .option("--keyphrases <words>", "nemo: keyphrases for discovery, comma-separated")
    .option("--greeting <text>", "nemo: what it says when it joins")
    .option("--steps <how>", "nemo: full, names or off: the workflow's steps shown with its answers")
    .option("--schema <type>", "nemo: chat_stream, chat, generate_stream or generate")
    .option("--shared-session", "nemo: one workflow session for everyone, not one per person")
    .option("--patience <seconds>", "nemo: how long the workflow may take for an answer; default: 1800")
    .option("--store <file>", "discovery: where it stores known agents; default: in memory")
    .option("--agents <url...>", "discovery: agents to know")
    .option("--consult <url...>", "discovery: other discovery agents to ask")
    .option("--favorite <url>", "discovery: the agent to recommend when no task is given (0.9.3)")
    .option("--json", "one line with name, conversationalName, speakerUri and url", false)
    .addHelpText("after", agentHelp)
    .action(async (name: string, options: AgentOptions) => {
      const { serveAgent } = await import("./serve-agent.ts");
      finish(await serveAgent(name, options, io));
    });
}

const agentHelp = `
Agents:
${agents.map(([name, does]) => `  ${name.padEnd(25)}${does}`).join("\n")}

Examples:
  plenary agent echo --port 8080
  plenary agent discovery --store agents.db --agents http://127.0.0.1:8080 --consult http://127.0.0.1:8090
  plenary agent llm --url http://127.0.0.1:11434/v1 --model llama3.2
  PLENARY_LLM_KEY="$(cat key.txt)" plenary agent llm --url https://api.openai.com/v1 --model gpt-4o-mini \\
    --name Cook --instructions "You help with cooking and nothing else."
  plenary agent nemo --url ws://127.0.0.1:8000/websocket --name Travel --keyphrases "flights, hotels"

Environment of llm and nemo:
  PLENARY_LLM_KEY       the endpoint's key; not an option, because other accounts can see options
  PLENARY_NEMO_TOKEN    the token of the workflow's server
  PLENARY_NEMO_AUTH     header (Authorization: Bearer, the default) or message (auth_message)
  PLENARY_INSECURE_HTTP 1 allows sending them over plain http or ws beyond this machine

Exit code: 0 stopped, 2 wrong usage, or it could not listen.`;
