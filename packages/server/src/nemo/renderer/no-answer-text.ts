import { type RendererParticipants, unmarked } from "./participants.ts";

const namesMax = 5;
const wordCharsMax = 60;

/** What the bubble says when nobody said anything: a client hides an empty one, and then looks as if it had failed. */
export function silenceLine(people: RendererParticipants, to: string | undefined): string {
  // A person need not answer at once, and is not waited for.
  if (to !== undefined && people.kindOf(to) === "person") return `*(Sent to ${people.nameFor(to)}.)*`;
  const here = whoIsHere(people);
  return here === "" ? "*(Nobody answered: no agent is here.)*" : `*(Nobody answered. ${here})*`;
}

/** What is said to a name that nobody has is heard by everybody; undefined when it is said to no name at all. */
export function unknownNameLine(people: RendererParticipants, text: string): string | undefined {
  const [, word = ""] = /^\s*@([\p{L}\p{N}][^\s@]*)/u.exec(text) ?? [];
  if (word === "") return undefined;
  const name = unmarked(word.replace(/\p{P}+$/u, ""), wordCharsMax);
  return `*(Nobody here is called ${name}, so this went to everybody. ${whoIsHere(people)}`.trimEnd().concat(")*");
}

function whoIsHere(people: RendererParticipants): string {
  const names = people.agents();
  const [first] = names;
  if (first === undefined) return "";
  const rest = names.length - namesMax;
  const all = `${names.slice(0, namesMax).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return `Here ${names.length === 1 ? "is" : "are"} ${all}: begin with a name, such as @${first}.`;
}
