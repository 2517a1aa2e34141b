import { type Command, InvalidArgumentError, Option } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { speakerUriOf, storeOption } from "../options.ts";
import type { AddKeyOptions, KeysOptions } from "./keys.ts";

export function addKeys(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  const keys = program
    .command("keys")
    .summary("manage keys and signing secrets")
    .description("Creates, lists and revokes the keys of agents and people, and the secrets that sign deliveries.")
    .helpCommand(false)
    .addHelpText("after", keysHelp);
  addAdd(keys, io, finish);
  keys
    .command("list")
    .summary("list keys, never their secrets")
    .description(
      "Lists every key, link, guest, session, page and signing secret in the store, without the secrets themselves.",
    )
    .addOption(storeOption())
    .option("--json", "one line each: kind, id, state, speakers or serviceUrl, label, createdAt, expiresAt", false)
    .addHelpText(
      "after",
      "\nExamples:\n  plenary keys list\n  plenary keys list --json | jq -r 'select(.state==\"live\").id'",
    )
    .action(async (options: KeysOptions) => {
      const { listKeys } = await import("./keys.ts");
      finish(await listKeys(options, io));
    });
  keys
    .command("revoke")
    .summary("revoke one, at once")
    .description(
      "Revokes a key, link, guest, session, page or signing secret at once; with a link, also the guests that used it.",
    )
    .argument("<id>", "as plenary keys list shows it, or the key itself")
    .addOption(storeOption())
    .option("--json", "one line: id, revoked", false)
    .addHelpText("after", revokeHelp)
    .action(async (id: string, options: KeysOptions) => {
      const { revokeKey } = await import("./keys.ts");
      finish(await revokeKey(id, options, io));
    });
}

const keysHelp = `
Examples:
  plenary keys add --speaker tag:bot.example,2026:bot
  plenary keys list
  plenary keys revoke 5v0c2m8q1x7k3j9d

A floor that runs on the same store applies changes at once.`;

const revokeHelp = `
Examples:
  plenary keys revoke 5v0c2m8q1x7k3j9d
  plenary keys revoke "$LEAKED_KEY"

Exit code: 0 revoked, 1 there is none, or it had already ended, 2 wrong usage or an unreadable file.`;

type AddOptions = Omit<AddKeyOptions, "speaker"> & { speaker?: string[]; serviceUrl?: string };

function addAdd(keys: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  const ofKeys = ["speaker", "person", "host", "label", "expires"];
  keys
    .command("add")
    .summary("create a key, or a secret that signs deliveries")
    .description("Creates a key for the given speakers, or a secret that signs deliveries to an agent.")
    .option("--speaker <uri>", "a speaker the key speaks for; repeatable", collectSpeaker)
    .option("--person", "for a person, who may host conversations; default: for an agent", false)
    .option("--host", "for an agent that starts conversations, such as a mediator with sub-floors", false)
    .option("--label <text>", "a label for the list", labelOf)
    .option("--expires <time>", "its lifetime, such as 30d, 12h or 90m, or never", lifetimeOf, "never")
    .addOption(
      new Option("--service-url <url>", "create a secret that signs deliveries to this agent")
        .argParser(serviceUrlOf)
        .conflicts(ofKeys),
    )
    .addOption(storeOption())
    .option("--json", "one line with the new key or secret, token included", false)
    .addHelpText("after", addHelp)
    .action(async ({ speaker, serviceUrl, ...options }: AddOptions, command: Command) => {
      const { addKey, addSecret } = await import("./keys.ts");
      if (serviceUrl !== undefined) return finish(await addSecret({ ...options, serviceUrl }, io));
      if (speaker === undefined) return command.error("error: give --speaker URI, or --service-url URL");
      finish(await addKey({ ...options, speaker }, io));
    });
}

const addHelp = `
Examples:
  plenary keys add --speaker tag:bot.example,2026:bot --label "the bot of team 3"
  plenary keys add --person --speaker tag:ann.example,2026:ann --expires 30d
  plenary keys add --host --speaker tag:mediator.example,2026:1
  KEY=$(plenary keys add --speaker tag:bot.example,2026:bot 2>/dev/null)
  plenary keys add --service-url https://bot.example/openfloor

The key is printed once, alone on stdout, and stored as a hash. Send it as  Authorization: Bearer KEY.
An address can have two secrets at a time: add the new one, give it to the agent, revoke the old one.
Exit code: 0 created, 1 refused, 2 wrong usage or an unreadable file.`;

function collectSpeaker(text: string, earlier: readonly string[] = []): string[] {
  return [...new Set([...earlier, speakerUriOf(text)])];
}

const textMax = 2_048;
const labelMax = 200;

function labelOf(text: string): string {
  if (text !== "" && text.length <= labelMax) return text;
  throw new InvalidArgumentError(`A label has 1 to ${labelMax} characters.`);
}

const unitsMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const lifetimeMaxMs = 3_650 * 86_400_000;

function lifetimeOf(text: string): number | "never" {
  if (text === "never") return text;
  const [, count = "", unit = ""] = /^([1-9]\d{0,6})([mhd])$/u.exec(text) ?? [];
  const ms = Number(count) * (unitsMs[unit] ?? 0);
  if (ms > 0 && ms <= lifetimeMaxMs) return ms;
  throw new InvalidArgumentError(
    "A lifetime is in minutes, hours or days, such as 90m, 12h or 30d (at most 3650d), or never.",
  );
}

function serviceUrlOf(text: string): string {
  const url = URL.canParse(text) && text.length <= textMax ? new URL(text) : undefined;
  const isAddress = url !== undefined && /^https?:$/u.test(url.protocol) && url.username === "" && url.password === "";
  if (isAddress) return text;
  throw new InvalidArgumentError("An agent's address is an http or https URL, such as https://bot.example/openfloor.");
}
