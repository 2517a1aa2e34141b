import type { Command } from "commander";
import type { ExitCode, Io } from "../io.ts";
import type { NewAgentOptions } from "./new-agent.ts";

export function addNewAgent(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("new-agent")
    .summary("create an agent of your own")
    .description("Creates a folder with an agent and its test, for you to change.")
    .argument("<dir>", "an empty or new folder; the agent is named after it")
    .option("--name <name>", 'its display name, such as "Travel Agent"')
    .option("--no-install", "do not run npm install")
    .option("--json", "one line: folder, name, slug, files, installed", false)
    .addHelpText("after", newAgentHelp)
    .action(async (dir: string, options: NewAgentOptions, command: Command) => {
      const { isName, nameMax } = await import("./template.ts");
      if (options.name !== undefined && !isName(options.name)) {
        command.error(`error: A name has 1 to ${nameMax} characters on one line, with at least one letter or digit.`);
      }
      const { newAgent } = await import("./new-agent.ts");
      finish(await newAgent(dir, options, io));
    });
}

const newAgentHelp = `
Examples:
  plenary new-agent ../my-agent
  plenary new-agent ../travel --name "Travel Agent"

Then: plenary dev ../my-agent
Exit code: 0 created, 1 the folder is not empty, or npm install failed, 2 wrong usage, or files cannot be written.`;
