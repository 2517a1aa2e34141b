import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addAgent } from "./agent/command.ts";
import { addAgents } from "./agents/command.ts";
import { addExport, addImport, addVerify } from "./archive/command.ts";
import { addChat } from "./chat/command.ts";
import { addDev } from "./dev/command.ts";
import { addDiscover } from "./discover/command.ts";
import { addDoctor } from "./doctor/command.ts";
import type { ExitCode, Io } from "./io.ts";
import { addKeys } from "./keys/command.ts";
import { addNewAgent } from "./new-agent/command.ts";
import { addReplay } from "./replay/command.ts";
import { addServe } from "./serve/command.ts";
import { addConvert, addValidate } from "./validate/command.ts";
import { addWebhooks } from "./webhooks/command.ts";

/** Commander's output, buffered so that it is written in order. */
export type CommanderOutput = { out: string; err: string };

type AddCommand = (program: Command, io: Io, finish: (exitCode: ExitCode) => void, ownVersion: () => string) => void;

/** By name, in the order of the help. */
const commands: Record<string, AddCommand> = {
  serve: addServe,
  chat: addChat,
  agent: addAgent,
  "new-agent": addNewAgent,
  dev: addDev,
  validate: addValidate,
  convert: addConvert,
  export: addExport,
  import: addImport,
  replay: addReplay,
  verify: addVerify,
  agents: addAgents,
  discover: addDiscover,
  keys: addKeys,
  webhooks: addWebhooks,
  doctor: addDoctor,
};

// Only the called command is created, and it loads its modules in its action, so that the command starts fast.
export function createProgram(
  first: string | undefined,
  io: Io,
  said: CommanderOutput,
  finish: (exitCode: ExitCode) => void,
): Command {
  const program = new Command("plenary")
    .description("An open floor where people and AI agents talk. It implements Open Floor 1.1.")
    .version(ownVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        said.out += text;
      },
      writeErr: (text) => {
        said.err += text;
      },
      outputError: (text, write) => write(text.replace(/^error: /u, "plenary: ")),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", programHelp);
  const called = first !== undefined && Object.hasOwn(commands, first) ? commands[first] : undefined;
  for (const add of called === undefined ? Object.values(commands) : [called]) add(program, io, finish, ownVersion);
  nameHelpAfterErrors(program, "plenary");
  return program;
}

/** After a usage error, the name of the help that explains the command. */
function nameHelpAfterErrors(command: Command, words: string): void {
  command.showHelpAfterError(`Help: ${words} --help`);
  for (const sub of command.commands) nameHelpAfterErrors(sub, `${words} ${sub.name()}`);
}

function ownVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL(import.meta.resolve("@plenary/cli/package.json")), "utf8"),
  );
  return manifest.version;
}

const programHelp = `
Examples:
  plenary serve                               run the floor and print a link to it
  plenary chat                                talk with agents in the terminal
  plenary agent echo --port 8080              serve an agent that any floor can invite
  plenary new-agent ../my-agent               create an agent of your own
  plenary dev ../my-agent                     run it on the floor and restart it on every save
  plenary validate envelope.json              show what is wrong, where, and how to fix it
  plenary convert envelope.json --to 0.9.3    print the envelope in version 0.9.3
  plenary agents check                        check every agent the floor knows
  plenary discover "book a table"             find an agent for what you need
  plenary export "Birds" --format html        export a conversation
  plenary replay "Birds" --convener queue     replay it with another convener
  plenary verify                              check that no stored conversation was changed
  plenary keys add --speaker tag:me,2026:bot  create a key for one speaker
  plenary doctor                              show what is unsafe here and how to fix it
  plenary convert --help                      explain one command

Exit code: 0 yes, 1 no (invalid, refused), 2 wrong usage or an unreadable file.
Colours appear on a terminal only; NO_COLOR=1 turns them off.`;
