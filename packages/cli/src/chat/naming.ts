import { mentionIn, namedAt, peopleMatching } from "@plenary/transcript";
import type { Person } from "./people.ts";

export type Named = { person: Person; rest: string } | { problem: string };

/** `Echo Bot psst`: who is meant by the beginning of a text, and what follows. */
export function namedIn(text: string, people: readonly Person[]): Named {
  const words = text.replace(/^@/u, "").trim();
  if (people.length === 0) return { problem: "Nobody else is here: /invite brings somebody." };
  if (words === "") return { problem: `Say whom: ${listOf(people)}.` };
  const whole = namedAt(words, 0, people);
  const named = people.find(({ speakerUri }) => speakerUri === whole?.speakerUri);
  if (whole !== undefined && named !== undefined) return { person: named, rest: words.slice(whole.end).trim() };
  const [first = ""] = words.split(/\s+/u);
  const name = first.replace(/[,:]$/u, "");
  const fits = peopleMatching(people, name);
  const [one, other] = fits;
  if (one === undefined) return { problem: `Nobody here is called ${name}. Here are ${listOf(people)}.` };
  if (other !== undefined)
    return { problem: `${name} may be ${fits.map((fit) => fit.name).join(" or ")}: write more of it.` };
  return { person: one, rest: words.slice(first.length).trim() };
}

/** `@Name`: whom a text speaks to, wherever it says so. */
export function addresseeOf(text: string, people: readonly Person[]): string | undefined {
  return mentionIn(text, people)?.speakerUri;
}

function listOf(people: readonly Person[]): string {
  return people.map(({ name }) => name).join(", ");
}
