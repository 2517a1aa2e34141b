import type { Command, Option } from "commander";
import type { DevOptions } from "./dev.ts";
import type { ExitCode, Io } from "./io.ts";
import { portOf } from "./port-of.ts";

export function addDev(program: Command, io: Io, finish: (exitCode: ExitCode) => void, store: () => Option): void {
  program
    .command("dev")
    .summary("bring your own agent to the floor, and start it again whenever you save")
    .description(
      "Runs your agent, invites it to a conversation of the floor that runs here, starts it again whenever you save, and takes it away when you stop.",
    )
    .argument("[place]", "the agent's folder, or its file", ".")
    .option("--conversation <id>", "the conversation it joins; else the one you were in last, or a new one")
    .option("--floor <url>", "the floor's address; else the floor that runs on the store")
    .addOption(store())
    .option(
      "--port <number>",
      "the port the agent listens on, in PORT; 0 takes a free one, the same every time",
      portOf,
      0,
    )
    .option("--json", "one line for each event: joined, changed, reloaded, broken, problem, left", false)
    .showHelpAfterError("Help: plenary dev --help")
    .addHelpText("after", devHelp)
    .action(async (place: string, options: DevOptions) => {
      const { dev } = await import("./dev.ts");
      finish(await dev(place, options, io));
    });
}

const devHelp = `
Examples:
  plenary dev ../my-agent
  plenary dev ../my-agent/agent.js --conversation first
  PLENARY_TOKEN=... plenary dev --floor http://127.0.0.1:7536

The agent listens on the port in PORT, as one made by plenary new-agent does.
Exit code: 0 stopped, 2 wrong usage, no floor, or a floor that does not let it in.`;
