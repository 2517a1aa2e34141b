import { type Command, InvalidArgumentError, Option } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { floorOption, storeOption } from "../options.ts";
import type { AgentsOptions } from "./agents.ts";

export function addAgents(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  const agents = program
    .command("agents")
    .summary("see which agents a floor knows, and how they are")
    .description("Adds, lists, checks and removes the agents that a running floor knows.")
    .helpCommand(false)
    .showHelpAfterError("Help: plenary agents --help")
    .addHelpText("after", agentsHelp);
  const verb = (name: string, summary: string, description: string) =>
    agents
      .command(name)
      .summary(summary)
      .description(description)
      .addOption(floorOption())
      .addOption(storeOption())
      .showHelpAfterError(`Help: plenary agents ${name} --help`);
  verb(
    "add",
    "ask agents who they are and remember them",
    "Asks agents who they are and remembers them, answer or not.",
  )
    .argument("<url...>", "where each takes envelopes: its serviceUrl", collectUrl)
    .option("--json", "one line for each agent", false)
    .addHelpText("after", addHelp)
    .action(async (urls: string[], options: AgentsOptions) => {
      const { addAgents } = await import("./agents.ts");
      finish(await addAgents(urls, options, io));
    });
  verb("list", "show those it knows", "Shows the agents that the floor knows: how they are, how fast, what they speak.")
    .addOption(new Option("--health <health>", "only those in it").choices(["answering", "silent", "failing"]))
    .option("--json", "one line for each agent, with its manifest and its quirks", false)
    .addHelpText("after", listHelp)
    .action(async (options: AgentsOptions & { health?: string }) => {
      const { listAgents } = await import("./agents.ts");
      finish(await listAgents(options, io));
    });
  verb("check", "ask them now", "Asks agents who they are, now, and says what is wrong with them and what helps.")
    .argument("[url...]", "those to ask; else all that the floor knows", collectUrl)
    .option("--json", "one line for each agent", false)
    .addHelpText("after", checkHelp)
    .action(async (urls: string[] | undefined, options: AgentsOptions) => {
      const { checkAgents } = await import("./agents.ts");
      finish(await checkAgents(urls ?? [], options, io));
    });
  verb("remove", "forget some", "Forgets what the floor knows of agents. It learns anew when it meets them again.")
    .argument("<url...>", "as plenary agents list shows them", collectUrl)
    .option("--json", "one line for each: serviceUrl, removed", false)
    .addHelpText("after", removeHelp)
    .action(async (urls: string[], options: AgentsOptions) => {
      const { removeAgents } = await import("./agents.ts");
      finish(await removeAgents(urls, options, io));
    });
}

function collectUrl(text: string, earlier: readonly string[] = []): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    throw new InvalidArgumentError("An agent is at an http or https address, such as https://agent.example/openfloor.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new InvalidArgumentError("Leave out the name and the password before the @: they would be kept and shown.");
  }
  return [...earlier, text];
}

const agentsHelp = `
Examples:
  plenary agents add https://agent.example/openfloor
  plenary agents list
  plenary agents check

A floor also learns of every agent that answers an invite.`;

const addHelp = `
Examples:
  plenary agents add https://agent.example/openfloor
  plenary agents add http://127.0.0.1:8080/ --floor http://127.0.0.1:7536

Exit code: 0 remembered, 2 wrong usage, or no floor that lets you in.`;

const listHelp = `
Examples:
  plenary agents list
  plenary agents list --health failing
  plenary agents list --json | jq -r 'select(.dialect=="0.9").serviceUrl'

Exit code: 0 shown, 2 wrong usage, or no floor that lets you in.`;

const checkHelp = `
Examples:
  plenary agents check
  plenary agents check http://127.0.0.1:8080/
  plenary agents check --json | jq -r '.quirks[].fix'

Exit code: 0 all answer, 1 one does not, 2 wrong usage, or no floor that lets you in.`;

const removeHelp = `
Example:
  plenary agents remove https://agent.example/openfloor

Exit code: 0 forgotten, 1 one was not known, 2 wrong usage, or no floor that lets you in.`;
