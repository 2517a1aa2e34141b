/** A conversant that can be mentioned by name. */
export type Mentionable = { speakerUri: string; name: string };

type Mention = { speakerUri: string; start: number; end: number };

const partOfWord = /[\p{L}\p{N}_]/u;

/** The longest mention that is looked for before the caret. */
const typedMax = 60;

/** The first @mention of a text. The longer of two matching names wins; of equal names, the first in `people`. */
export function mentionIn(text: string, people: readonly Mentionable[]): Mention | undefined {
  for (let start = text.indexOf("@"); start >= 0; start = text.indexOf("@", start + 1)) {
    if (!opensWord(text, start)) continue;
    const named = namedAt(text, start + 1, people);
    if (named !== undefined) return { ...named, start };
  }
  return undefined;
}

/** The conversant whose whole name is at this position of the text. */
export function namedAt(
  text: string,
  at: number,
  people: readonly Mentionable[],
): { speakerUri: string; end: number } | undefined {
  let found: { speakerUri: string; end: number } | undefined;
  for (const { speakerUri, name } of people) {
    const end = at + name.length;
    if (end <= (found?.end ?? at) || text.slice(at, end).toLowerCase() !== name.toLowerCase()) continue;
    const next = characterAt(text, end);
    if (next === undefined || !partOfWord.test(next) || !endsInWord(name)) found = { speakerUri, end };
  }
  return found;
}

/** The unfinished mention before the caret. */
export function typedMention(text: string, caret: number): { start: number; query: string } | undefined {
  const start = text.lastIndexOf("@", caret - 1);
  if (start < 0 || caret <= start || caret - start > typedMax || !opensWord(text, start)) return undefined;
  const query = text.slice(start + 1, caret);
  return /^\s|\n/u.test(query) ? undefined : { start, query };
}

/** Conversants whose name, or a word of it, starts with the query; matches of the whole name first. */
export function peopleMatching<Person extends Mentionable>(people: readonly Person[], query: string): Person[] {
  const wanted = query.toLowerCase();
  const begins = ({ name }: Mentionable) => name.toLowerCase().startsWith(wanted);
  const beginsWord = ({ name }: Mentionable) =>
    name
      .toLowerCase()
      .split(/[\s_.-]+/u)
      .some((word) => word.startsWith(wanted));
  return [...people.filter(begins), ...people.filter((one) => !begins(one) && beginsWord(one))];
}

/** An e-mail address is not a mention. */
function opensWord(text: string, start: number): boolean {
  return start === 0 || !partOfWord.test(text[start - 1] ?? "");
}

function endsInWord(name: string): boolean {
  return partOfWord.test([...name].at(-1) ?? "");
}

function characterAt(text: string, index: number): string | undefined {
  const point = text.codePointAt(index);
  return point === undefined ? undefined : String.fromCodePoint(point);
}
