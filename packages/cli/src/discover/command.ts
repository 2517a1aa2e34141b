import { type Command, InvalidArgumentError, Option } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { floorOption, storeOption } from "../options.ts";
import type { DiscoverCommandOptions } from "./discover.ts";

export function addDiscover(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("discover")
    .summary("find an agent for what you need")
    .description("Asks discovery agents who can help, and prints the recommended agents, best first, with reasons.")
    .argument("<what-i-need...>", "in your own words")
    .option("--ask <url>", "a discovery agent to ask instead of the floor's own; repeatable", collectUrl, [])
    .option("--language <tag>", "a language it must know, such as en or pt-BR; of several, any", collectLanguage, [])
    .option("--layer <name>", "a layer it must support, such as text or audio; of several, all", collectLayer, [])
    .addOption(
      new Option("--scope <scope>", "external: agents they know; all: also themselves")
        .choices(["external", "all"])
        .default("external"),
    )
    .option("--limit <count>", "print at most this many", countOf, 10)
    .addOption(floorOption())
    .addOption(storeOption())
    .option("--json", "one line for each agent: kind, score, manifest, reasons", false)
    .addHelpText("after", discoverHelp)
    .action(async (words: string[], options: DiscoverCommandOptions, command: Command) => {
      if (options.ask.length > 0 && options.floor !== undefined) command.error("error: give --ask or --floor");
      const text = words.join(" ").trim();
      if (text === "" || text.length > textMax) {
        command.error(`error: describe what you need in 1 to ${textMax} characters`);
      }
      const { discoverCommand } = await import("./discover.ts");
      finish(await discoverCommand(text, options, io));
    });
}

const textMax = 1_000;
const listMax = 8;
const limitMax = 50;

function collectUrl(text: string, earlier: readonly string[]): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    throw new InvalidArgumentError("A discovery agent has an http or https address.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new InvalidArgumentError("Leave out the user name and password before the @.");
  }
  return collected(text, earlier);
}

function collectLanguage(text: string, earlier: readonly string[]): string[] {
  if (/^[A-Za-z0-9-]{1,35}$/u.test(text)) return collected(text, earlier);
  throw new InvalidArgumentError("A language is a tag such as en or pt-BR.");
}

function collectLayer(text: string, earlier: readonly string[]): string[] {
  if (/^[\w.+/-]{1,40}$/u.test(text)) return collected(text, earlier);
  throw new InvalidArgumentError("A layer is a name such as text or audio.");
}

function collected(text: string, earlier: readonly string[]): string[] {
  if (earlier.length < listMax) return [...earlier, text];
  throw new InvalidArgumentError(`At most ${listMax} can be given.`);
}

function countOf(text: string): number {
  if (/^\d{1,2}$/u.test(text) && Number(text) >= 1 && Number(text) <= limitMax) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${limitMax}.`);
}

const discoverHelp = `
Examples:
  plenary discover "what time is it in Tokyo"
  plenary discover "translate a letter" --language et --language fi
  plenary discover "book a table" --ask https://finder.example/openfloor
  plenary discover --json "add up numbers" | jq -r .manifest.identification.serviceUrl

Without --ask the floor asks: first its own discovery agent, then the ones it recommends, each once. Every one of them sees
your text.

Exit code: 0 found, 1 no agent found, 2 wrong usage, or no discovery agent could be asked.`;
