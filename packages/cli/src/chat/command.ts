import type { Command } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { floorOption, storeOption } from "../options.ts";
import type { ChatOptions } from "./chat.ts";

export function addChat(program: Command, io: Io, finish: (exitCode: ExitCode) => void, version: () => string): void {
  program
    .command("chat")
    .summary("talk with agents in the terminal")
    .description("A conversation in the terminal with the agents at those URLs, or with some that every floor has.")
    .argument("[agent...]", "URLs of agents to invite, or names of agents that the floor knows")
    .option("--conversation <id>", "go on with this one: its id, the beginning of its id, or its title")
    .option("--last", "go on with the last one", false)
    .option("--title <text>", "what a new conversation is called")
    .option("--name <name>", "what you are called in a new conversation")
    .option("--speaker <uri>", "the speaker you are, if you may speak for several")
    .addOption(floorOption())
    .addOption(storeOption())
    .option("--json", "for scripts: one JSON value per line, both ways", false)
    .showHelpAfterError("Help: plenary chat --help")
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

Type to speak to everyone, @NAME text to speak to one of them, /help for the commands; Tab completes. Ctrl+C stops whoever is
answering, Ctrl+D leaves. The same conversations are on the floor's page. Where no floor runs, one is
opened for as long as the chat lasts.

With --json each line of stdin is typed text, {"text", "to"?, "private"?} or an event; stdout has the entries of the log, and
{"told"} or {"problem"} for what commands say. It ends when stdin has ended and nobody is at work any more.

Environment:
  PLENARY_URL      the floor, when --floor is not given
  PLENARY_TOKEN    the operator's token, or the key of one speaker
Exit code: 0 left, 1 there is no such conversation or, with --json or without a terminal, something was refused, 2 wrong
usage, or no floor could be reached.`;
