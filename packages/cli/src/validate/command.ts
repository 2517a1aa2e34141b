import { type Command, Option } from "commander";
import type { ExitCode, Io } from "../io.ts";
import type { ConvertOptions, TargetVersion } from "./convert.ts";

export function addValidate(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("validate")
    .summary("check envelopes, manifests and dialog events of any version")
    .description("Checks envelopes, manifests and dialog events of any version, recognised by shape.")
    .argument("<file...>", "JSON files; - reads stdin")
    .option("--json", "one JSON value per file and line: file, valid, kind, version, issues", false)
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

A document without errors is valid. A warning breaks the specification as official samples or known agents do.
Exit code: 0 all valid, 1 some invalid, 2 wrong usage or an unreadable file.`;

export function addConvert(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  const versions = new Option("--to <version>", "the version to write")
    .choices(Object.keys(targets))
    .makeOptionMandatory();
  program
    .command("convert")
    .summary("convert an envelope to another version")
    .description("Converts an envelope of any version to another one. Losses are printed on stderr.")
    .argument("<file>", "JSON file; - reads stdin")
    .addOption(versions)
    .option("-o, --output <file>", "write to this file atomically instead of stdout")
    .option("--json", "one line with the envelope and its losses", false)
    .addHelpText("after", convertHelp)
    .action(async (file: string, options: ConvertOptions) => {
      const { convert } = await import("./convert.ts");
      finish(await convert(file, options, io));
    });
}

// Listed here so that help does not load the protocol package; the type keeps it complete.
const targets: Readonly<Record<TargetVersion, true>> = { "0.9.3": true, "1.0.0": true, "1.1.0": true, "1.1.1": true };

const convertHelp = `
Examples:
  plenary convert envelope.json --to 0.9.3
  plenary convert legacy.json --to 1.1.0 -o envelope.json
  plenary convert - --to 1.0.0 < envelope.json
  plenary convert --json envelope.json --to 0.9.3 | jq .losses

Small faults are repaired and reported on stderr. An envelope that cannot be repaired is refused.
Exit code: 0 converted, 1 refused, 2 wrong usage, or a file that cannot be read or written.`;
