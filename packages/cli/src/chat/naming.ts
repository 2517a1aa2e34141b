import { type Person, seemingly } from "./people.ts";

export type Named = { person: Person; rest: string } | { problem: string };

/** `Echo Bot psst`: who is meant by the beginning of a text, and what follows. */
export function namedIn(text: string, people: readonly Person[]): Named {
  const words = text.replace(/^@/u, "").trim();
  if (people.length === 0) return { problem: "Nobody else is here: /invite brings somebody." };
  if (words === "") return { problem: `Say whom: ${listOf(people)}.` };
  const whole = wholeName(words, people);
  if (whole !== undefined) return { person: whole, rest: words.slice(whole.name.length).trim() };
  const [first = ""] = words.split(/\s+/u);
  const fits = peopleLike(first, people);
  const [one, other] = fits;
  const name = first.replace(/[,:]$/u, "");
  if (one === undefined) return { problem: `Nobody here is called ${name}. Here are ${listOf(people)}.` };
  if (other !== undefined)
    return { problem: `${name} may be ${fits.map((fit) => fit.name).join(" or ")}: write more of it.` };
  return { person: one, rest: words.slice(first.length).trim() };
}

/** `@Name text`: whom a text speaks to, when it begins so. */
export function addresseeOf(text: string, people: readonly Person[]): Person | undefined {
  return text.startsWith("@") ? wholeName(text.slice(1), people) : undefined;
}

/** Of two names that fit the longer one is meant. */
function wholeName(text: string, people: readonly Person[]): Person | undefined {
  const fits = people.filter(({ name }) => {
    const isBegun = text.slice(0, name.length).toLowerCase() === name.toLowerCase();
    return isBegun && !/^[\p{L}\p{N}_]/u.test(text.slice(name.length));
  });
  return fits.sort((one, other) => other.name.length - one.name.length)[0];
}

/** Whose name, or one of its words, begins like that. */
export function peopleLike(typed: string, people: readonly Person[]): Person[] {
  const wanted = seemingly(typed.replace(/[,:]$/u, ""));
  const begins = ({ name }: Person) => seemingly(name).startsWith(wanted);
  const beginsWord = ({ name }: Person) =>
    seemingly(name)
      .split(/[\s_.-]+/u)
      .some((word) => word.startsWith(wanted));
  return [...people.filter(begins), ...people.filter((one) => !begins(one) && beginsWord(one))];
}

function listOf(people: readonly Person[]): string {
  return people.map(({ name }) => name).join(", ");
}
