import { type Command, InvalidArgumentError } from "commander";
import type { ExitCode, Io } from "../io.ts";
import type { NewAgentOptions } from "./new-agent.ts";
import { isName, nameMax } from "./template.ts";

export function addNewAgent(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("new-agent")
    .summary("make an agent of your own")
    .description("Makes a folder with an agent of your own and its test, ready to be changed.")
    .argument("<dir>", "a folder that is empty, or not there yet; the agent is named after it")
    .option("--name <name>", 'what people call it, such as "Travel Agent"', nameOf)
    .option("--no-install", "fetch nothing")
    .option("--json", "one line: folder, name, slug, files, installed", false)
    .showHelpAfterError("Help: plenary new-agent --help")
    .addHelpText("after", newAgentHelp)
    .action(async (dir: string, options: NewAgentOptions) => {
      const { newAgent } = await import("./new-agent.ts");
      finish(await newAgent(dir, options, io));
    });
}

const newAgentHelp = `
Examples:
  plenary new-agent ../my-agent
  plenary new-agent ../travel --name "Travel Agent"

Then: plenary dev ../my-agent
Exit code: 0 made, 1 the folder is not empty, or what it needs could not be fetched, 2 wrong usage or a broken disk.`;

function nameOf(text: string): string {
  if (isName(text)) return text;
  throw new InvalidArgumentError(`A name has 1 to ${nameMax} characters on one line, a letter or digit among them.`);
}
