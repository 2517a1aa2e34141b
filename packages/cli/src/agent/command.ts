import type { Command } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { collectOrigin, portOf, publicUrlOf, speakerUriOf } from "../options.ts";
import type { AgentOptions } from "./serve-agent.ts";

// Written here, because the agents bring libraries that nobody waits for who only wants to read the help.
const agents: readonly [name: string, does: string][] = [
  ["guide", "teaches the floor, and answers questions about it"],
  ["clock", "tells times and dates, all over the world"],
  ["calculator", "calculates, with units"],
  ["scribe", "remembers who said what, sums it up and exports it"],
  ["discovery", "knows agents, and recommends them for what is needed"],
  ["interviewer", "asks questions with choices"],
  ["echo", "repeats what it hears"],
  ["convener-open", "chairs: everybody may speak"],
  ["convener-queue", "chairs: who raises a hand speaks in turn"],
  ["convener-round-robin", "chairs: each speaks in the order of coming"],
  ["convener-moderated", "chairs: nobody speaks before the owner says yes"],
  ["convener-single-speaker", "chairs: one speaks at a time, for a minute"],
  ["convener-budget", "chairs: who speaks too much or too fast loses the floor"],
  ["llm", "answers with any model behind an OpenAI-compatible endpoint"],
  ["convener-llm", "chairs: such a model decides what is left to judgement, the queue all else"],
  ["nemo", "answers with a workflow of the NeMo Agent Toolkit, wherever it is served"],
];

export function addAgent(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("agent")
    .summary("serve one ready-made agent")
    .description("Serves one ready-made agent that any floor can invite.")
    .argument("<name>", agents.map(([name]) => name).join(", "))
    .option("--port <number>", "the port to listen on; 0 takes a free one, the same every time", portOf, 0)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--public-url <url>", "the address that others reach it at, such as behind a proxy", publicUrlOf)
    .option("--speaker <uri>", "how it signs; without it a unique name is made and kept in .plenary", speakerUriOf)
    .option(
      "--allow-origin <url>",
      "a web page that may call it; may be given again; default: every page",
      collectOrigin,
    )
    .option("--url <url>", "llm: the base URL of the endpoint (PLENARY_LLM_URL); nemo: of the workflow")
    .option("--model <model>", "llm: the model, as its server names it (PLENARY_LLM_MODEL)")
    .option("--name <name>", "llm, nemo: what people call it; default: from the model, or Workflow (PLENARY_LLM_NAME)")
    .option("--instructions <text>", "llm: what it is for, or @FILE (PLENARY_LLM_INSTRUCTIONS)")
    .option(
      "--policy <policy>",
      "llm, nemo: addressed, or open: also when a person speaks to everyone (PLENARY_LLM_POLICY)",
    )
    .option("--takes <layers>", "llm, nemo: what it reads, such as text,image,audio,video (PLENARY_LLM_TAKES)")
    .option("--synopsis <text>", "nemo: what it does, for its manifest")
    .option("--keyphrases <words>", "nemo: what it is found by, with commas between them")
    .option("--greeting <text>", "nemo: what it says when it comes")
    .option("--steps <how>", "nemo: full, names or off: what the workflow did, beside its answers")
    .option("--schema <type>", "nemo: chat_stream, chat, generate_stream or generate")
    .option("--shared-session", "nemo: one session of the workflow for everybody, not one for each person")
    .option("--patience <seconds>", "nemo: how long the workflow may work on an answer; default: 1800")
    .option("--store <file>", "discovery: where it keeps the agents it knows; default: in memory")
    .option("--agents <url...>", "discovery: agents to know")
    .option("--consult <url...>", "discovery: other discovery agents to ask")
    .option("--favorite <url>", "discovery: whom to propose to somebody who names no task (0.9.3)")
    .option("--json", "one line with name, conversationalName, speakerUri and url", false)
    .showHelpAfterError("Help: plenary agent --help")
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
  PLENARY_LLM_KEY       the key of the endpoint; never an option, because other accounts can see those
  PLENARY_NEMO_TOKEN    the same for the server of the workflow
  PLENARY_NEMO_AUTH     header (Authorization: Bearer, the default) or message (its auth_message)
  PLENARY_INSECURE_HTTP 1 lets them be sent over plain http or ws beyond this machine

Exit code: 0 stopped, 2 wrong usage, or it could not listen.`;
