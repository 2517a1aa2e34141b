import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import type { ExitCode, Io } from "./io.ts";
import { type TargetVersion, targetVersions } from "./target-version.ts";

/** What commander says while it parses, kept until it can be written in order. */
export type Said = { out: string; err: string };

// A command loads its own modules when it is called: help and mistyped commands answer at once.
export function createProgram(io: Io, said: Said, finish: (exitCode: ExitCode) => void): Command {
  const program = new Command("plenary")
    .description("The reference implementation of the Open Floor Protocol.")
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
    .showHelpAfterError("Help: plenary --help")
    .addHelpText("after", programHelp);
  addValidate(program, io, finish);
  addConvert(program, io, finish);
  return program;
}

function ownVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return manifest.version;
}

const programHelp = `
Examples:
  plenary validate envelope.json              say what is wrong, where, and how to mend it
  plenary convert envelope.json --to 0.9.3    print the envelope as agents of 0.9.3 read it
  plenary convert --help                      explain one command

Exit code: 0 yes, 1 no (invalid, refused), 2 wrong usage or an unreadable file.
Colours appear on a terminal only; NO_COLOR=1 turns them off.`;

function addValidate(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("validate")
    .summary("check envelopes, manifests and dialog events of any version")
    .description("Checks envelopes, manifests and dialog events of any version, recognised by shape.")
    .argument("<file...>", "JSON files; - reads stdin")
    .option("--json", "one JSON value per file and line: file, valid, kind, version, issues", false)
    .showHelpAfterError("Help: plenary validate --help")
    .addHelpText("after", validateHelp)
    .action(async (files: string[], options: { json: boolean }, command: Command) => {
      if (files.filter((file) => file === "-").length > 1) command.error("error: stdin (-) can be read only once");
      const { validate } = await import("./validate.ts");
      finish(await validate(files, options, io));
    });
}

const validateHelp = `
Examples:
  plenary validate envelope.json
  plenary validate agents/*.json
  curl -s https://example.com/envelope.json | plenary validate -
  plenary validate --json envelope.json | jq '.issues[].problem'

A document is valid when it has no error. Warnings are what official samples or known agents do against the text.
Exit code: 0 all valid, 1 some invalid, 2 wrong usage or an unreadable file.`;

function addConvert(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  const versions = new Option("--to <version>", "the version to write").choices(targetVersions).makeOptionMandatory();
  program
    .command("convert")
    .summary("translate an envelope into another version")
    .description("Translates an envelope of any version into another one. What is lost is told on stderr.")
    .argument("<file>", "JSON file; - reads stdin")
    .addOption(versions)
    .option("-o, --output <file>", "write to this file, whole or not at all, instead of stdout")
    .option("--json", "one line with the envelope and its losses", false)
    .showHelpAfterError("Help: plenary convert --help")
    .addHelpText("after", convertHelp)
    .action(async (file: string, { to, output, json }: { to: TargetVersion; output?: string; json: boolean }) => {
      const { convert } = await import("./convert.ts");
      finish(await convert(file, { to, output, json }, io));
    });
}

const convertHelp = `
Examples:
  plenary convert envelope.json --to 0.9.3
  plenary convert legacy.json --to 1.1.0 -o envelope.json
  plenary convert - --to 1.0.0 < envelope.json
  plenary convert --json envelope.json --to 0.9.3 | jq .losses

Small faults are repaired on the way and told on stderr. An envelope that cannot be repaired is refused.
Exit code: 0 converted, 1 refused, 2 wrong usage, or a file that cannot be read or written.`;
