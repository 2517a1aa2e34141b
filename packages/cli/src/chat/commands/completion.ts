import { exportFormats, peopleMatching, typedMention } from "@plenary/transcript";
import type { Participant } from "../participants.ts";
import { type ArgumentKind, type Command, commandNamed, commands, parseInput } from "./commands.ts";

export type CompletionSource = {
  participants: readonly Participant[];
  /** Names of agents that can be invited. */
  agents: readonly string[];
  /** Short names of the floor's built-in conveners. */
  conveners: readonly string[];
};

/** The part before the cursor that Tab replaces, and its candidates. */
export type Completion = { part: string; candidates: readonly string[] };

export function complete(text: string, known: CompletionSource): Completion {
  const slash = /^\/([\p{L}-]*)$/u.exec(text);
  if (slash !== null) return { part: text, candidates: commandsLike(slash[1] ?? "") };
  const [, name = "", rest] = /^\/([\p{L}-]+)\s+(.*)$/su.exec(text) ?? [];
  const command: Command | undefined = commandNamed(name.toLowerCase());
  if (rest !== undefined && command?.takes !== undefined) return completeRest(command.takes, rest, known);
  // Mentions only count in text, not in commands.
  const mention = parseInput(text).kind === "words" ? typedMention(text, text.length) : undefined;
  return mention === undefined ? nothing : namesLike(mention.query, known.participants);
}

function commandsLike(typed: string): string[] {
  return commands.flatMap(({ name, ...command }) => {
    if (!name.startsWith(typed.toLowerCase())) return [];
    return [`/${name}${"takes" in command ? " " : ""}`];
  });
}

function completeRest(
  takes: ArgumentKind,
  rest: string,
  { participants, agents, conveners }: CompletionSource,
): Completion {
  const begins = (names: readonly string[]) => {
    const wanted = rest.toLowerCase();
    return { part: rest, candidates: names.filter((one) => one.toLowerCase().startsWith(wanted)) };
  };
  switch (takes) {
    case "agent":
      return begins(agents);
    case "name-or-agent":
      return begins(uniqueIgnoringCase([...conveners, ...participants.map(({ name }) => name), ...agents, "none"]));
    case "name":
    case "name-text": {
      const found = namesLike(rest.replace(/^@/u, ""), participants);
      // After a complete name the rest is free text.
      return participants.some(({ name }) => rest.toLowerCase().startsWith(`${name.toLowerCase()} `)) ? nothing : found;
    }
    case "command":
      return begins(commands.map(({ name }) => name));
    case "format":
      return begins(exportFormats);
    case "text":
      return nothing;
  }
}

/** Of names that differ only in case, keeps the first. */
function uniqueIgnoringCase(names: readonly string[]): string[] {
  return [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()].toReversed();
}

const nothing: Completion = { part: "", candidates: [] };

function namesLike(typed: string, participants: readonly Participant[]): Completion {
  return { part: typed, candidates: peopleMatching(participants, typed).map(({ name }) => `${name} `) };
}
