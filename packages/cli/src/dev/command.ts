import type { Command } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { floorOption, portOf, storeOption } from "../options.ts";
import type { DevOptions } from "./dev.ts";

export function addDev(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("dev")
    .summary("run your own agent on the floor and restart it on every save")
    .description(
      "Runs your agent, invites it to a conversation on the floor of this machine, restarts it on every save, and uninvites it when you stop.",
    )
    .argument("[place]", "the agent's folder, or its file", ".")
    .option(
      "--conversation <id>",
      "where it joins: an id, an id prefix or a title; default: your last conversation, or a new one",
    )
    .option("--speaker <uri>", "which speaker you are, if your key speaks for several")
    .addOption(floorOption())
    .addOption(storeOption())
    .option("--port <number>", "the agent's port, passed in PORT; 0 takes a free port, the same every time", portOf, 0)
    .option("--json", "one line for each event: joined, changed, reloaded, broken, problem, left", false)
    .addHelpText("after", devHelp)
    .action(async (place: string, options: DevOptions) => {
      const { dev } = await import("./dev.ts");
      finish(await dev(place, options, io));
    });
}

const devHelp = `
Examples:
  plenary dev ../my-agent
  plenary dev ../my-agent/agent.js --conversation "First steps"
  PLENARY_TOKEN=... plenary dev --floor http://127.0.0.1:7536

The agent listens on the port in PORT, as one made by plenary new-agent does.
Exit code: 0 stopped, 1 there is no such conversation, 2 wrong usage, no floor, or a floor that refuses it.`;
