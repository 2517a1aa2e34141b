/** What follows a command, for completion and help. */
export type ArgumentKind = "agent" | "name" | "name-text" | "name-or-agent" | "command" | "format" | "text";

export type Command = { name: string; aliases?: readonly string[]; usage: string; does: string; takes?: ArgumentKind };

export const commands = [
  { name: "invite", usage: "/invite URL or agent", does: "bring an agent to the floor", takes: "agent" },
  {
    name: "discover",
    aliases: ["find"],
    usage: "/discover what you need",
    does: "find agents; /invite 1 then brings the first and asks it that",
    takes: "text",
  },
  {
    name: "uninvite",
    aliases: ["remove"],
    usage: "/uninvite NAME [why]",
    does: "send somebody away",
    takes: "name-text",
  },
  { name: "whisper", aliases: ["w"], usage: "/whisper NAME text", does: "speak to one alone", takes: "name-text" },
  { name: "request", aliases: ["hand"], usage: "/request", does: "ask for the floor" },
  { name: "grant", usage: "/grant NAME", does: "give somebody the floor", takes: "name" },
  { name: "revoke", usage: "/revoke NAME [why]", does: "take the floor from somebody", takes: "name-text" },
  { name: "yield", usage: "/yield", does: "give the floor back" },
  { name: "stop", usage: "/stop", does: "stop whoever is answering (as Ctrl+C does)" },
  { name: "resume", usage: "/resume", does: "let agents that were stopped go on" },
  {
    name: "answer",
    usage: "/answer text",
    does: "answer the question that waits: a number, a label, or words",
    takes: "text",
  },
  { name: "skip", usage: "/skip", does: "leave the question that waits unanswered" },
  {
    name: "allow",
    usage: "/allow [NAME]",
    does: "let an agent in that answers from another address than before",
    takes: "text",
  },
  { name: "refuse", usage: "/refuse [NAME]", does: "leave such an agent out", takes: "text" },
  { name: "who", usage: "/who", does: "who is here, who has the floor, who convenes" },
  { name: "manifests", usage: "/manifests [NAME]", does: "ask what agents can do", takes: "name" },
  {
    name: "convener",
    usage: "/convener [NAME, URL or none]",
    does: "who convenes, or who is to from now on",
    takes: "name-or-agent",
  },
  {
    name: "role",
    usage: "/role NAME [not] ROLE",
    does: "give somebody a role such as archivist, or take it",
    takes: "name-text",
  },
  {
    name: "title",
    aliases: ["rename"],
    usage: "/title text or none",
    does: "call the conversation something",
    takes: "text",
  },
  {
    name: "log",
    usage: "/log [COUNT]",
    does: "the last entries of the log, and the rules that decided",
    takes: "text",
  },
  {
    name: "raw",
    usage: "/raw [SEQ or JSON]",
    does: "show an entry as JSON, or send an event or a whole envelope written as JSON",
    takes: "text",
  },
  { name: "export", usage: "/export FORMAT [FILE]", does: "write the transcript into a file", takes: "format" },
  { name: "help", usage: "/help [command]", does: "this list", takes: "command" },
  { name: "leave", usage: "/leave", does: "say bye and go" },
  { name: "close", usage: "/close", does: "end the conversation for everyone" },
  { name: "quit", aliases: ["exit", "q"], usage: "/quit", does: "go, and come back later (as Ctrl+D does)" },
] as const satisfies readonly Command[];

export type CommandName = (typeof commands)[number]["name"];

/** What was typed: words to say, a command, or something that looks like a command and is none. */
export type ParsedInput =
  | { kind: "words"; text: string }
  | { kind: "command"; name: CommandName; rest: string }
  | { kind: "unknown"; name: string; meant: CommandName | undefined };

/** A slip of the pen must not make a whisper public: what looks like a command is never said. `//` says it all the same. */
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

/** The only one that begins so, or the one with the fewest slips. */
function nearest(typed: string): CommandName | undefined {
  if (typed === "") return undefined;
  const begun = commands.filter(({ name }) => name.startsWith(typed));
  if (begun.length === 1) return begun[0]?.name;
  const judged = commands.flatMap((command) =>
    namesOf(command).map((name) => ({ command, slips: editDistance(typed, name) })),
  );
  const best = judged.reduce((first, one) => (one.slips < first.slips ? one : first));
  return best.slips <= Math.max(1, Math.floor(typed.length / 3)) ? best.command.name : undefined;
}

/** Letters to add, drop, change or swap with their neighbour. */
function editDistance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1;
      const ways = [at(rows, row - 1, column) + 1, (line[column - 1] ?? 0) + 1, at(rows, row - 1, column - 1) + cost];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwapped) ways.push(at(rows, row - 2, column - 2) + 1);
      line.push(Math.min(...ways));
    }
    rows.push(line);
  }
  return at(rows, one.length, other.length);
}

function at(rows: readonly (readonly number[])[], row: number, column: number): number {
  return rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
}
