import { type Mentionable, namedAt } from "@plenary/transcript";

export type SlashCommandName = "invite" | "whisper" | "hand" | "yield" | "stop" | "rename" | "leave" | "help";

export type SlashCommand = {
  name: SlashCommandName;
  description: string;
  /** What follows it, in one word. */
  argument?: string;
  /** Chosen from the list it is only written out: it is done by one more Enter. */
  needsSecondEnter?: true;
};

const commands: readonly SlashCommand[] = [
  { name: "invite", description: "Bring an agent to the floor", argument: "address" },
  { name: "whisper", description: "Speak to one conversant alone", argument: "name" },
  { name: "hand", description: "Raise your hand for the floor" },
  { name: "yield", description: "Give the floor back" },
  { name: "stop", description: "Stop whoever is answering" },
  { name: "rename", description: "Give the conversation a title", argument: "title" },
  { name: "leave", description: "Leave this conversation", needsSecondEnter: true },
  { name: "help", description: "Keys and commands" },
];

/** What a text does in place of being said; any other text with a slash is said as it stands. */
export function commandIn(text: string): { name: SlashCommandName; rest: string } | undefined {
  const found = /^\/([a-z]+)(?:\s+([\s\S]*))?$/iu.exec(text.trim());
  const command = commands.find(({ name }) => name === found?.[1]?.toLowerCase());
  return command && { name: command.name, rest: found?.[2]?.trim() ?? "" };
}

/** A slip of the pen must not make a whisper public. */
export function isMistypedWhisper(text: string): boolean {
  return /^\s*\/(?:w|wh[a-z]*|wi?s[a-z]*|pm|dm|msg|tell)(?:\s|$)/iu.test(text) && commandIn(text) === undefined;
}

/** The commands that begin like what is being typed at the start of the text. */
export function commandsMatching(text: string, caret: number): readonly SlashCommand[] {
  const typed = /^\/([a-z]*)$/iu.exec(text.slice(0, caret));
  if (typed === null || /^\S/u.test(text.slice(caret))) return [];
  return commands.filter(({ name }) => name.startsWith(typed[1]?.toLowerCase() ?? ""));
}

/** `/whisper Echo Bot psst`: whom, and the words that follow. */
export function whisperIn(
  rest: string,
  recipients: readonly Mentionable[],
): { whom: string; words: string } | undefined {
  const at = rest.startsWith("@") ? 1 : 0;
  const named = namedAt(rest, at, recipients);
  return named && { whom: named.speakerUri, words: rest.slice(named.end).trim() };
}
