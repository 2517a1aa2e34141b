import { normalized } from "../search/search-lines.ts";
import { texts } from "../texts/texts.ts";

export type PaletteCommand = {
  id: string;
  label: string;
  hint?: string;
  /** As in the table of shortcuts: "mod+k". */
  keys?: readonly string[];
  group: string;
  run(): void | Promise<void>;
};

const recentMax = 5;

/** Commands for a query, best first. Without a query: by group, recently used first. */
export function foundCommands(
  commands: readonly PaletteCommand[],
  query: string,
  recent: readonly string[],
): PaletteCommand[] {
  const wanted = normalized(query).replace(/\s+/gu, "");
  if (wanted === "") return byGroup([...recentOf(commands, recent), ...without(commands, recent)]);
  const byLabel = scored(commands, recent, ({ label }) => scoreOf(label, wanted));
  // Groups are searched only when no label matches.
  return byGroup(byLabel.length > 0 ? byLabel : scored(commands, recent, groupScore));

  function groupScore({ group, label }: PaletteCommand): number {
    return scoreOf(`${group} ${label}`, wanted);
  }
}

/** Commands with a score, best first; recently used ones win ties. */
function scored(
  commands: readonly PaletteCommand[],
  recent: readonly string[],
  score: (command: PaletteCommand) => number,
): PaletteCommand[] {
  const rated = commands.map((command) => {
    const recency = recent.indexOf(command.id);
    return { command, score: score(command), bonus: recency < 0 ? 0 : 0.5 - recency / 100 };
  });
  const found = rated.filter(({ score }) => score > 0);
  return found.sort((a, b) => b.score + b.bonus - a.score - a.bonus).map(({ command }) => command);
}

export function withRecent(recent: readonly string[], id: string): string[] {
  return [id, ...recent.filter((other) => other !== id)].slice(0, recentMax);
}

function recentOf(commands: readonly PaletteCommand[], recent: readonly string[]): PaletteCommand[] {
  return recent.flatMap((id) => {
    const command = commands.find((other) => other.id === id);
    return command === undefined ? [] : [{ ...command, group: texts.palette.recent }];
  });
}

function without(commands: readonly PaletteCommand[], recent: readonly string[]): PaletteCommand[] {
  return commands.filter(({ id }) => !recent.includes(id));
}

/** Orders groups by their best command, so that each has one heading. */
function byGroup(commands: readonly PaletteCommand[]): PaletteCommand[] {
  const groups = new Map<string, PaletteCommand[]>();
  for (const command of commands) {
    const group = groups.get(command.group);
    if (group === undefined) groups.set(command.group, [command]);
    else group.push(command);
  }
  return [...groups.values()].flat();
}

/** 0 when the letters do not all occur in order; higher for word starts and adjacent letters. */
export function scoreOf(label: string, query: string): number {
  const text = normalized(label);
  const whole = text.indexOf(query);
  if (whole >= 0) return query.length * 4 + (isWordStart(text, whole) ? 6 : 2) + 1 / text.length;
  let score = 0;
  let from = 0;
  for (const letter of query) {
    const at = nextOf(text, letter, from);
    if (at < 0) return 0;
    score += at === from && from > 0 ? 2 : isWordStart(text, at) ? 3 : 0.5;
    from = at + letter.length;
  }
  return score + 1 / text.length;
}

/** The next word start with this letter, or its next occurrence. */
function nextOf(text: string, letter: string, from: number): number {
  const next = text.indexOf(letter, from);
  if (next === from && from > 0) return next;
  for (let at = next; at >= 0; at = text.indexOf(letter, at + 1)) {
    if (isWordStart(text, at)) return at;
  }
  return next;
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(text.charAt(at - 1));
}
