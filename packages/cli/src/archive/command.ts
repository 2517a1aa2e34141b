import type { ExportFormat } from "@plenary/transcript";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { floorOption, speakerUriOf, storeOption } from "../options.ts";
import type { ExportCommandOptions } from "./export.ts";
import type { VerifyOptions } from "./verify.ts";

export function addExport(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("export")
    .summary("export a conversation")
    .description("Writes a conversation as one reader may see it. Without a conversation it lists all conversations.")
    .addArgument(new Argument("[conversation]", "its id, an id prefix, or its title"))
    .addOption(new Option("--format <format>", "what to write").choices(Object.keys(formats)).default("markdown"))
    .option("--speaker <uri>", "as this conversant sees it; default: without whispers", speakerUriOf)
    .option("-o, --output <file>", "write to this file atomically instead of stdout")
    .addOption(floorOption())
    .addOption(storeOption())
    .addOption(
      new Option("--complete", "the complete log from the store, whispers included: jsonl for plenary import")
        .default(false)
        .conflicts(["speaker", "floor"]),
    )
    .addHelpText("after", exportHelp)
    .action(async (conversation: string | undefined, options: ExportCommandOptions, command: Command) => {
      const isNamed = command.getOptionValueSource("format") === "cli";
      if (options.complete && isNamed && options.format !== "jsonl") {
        return command.error("error: --complete writes jsonl only");
      }
      const { exportCommand } = await import("./export.ts");
      finish(await exportCommand(conversation, options, io));
    });
}

// Listed here so that help does not load the transcript package; the type keeps it complete.
const formats: Readonly<Record<ExportFormat, true>> = { html: true, markdown: true, mermaid: true, jsonl: true };

const exportHelp = `
Examples:
  plenary export
  plenary export "Birds" --format html -o birds.html
  plenary export 5v0c2m8q --format markdown --speaker tag:ann.example,2026:ann
  plenary export 5v0c2m8q --complete -o birds.jsonl      for plenary import

Without a running floor the store is read. The html page is self-contained and fetches nothing. markdown, mermaid and html
have at most the last 20,000 entries.
Exit code: 0 written, 1 there is no such conversation, 2 wrong usage, or a file that cannot be read or written.`;

export function addImport(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("import")
    .summary("import a conversation into a store")
    .description("Imports a file of plenary export --complete into a store that no floor is using.")
    .argument("<file>", "the file; - reads stdin")
    .option("--id <id>", "the conversation's new id; default: its old id", idOf)
    .addOption(storeOption())
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

The import is atomic and changes no existing conversation. Pending deliveries are not sent; they count as not delivered.
Keys, links and requests are not part of a conversation.
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
  plenary verify --json | jq -r .head     keep it elsewhere: it proves later that no entries were cut off

A store that is in use can be verified too.
Exit code: 0 nothing was changed, 1 something was changed, 2 wrong usage or an unreadable file.`;
