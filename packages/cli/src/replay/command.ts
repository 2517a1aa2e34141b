import { Argument, type Command, Option } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { floorOption, storeOption } from "../options.ts";
import type { ReplayCommandOptions } from "./replay.ts";

export function addReplay(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("replay")
    .summary("replay a conversation with another convener or policy")
    .description(
      "Replays the recorded input of a conversation with another convener or policy, and prints what would have been different. Nothing is written, and only that convener is called.",
    )
    .addArgument(new Argument("<conversation>", "its id, an id prefix, or its title"))
    .option("--convener <who>", "an agent's URL, a built-in convener such as queue, or none")
    .addOption(new Option("--policy <policy>", "the floor's policy").choices(["guarded", "spec", "advisory"]))
    .addOption(storeOption())
    .addOption(floorOption().hideHelp())
    .option("--json", "one line for each difference, then one with the summary", false)
    .addHelpText("after", replayHelp)
    .action(async (conversation: string, options: ReplayCommandOptions, command: Command) => {
      if (options.convener === undefined && options.policy === undefined) {
        return command.error("error: give --convener URL, --convener NAME or --policy POLICY");
      }
      const { replayCommand } = await import("./replay.ts");
      finish(await replayCommand(conversation, options, io));
    });
}

const replayHelp = `
Examples:
  plenary replay "Birds" --convener queue
  plenary replay 5v0c2m8q --convener http://127.0.0.1:8080/
  plenary replay 5v0c2m8q --convener none
  plenary replay 5v0c2m8q --policy spec --json | jq -c 'select(.kind == "utterance")'

The input of people, agents and the host is taken from the log, with its times; the decisions of the floor and the convener
are made again. With --policy alone the recorded convener's decisions are kept. An answer to a message that would not have
been sent counts as unprompted. The store may be in use. Whispers count; no message text is printed.
In the timeline: █ has the floor, ▒ waits for it, ─ is present without it, | was heard, x was refused.
Exit code: 0 replayed, 1 there is no such conversation, 2 wrong usage, or a store or convener that cannot be used.`;
