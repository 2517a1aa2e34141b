/** Somebody who can be addressed by name. */
export type Mentionable = { speakerUri: string; name: string };

type Mention = { speakerUri: string; start: number; end: number };

const partOfWord = /[\p{L}\p{N}_]/u;

/** No name that is typed is longer, so an @ far back is not looked for. */
const typedMax = 60;

/** Whom a text names first with an @. Of two names the longer counts; of two with one name, the first of `people`. */
export function mentionIn(text: string, people: readonly Mentionable[]): Mention | undefined {
  for (let start = text.indexOf("@"); start >= 0; start = text.indexOf("@", start + 1)) {
    if (!opensWord(text, start)) continue;
    const named = namedAt(text, start + 1, people);
    if (named !== undefined) return { ...named, start };
  }
  return undefined;
}

/** Whose name stands at a place of the text, whole. */
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

/** What is being typed after an @, up to the caret. */
export function typedMention(text: string, caret: number): { start: number; query: string } | undefined {
  const start = text.lastIndexOf("@", caret - 1);
  if (start < 0 || caret <= start || caret - start > typedMax || !opensWord(text, start)) return undefined;
  const query = text.slice(start + 1, caret);
  return /^\s|\n/u.test(query) ? undefined : { start, query };
}

/** Who is meant by the beginning of a name or of one of its words; the likeliest first. */
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

/** An address of mail is no mention. */
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
