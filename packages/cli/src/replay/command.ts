import { Argument, type Command, Option } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { floorOption, storeOption } from "../options.ts";
import type { ReplayCommandOptions } from "./replay.ts";

export function addReplay(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("replay")
    .summary("say what another convener or policy would have made of a conversation")
    .description(
      "Decides again what people and agents sent in a conversation, under another convener or policy, and prints how the floor would have gone. Nothing is written, and nobody but that convener is called.",
    )
    .addArgument(new Argument("<conversation>", "its id, the beginning of its id, or its title"))
    .option("--convener <who>", "the address of an agent, the name of a ready-made convener such as queue, or none")
    .addOption(new Option("--policy <policy>", "how the floor judges").choices(["guarded", "spec", "advisory"]))
    .addOption(storeOption())
    .addOption(floorOption().hideHelp())
    .option("--json", "one line for each difference, then one with the summary", false)
    .showHelpAfterError("Help: plenary replay --help")
    .addHelpText("after", replayHelp)
    .action(async (conversation: string, options: ReplayCommandOptions, command: Command) => {
      if (options.convener === undefined && options.policy === undefined) {
        return command.error("error: say what is to be different: --convener URL, --convener NAME or --policy POLICY");
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

What people, agents and the host did is taken as it was recorded, at its times; what the floor did, and what a convener
decides, is decided anew. With --policy alone the convener decides as it did. Answers to what would not have been sent count
as said unasked. It reads a store that is in use, too; whispers count, and nobody's words are printed.
In the strip: █ has the floor, ▒ waits for it, ─ is there without it, | was heard, x was refused.
Exit code: 0 told, 1 there is no such conversation, 2 wrong usage, or a store or convener that cannot be used.`;
