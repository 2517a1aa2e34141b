import { nearestName } from "@plenary/api";
/** The argument of a command, for completion and help. */
export type ArgumentKind = "agent" | "name" | "name-text" | "name-or-agent" | "command" | "format" | "text";

export type Command = { name: string; aliases?: readonly string[]; usage: string; does: string; takes?: ArgumentKind };

export const commands = [
  { name: "invite", usage: "/invite URL or agent", does: "invite an agent", takes: "agent" },
  {
    name: "discover",
    aliases: ["find"],
    usage: "/discover what you need",
    does: "find agents; /invite 1 then invites the first and asks it that",
    takes: "text",
  },
  {
    name: "uninvite",
    aliases: ["remove"],
    usage: "/uninvite NAME [why]",
    does: "remove a participant",
    takes: "name-text",
  },
  { name: "whisper", aliases: ["w"], usage: "/whisper NAME text", does: "send a private message", takes: "name-text" },
  { name: "request", aliases: ["hand"], usage: "/request", does: "ask for the floor" },
  { name: "grant", usage: "/grant NAME", does: "give a participant the floor", takes: "name" },
  { name: "revoke", usage: "/revoke NAME [why]", does: "take the floor from a participant", takes: "name-text" },
  { name: "yield", usage: "/yield", does: "give the floor back" },
  { name: "stop", usage: "/stop", does: "stop the agents that are answering (same as Ctrl+C)" },
  { name: "resume", usage: "/resume", does: "let stopped agents continue" },
  {
    name: "answer",
    usage: "/answer text",
    does: "answer the open question: a number, a label, or text",
    takes: "text",
  },
  { name: "skip", usage: "/skip", does: "skip the open question" },
  {
    name: "allow",
    usage: "/allow [NAME]",
    does: "accept the new address of an agent that moved",
    takes: "text",
  },
  { name: "refuse", usage: "/refuse [NAME]", does: "refuse the new address", takes: "text" },
  { name: "who", usage: "/who", does: "show participants, floor and convener" },
  { name: "manifests", usage: "/manifests [NAME]", does: "ask agents for their manifests", takes: "name" },
  {
    name: "convener",
    usage: "/convener [NAME, URL or none]",
    does: "show or change the convener",
    takes: "name-or-agent",
  },
  {
    name: "role",
    usage: "/role NAME [not] ROLE",
    does: "assign a role such as archivist, or remove it",
    takes: "name-text",
  },
  {
    name: "title",
    aliases: ["rename"],
    usage: "/title text or none",
    does: "set or remove the title",
    takes: "text",
  },
  {
    name: "log",
    usage: "/log [COUNT]",
    does: "show the last entries of the log, with their rules",
    takes: "text",
  },
  {
    name: "raw",
    usage: "/raw [SEQ or JSON]",
    does: "show an entry as JSON, or send an event or envelope given as JSON",
    takes: "text",
  },
  { name: "export", usage: "/export FORMAT [FILE]", does: "write the transcript to a file", takes: "format" },
  { name: "help", usage: "/help [command]", does: "show this list", takes: "command" },
  { name: "leave", usage: "/leave", does: "leave the conversation" },
  { name: "close", usage: "/close", does: "close the conversation for everyone" },
  {
    name: "quit",
    aliases: ["exit", "q"],
    usage: "/quit",
    does: "end the chat; the conversation goes on (same as Ctrl+D)",
  },
] as const satisfies readonly Command[];

export type CommandName = (typeof commands)[number]["name"];

/** A line of input: text to say, a command, or an unknown command. */
export type ParsedInput =
  | { kind: "words"; text: string }
  | { kind: "command"; name: CommandName; rest: string }
  | { kind: "unknown"; name: string; meant: CommandName | undefined };

/** Text that looks like a command is never said: a typing error must not make a whisper public. `//` escapes the slash. */
export function parseInput(text: string): ParsedInput {
  const trimmed = text.trim();
  if (trimmed.startsWith("//")) return { kind: "words", text: trimmed.slice(1) };
  if (!trimmed.startsWith("/")) return { kind: "words", text: trimmed };
  const found = /^\/([\p{L}-]+)(?:\s+([\s\S]*))?$/u.exec(trimmed);
  const command = commandNamed(found?.[1]?.toLowerCase() ?? "");
  if (command !== undefined) return { kind: "command", name: command.name, rest: found?.[2]?.trim() ?? "" };
  const name = /^\/\s*(\S{0,20})/u.exec(trimmed)?.[1] ?? "";
  return { kind: "unknown", name, meant: nearest(/^[\p{L}-]*/u.exec(name)?.[0].toLowerCase() ?? "") };
}

export function commandNamed(name: string) {
  return commands.find((command) => namesOf(command).includes(name));
}

function namesOf(command: Command): readonly string[] {
  return [command.name, ...(command.aliases ?? [])];
}

/** The only command with this prefix, or the one with the smallest edit distance. */
function nearest(typed: string): CommandName | undefined {
  if (typed === "") return undefined;
  const begun = commands.filter(({ name }) => name.startsWith(typed));
  if (begun.length === 1) return begun[0]?.name;
  const meant = nearestName(typed, commands.flatMap(namesOf));
  return meant === undefined ? undefined : commandNamed(meant)?.name;
}
