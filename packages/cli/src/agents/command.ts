import { type Command, InvalidArgumentError, Option } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { floorOption, storeOption } from "../options.ts";
import type { AgentsOptions } from "./agents.ts";

export function addAgents(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  const agents = program
    .command("agents")
    .summary("manage the agents a floor knows")
    .description("Adds, lists, checks and removes the agents that a running floor knows.")
    .helpCommand(false)
    .addHelpText("after", agentsHelp);
  const verb = (name: string, summary: string, description: string) =>
    agents.command(name).summary(summary).description(description).addOption(floorOption()).addOption(storeOption());
  verb(
    "add",
    "add agents and ask for their manifests",
    "Adds agents and asks for their manifests. An agent that does not answer is added too.",
  )
    .argument("<url...>", "the serviceUrl of each agent", collectUrl)
    .option("--json", "one line for each agent", false)
    .addHelpText("after", addHelp)
    .action(async (urls: string[], options: AgentsOptions) => {
      const { addAgents } = await import("./agents.ts");
      finish(await addAgents(urls, options, io));
    });
  verb("list", "list known agents", "Lists the agents the floor knows, with health, latency and protocol version.")
    .addOption(
      new Option("--health <health>", "only agents with this health").choices(["answering", "silent", "failing"]),
    )
    .option("--json", "one line for each agent, with its manifest and quirks", false)
    .addHelpText("after", listHelp)
    .action(async (options: AgentsOptions & { health?: "answering" | "silent" | "failing" }) => {
      const { listAgents } = await import("./agents.ts");
      finish(await listAgents(options, io));
    });
  verb("check", "check agents now", "Checks agents now and prints what is wrong with them and how to fix it.")
    .argument("[url...]", "the agents to check; default: all the floor knows", collectUrl)
    .option("--json", "one line for each agent", false)
    .addHelpText("after", checkHelp)
    .action(async (urls: string[] | undefined, options: AgentsOptions) => {
      const { checkAgents } = await import("./agents.ts");
      finish(await checkAgents(urls ?? [], options, io));
    });
  verb(
    "remove",
    "remove known agents",
    "Removes agents from the floor's list. An agent is added again when it answers an invite.",
  )
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
    throw new InvalidArgumentError("An agent has an http or https address, such as https://agent.example/openfloor.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new InvalidArgumentError(
      "Leave out the user name and password before the @: they would be stored and shown.",
    );
  }
  return [...earlier, text];
}

const agentsHelp = `
Examples:
  plenary agents add https://agent.example/openfloor
  plenary agents list
  plenary agents check

A floor also adds every agent that answers an invite.`;

const addHelp = `
Examples:
  plenary agents add https://agent.example/openfloor
  plenary agents add http://127.0.0.1:8080/ --floor http://127.0.0.1:7536

Exit code: 0 added, 2 wrong usage, or no floor that accepts your token.`;

const listHelp = `
Examples:
  plenary agents list
  plenary agents list --health failing
  plenary agents list --json | jq -r 'select(.dialect=="0.9").serviceUrl'

Exit code: 0 listed, 2 wrong usage, or no floor that accepts your token.`;

const checkHelp = `
Examples:
  plenary agents check
  plenary agents check http://127.0.0.1:8080/
  plenary agents check --json | jq -r '.quirks[].fix'

Exit code: 0 all answer, 1 one does not, 2 wrong usage, or no floor that accepts your token.`;

const removeHelp = `
Example:
  plenary agents remove https://agent.example/openfloor

Exit code: 0 removed, 1 one was not known, 2 wrong usage, or no floor that accepts your token.`;
