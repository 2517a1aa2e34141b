import { type Mentionable, namedAt } from "@plenary/transcript";

export type SlashCommandName = "invite" | "whisper" | "hand" | "yield" | "stop" | "rename" | "leave" | "help";

export type SlashCommand = {
  name: SlashCommandName;
  takesArgument?: true;
  /** Choosing it from the list only writes it; a second Enter runs it. */
  needsSecondEnter?: true;
};

const commands: readonly SlashCommand[] = [
  { name: "invite", takesArgument: true },
  { name: "whisper", takesArgument: true },
  { name: "hand" },
  { name: "yield" },
  { name: "stop" },
  { name: "rename", takesArgument: true },
  { name: "leave", needsSecondEnter: true },
  { name: "help" },
];

/** The command in a text. Other texts with a slash are sent as they are. */
export function commandIn(text: string): { name: SlashCommandName; rest: string } | undefined {
  const found = /^\/([a-z]+)(?:\s+([\s\S]*))?$/iu.exec(text.trim());
  const command = commands.find(({ name }) => name === found?.[1]?.toLowerCase());
  return command && { name: command.name, rest: found?.[2]?.trim() ?? "" };
}

/** A typing error must not make a whisper public. */
export function isMistypedWhisper(text: string): boolean {
  return /^\s*\/(?:w|wh[a-z]*|wi?s[a-z]*|pm|dm|msg|tell)(?:\s|$)/iu.test(text) && commandIn(text) === undefined;
}

/** Commands that start with what is typed at the start of the text. */
export function commandsMatching(text: string, caret: number): readonly SlashCommand[] {
  const typed = /^\/([a-z]*)$/iu.exec(text.slice(0, caret));
  if (typed === null || /^\S/u.test(text.slice(caret))) return [];
  return commands.filter(({ name }) => name.startsWith(typed[1]?.toLowerCase() ?? ""));
}

/** Splits `/whisper Echo Bot psst` into recipient and text. */
export function whisperIn(rest: string, recipients: readonly Mentionable[]): { to: string; text: string } | undefined {
  const at = rest.startsWith("@") ? 1 : 0;
  const named = namedAt(rest, at, recipients);
  return named && { to: named.speakerUri, text: rest.slice(named.end).trim() };
}
