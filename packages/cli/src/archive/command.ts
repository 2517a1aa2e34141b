import type { ExportFormat } from "@plenary/transcript";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { floorOption, speakerUriOf, storeOption } from "../options.ts";
import type { ExportCommandOptions } from "./export.ts";
import type { VerifyOptions } from "./verify.ts";

export function addExport(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("export")
    .summary("take a conversation away")
    .description("Writes a conversation as one reader may see it. Without a conversation it lists those there are.")
    .addArgument(new Argument("[conversation]", "its id, the beginning of its id, or its title"))
    .addOption(new Option("--format <format>", "what to write").choices(Object.keys(formats)).default("markdown"))
    .option("--speaker <uri>", "as this conversant sees it; without it no whisper is shown", speakerUriOf)
    .option("-o, --output <file>", "write to this file, whole or not at all, instead of stdout")
    .addOption(floorOption())
    .addOption(storeOption())
    .addOption(
      new Option("--complete", "the log as it is kept, whispers included, from the store: jsonl for plenary import")
        .default(false)
        .conflicts(["speaker", "floor"]),
    )
    .showHelpAfterError("Help: plenary export --help")
    .addHelpText("after", exportHelp)
    .action(async (conversation: string | undefined, options: ExportCommandOptions, command: Command) => {
      const isNamed = command.getOptionValueSource("format") === "cli";
      if (options.complete && isNamed && options.format !== "jsonl") {
        return command.error("error: --complete writes jsonl and nothing else");
      }
      const { exportCommand } = await import("./export.ts");
      finish(await exportCommand(conversation, options, io));
    });
}

// Named here so that help need not load the floor; the compiler holds it to those there are.
const formats: Readonly<Record<ExportFormat, true>> = { html: true, markdown: true, mermaid: true, jsonl: true };

const exportHelp = `
Examples:
  plenary export
  plenary export "Birds" --format html -o birds.html
  plenary export 5v0c2m8q --format markdown --speaker tag:ann.example,2026:ann
  plenary export 5v0c2m8q --complete -o birds.jsonl      to be read by plenary import

Where no floor runs, the store itself is read. A page (html) holds all it shows and fetches nothing. markdown, mermaid and
html tell at most the last 20,000 entries.
Exit code: 0 written, 1 there is no such conversation, 2 wrong usage, or what cannot be read or written.`;

export function addImport(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("import")
    .summary("read a conversation into a store")
    .description("Reads a conversation that plenary export --complete has written into a store that no floor is using.")
    .argument("<file>", "the file; - reads stdin")
    .option("--id <id>", "the id it has here; without it the one it had", idOf)
    .addOption(storeOption())
    .showHelpAfterError("Help: plenary import --help")
    .addHelpText("after", importHelp)
    .action(async (file: string, options: { id?: string; store?: string }) => {
      const { importCommand } = await import("./import.ts");
      finish(await importCommand(file, options, io));
    });
}

const importHelp = `
Examples:
  plenary import birds.jsonl
  plenary import birds.jsonl --store other.db --id birds-2

All of it is written or nothing, and nothing that is there is changed. What was on its way to somebody is not sent from
here: it counts as not reached. Keys, links and requests are not part of a conversation.
Exit code: 0 imported, 1 refused (the file is not complete, or the id is taken), 2 wrong usage or an unreadable file.`;

const idMax = 200;

function idOf(text: string): string {
  if (text !== "" && text.length <= idMax && !/\p{Cc}/u.test(text)) return text;
  throw new InvalidArgumentError(`An id has 1 to ${idMax} characters.`);
}

export function addVerify(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("verify")
    .summary("check that no conversation in the store was changed")
    .description(
      "Reads every log in the store from its first entry and checks its hash chain, numbering and snapshots.",
    )
    .addOption(storeOption())
    .option("--json", "one line per conversation: conversation, ok, entries, erased, head, problem", false)
    .showHelpAfterError("Help: plenary verify --help")
    .addHelpText("after", verifyHelp)
    .action(async (options: VerifyOptions) => {
      const { verify } = await import("./verify.ts");
      finish(await verify(options, io));
    });
}

const verifyHelp = `
Examples:
  plenary verify
  plenary verify --store backup.db
  plenary verify --json | jq -r .head     to be kept elsewhere: it proves later that no end was cut off

It reads a store that is in use, too.
Exit code: 0 all as it was written, 1 something was changed, 2 wrong usage or an unreadable file.`;
