import { exportFormats, peopleMatching, typedMention } from "@plenary/transcript";
import type { Person } from "../participants.ts";
import { type Command, commandNamed, commands, readTyped, type Takes } from "./commands.ts";

export type Known = {
  people: readonly Person[];
  /** Agents that can be invited, by their names. */
  agents: readonly string[];
  /** Ready-made conveners of this floor, by their short names. */
  conveners: readonly string[];
};

/** What a Tab may make of the text before the cursor: the part that is replaced, and what may stand in its place. */
export type Completion = { part: string; candidates: readonly string[] };

export function complete(text: string, known: Known): Completion {
  const slash = /^\/([\p{L}-]*)$/u.exec(text);
  if (slash !== null) return { part: text, candidates: commandsLike(slash[1] ?? "") };
  const [, name = "", rest] = /^\/([\p{L}-]+)\s+(.*)$/su.exec(text) ?? [];
  const command: Command | undefined = commandNamed(name.toLowerCase());
  if (rest !== undefined && command?.takes !== undefined) return completeRest(command.takes, rest, known);
  // Only what is said addresses somebody.
  const mention = readTyped(text).kind === "words" ? typedMention(text, text.length) : undefined;
  return mention === undefined ? nothing : namesLike(mention.query, known.people);
}

function commandsLike(typed: string): string[] {
  return commands.flatMap(({ name, ...command }) => {
    if (!name.startsWith(typed.toLowerCase())) return [];
    return [`/${name}${"takes" in command ? " " : ""}`];
  });
}

function completeRest(takes: Takes, rest: string, { people, agents, conveners }: Known): Completion {
  const begins = (names: readonly string[]) => {
    const wanted = rest.toLowerCase();
    return { part: rest, candidates: names.filter((one) => one.toLowerCase().startsWith(wanted)) };
  };
  switch (takes) {
    case "agent":
      return begins(agents);
    case "name-or-agent":
      return begins(unlike([...conveners, ...people.map(({ name }) => name), ...agents, "none"]));
    case "name":
    case "name-text": {
      const found = namesLike(rest.replace(/^@/u, ""), people);
      // Whoever is named already is spoken to from here on.
      return people.some(({ name }) => rest.toLowerCase().startsWith(`${name.toLowerCase()} `)) ? nothing : found;
    }
    case "command":
      return begins(commands.map(({ name }) => name));
    case "format":
      return begins(exportFormats);
    case "text":
      return nothing;
  }
}

/** Of names that differ in their case alone, the first will do. */
function unlike(names: readonly string[]): string[] {
  return [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()].toReversed();
}

const nothing: Completion = { part: "", candidates: [] };

function namesLike(typed: string, people: readonly Person[]): Completion {
  return { part: typed, candidates: peopleMatching(people, typed).map(({ name }) => `${name} `) };
}
