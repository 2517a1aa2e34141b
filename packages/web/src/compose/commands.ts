import { type Mentionable, namedAt } from "@plenary/transcript";

export type CommandName = "invite" | "whisper" | "hand" | "yield" | "stop" | "rename" | "leave" | "help";

export type Command = {
  name: CommandName;
  does: string;
  /** What follows it, in one word. */
  takes?: string;
  /** Chosen from the list it is only written out: it is done by one more Enter. */
  isGrave?: true;
};

const commands: readonly Command[] = [
  { name: "invite", does: "Bring an agent to the floor", takes: "address" },
  { name: "whisper", does: "Speak to one conversant alone", takes: "name" },
  { name: "hand", does: "Raise your hand for the floor" },
  { name: "yield", does: "Give the floor back" },
  { name: "stop", does: "Stop whoever is answering" },
  { name: "rename", does: "Give the conversation a title", takes: "title" },
  { name: "leave", does: "Leave this conversation", isGrave: true },
  { name: "help", does: "Keys and commands" },
];

/** What a text does in place of being said; any other text with a slash is said as it stands. */
export function commandIn(text: string): { name: CommandName; rest: string } | undefined {
  const found = /^\/([a-z]+)(?:\s+([\s\S]*))?$/iu.exec(text.trim());
  const command = commands.find(({ name }) => name === found?.[1]?.toLowerCase());
  return command && { name: command.name, rest: found?.[2]?.trim() ?? "" };
}

/** A slip of the pen must not make a whisper public. */
export function isAlmostWhisper(text: string): boolean {
  return /^\s*\/(?:w|wh[a-z]*|wi?s[a-z]*|pm|dm|msg|tell)(?:\s|$)/iu.test(text) && commandIn(text) === undefined;
}

/** The commands that begin like what is being typed at the start of the text. */
export function commandsMatching(text: string, caret: number): readonly Command[] {
  const typed = /^\/([a-z]*)$/iu.exec(text.slice(0, caret));
  if (typed === null || /^\S/u.test(text.slice(caret))) return [];
  return commands.filter(({ name }) => name.startsWith(typed[1]?.toLowerCase() ?? ""));
}

/** `/whisper Echo Bot psst`: whom, and the words that follow. */
export function whisperIn(rest: string, people: readonly Mentionable[]): { whom: string; words: string } | undefined {
  const at = rest.startsWith("@") ? 1 : 0;
  const named = namedAt(rest, at, people);
  return named && { whom: named.speakerUri, words: rest.slice(named.end).trim() };
}
