import type { Command } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { floorOption, storeOption } from "../options.ts";
import type { ChatOptions } from "./chat.ts";

export function addChat(program: Command, io: Io, finish: (exitCode: ExitCode) => void, version: () => string): void {
  program
    .command("chat")
    .summary("talk with agents in the terminal")
    .description("Starts a conversation in the terminal with the given agents, or with the floor's default agents.")
    .argument("[agent...]", "URLs of agents to invite, or names of agents the floor knows")
    .option("--conversation <id>", "continue this conversation: its id, an id prefix, or its title")
    .option("--last", "continue the last conversation", false)
    .option("--title <text>", "the title of a new conversation")
    .option("--name <name>", "your name in a new conversation")
    .option("--speaker <uri>", "which speaker you are, if your key speaks for several")
    .addOption(floorOption())
    .addOption(storeOption())
    .option("--json", "for scripts: one JSON value per line, both ways", false)
    .addHelpText("after", chatHelp)
    .action(async (agents: string[], options: ChatOptions, command: Command) => {
      if (options.last && options.conversation !== undefined) command.error("error: give --last or --conversation");
      const { chat } = await import("./chat.ts");
      finish(await chat(agents, options, io, version()));
    });
}

const chatHelp = `
Examples:
  plenary chat
  plenary chat http://127.0.0.1:8080/ clock
  plenary chat --last
  plenary chat --floor https://floor.example --conversation "Budget"
  echo "what time is it in Tokyo?" | plenary chat --json | jq -r '.event.parameters.dialogEvent.features.text.tokens[]?.value'

Type to speak to everyone, @NAME text to address one participant, /help for the commands; Tab completes. Ctrl+C stops the
agents that are answering, Ctrl+D leaves. The web page shows the same conversations. If no floor is running, the chat opens
one and closes it at the end.

With --json each line of stdin is typed text, {"text", "to"?, "private"?} or an event; stdout has the entries of the log, and
{"told"} or {"problem"} for the output of commands. It ends when stdin has ended and all agents have answered.

Environment:
  PLENARY_URL      the floor, when --floor is not given
  PLENARY_TOKEN    the operator's token, or a speaker's key
Exit code: 0 left, 1 there is no such conversation or, with --json or without a terminal, something was refused, 2 wrong
usage, or the floor cannot be reached.`;
