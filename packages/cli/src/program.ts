import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import { addAgent } from "./agent/command.ts";
import { addAgents } from "./agents/command.ts";
import { addChat } from "./chat/command.ts";
import { addDev } from "./dev/command.ts";
import { addDiscover } from "./discover/command.ts";
import { addDoctor } from "./doctor/command.ts";
import { addExport, addImport } from "./export/command.ts";
import type { ExitCode, Io } from "./io.ts";
import { addKeys } from "./keys/command.ts";
import { addNewAgent } from "./new-agent/command.ts";
import { storeOption } from "./place-options.ts";
import { portOf } from "./port-of.ts";
import { addReplay } from "./replay/command.ts";
import { secondsOf } from "./seconds-of.ts";
import type { ServeOptions } from "./serve.ts";
import { speakerUriOf } from "./speaker-option.ts";
import { type TargetVersion, targetVersions } from "./target-version.ts";
import type { VerifyOptions } from "./verify.ts";

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
  addServe(program, io, finish);
  addChat(program, io, finish, ownVersion);
  addAgent(program, io, finish);
  addNewAgent(program, io, finish);
  addDev(program, io, finish);
  addValidate(program, io, finish);
  addConvert(program, io, finish);
  addExport(program, io, finish);
  addImport(program, io, finish);
  addReplay(program, io, finish);
  addVerify(program, io, finish);
  addAgents(program, io, finish);
  addDiscover(program, io, finish);
  addKeys(program, io, finish);
  addDoctor(program, io, finish);
  return program;
}

function ownVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return manifest.version;
}

const programHelp = `
Examples:
  plenary serve                               run the floor and print a link to it
  plenary chat                                talk with agents in the terminal
  plenary agent echo --port 8080              serve an agent that any floor can invite
  plenary new-agent ../my-agent               make an agent of your own
  plenary dev ../my-agent                     bring it to the floor, and start it again whenever you save
  plenary validate envelope.json              say what is wrong, where, and how to mend it
  plenary convert envelope.json --to 0.9.3    print the envelope as agents of 0.9.3 read it
  plenary agents check                        ask every agent the floor knows how it is
  plenary discover "book a table"             find an agent for what you need
  plenary export "Birds" --format html        take a conversation away
  plenary replay "Birds" --convener queue     say what another convener would have made of it
  plenary verify                              check that no kept conversation was changed
  plenary keys add --speaker tag:me,2026:bot  make a key that speaks for one speaker
  plenary doctor                              say what is unsafe here and how to mend it
  plenary convert --help                      explain one command

Exit code: 0 yes, 1 no (invalid, refused), 2 wrong usage or an unreadable file.
Colours appear on a terminal only; NO_COLOR=1 turns them off.`;

function addServe(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("serve")
    .summary("run the floor")
    .description("Runs the floor and prints one link to it.")
    .option("--port <number>", "the port to listen on; 0 takes any free one, the last one if it is", portOf, 7536)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .addOption(storeOption())
    .option("--token <token>", "the operator's token; other accounts can see it here, so better set PLENARY_TOKEN")
    .option("--speaker <uri>", "how a new floor signs; without it a unique name is made and kept", speakerUriOf)
    .option("--allow-origin <url>", "a web page that may talk to this floor; may be given again", collect, [])
    .option("--agent-timeout <seconds>", "how long an agent may think before it counts as silent (120)", secondsOf)
    .option("--health-port <number>", "a port where /livez and /readyz answer, whatever else is to be done", portOf)
    .option("--no-demo", "host no ready-made agents")
    .option("--json", "one line with url, agents, store, and link and token unless others reach it", false)
    .showHelpAfterError("Help: plenary serve --help")
    .addHelpText("after", serveHelp)
    .action(async (options: ServeOptions) => {
      const { serve } = await import("./serve.ts");
      finish(await serve(options, io, ownVersion()));
    });
}

const serveHelp = `
Examples:
  plenary serve
  plenary serve --port 0 --json --store :memory:
  PLENARY_TOKEN="$(cat token.txt)" plenary serve --allow-origin http://localhost:5173

Environment:
  PLENARY_TOKEN         the operator's token; without it one is made, and kept beside the store
  PLENARY_PUBLIC_URL    the address others reach this floor at, such as https://floor.example
  PLENARY_INSECURE_HTTP 1 lets that be plain http beyond this machine
  PLENARY_PROXIES       how many proxies of yours stand before it and are believed (0 to 9)
  PLENARY_SPEAKER_URI   how a new floor signs when --speaker is not given; a store keeps its first name
  PLENARY_STORE         where conversations are kept when --store is not given
  PLENARY_ALLOW_HOSTS   hosts that may be called beside public https: bot.internal:8443,other.internal
  PLENARY_ALLOW_CIDRS   ranges that may be called: 10.1.2.0/24
  PLENARY_OIDC_ISSUER, PLENARY_OIDC_CLIENT_ID, PLENARY_OIDC_CLIENT_SECRET    people sign in with this provider
  PLENARY_OIDC_ALLOW    who of its people may: ann@example.com,@example.com,sub:ID, or * for everybody
  PLENARY_JWT_ISSUER, PLENARY_JWKS_URL, PLENARY_JWT_AUDIENCE                 whose tokens are believed
  PLENARY_JWT_TYP       the type in their headers: at+jwt or JWT; either when it is not set
  PLENARY_LLM_URL, PLENARY_LLM_MODEL, PLENARY_LLM_KEY    hosts that model as /agents/llm: plenary agent --help
  OTEL_EXPORTER_OTLP_ENDPOINT                            the collector that traces go to; without it nothing is exported

To let other machines in (--host) it must have a public address, and somebody a key: plenary keys add, plenary doctor.
Exit code: 0 stopped, 2 wrong usage, or the floor could not be opened.`;

function addVerify(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
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

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}

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
