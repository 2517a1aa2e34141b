// The lesson, pure: who stands where, what was done, what is answered.
import { welcome } from "../addressing.ts";
import type { Known } from "./knowledge.ts";
import {
  apologyFor,
  callsForAll,
  callsForHelp,
  farewell,
  greetings,
  menu,
  praise,
  question,
  roster,
  type Step,
  taskOf,
  thanks,
} from "./words.ts";

/** Where one person stands. `misses` counts what was not understood, in a row. */
export type Progress = { readonly step: Step; readonly misses: number };

export type Deed = {
  how: "toEveryone" | "toAnother" | "toGuide" | "whispered";
  text: string;
  /** People are always answered. */
  isPerson: boolean;
  /** What was chosen, or said in its place, when it had asked. */
  choice?: string;
  /** The names of the other agents that may answer. */
  agents: readonly string[];
  /** The names of the people. */
  people: readonly string[];
  /** Said to everyone, and another agent's subject. */
  isForAnother: boolean;
  /** What the documents say to it; absent when it is no question. */
  known?: Known;
};

/** Said at the usual pace or in so long, or asked with the menu as choices, and these headings before it. */
type Line = { text: string } & ({ asks: true; headings: readonly string[] } | { asks: false; lastsMs?: number });

/** Without an answer it is silent. */
type Turn = { state: Progress; answer?: Line };

export const atStart: Progress = { step: "hello", misses: 0 };
export const atEnd: Progress = { step: "done", misses: 0 };

type Row = { at: readonly Step[]; how: Deed["how"]; isGreeting?: true; says: string; next: Step };

const lesson: readonly Row[] = [
  { at: ["hello"], how: "toEveryone", says: praise.heard, next: "address" },
  { at: ["hello"], how: "toGuide", isGreeting: true, says: praise.heard, next: "address" },
  { at: ["hello", "address"], how: "toAnother", says: praise.addressed, next: "whisper" },
  { at: ["hello", "address", "whisper"], how: "whispered", says: praise.whispered, next: "done" },
];

/** After so many it offers no more; an agent gets no answer any more, so that no loop is longer. */
const missesMax = 3;

export function nextStep(state: Progress, deed: Deed): Turn {
  return (
    chosen(state, deed) ??
    clear(state, deed) ??
    taught(state, deed) ??
    gathered(state, deed) ??
    helped(state, deed) ??
    known(state, deed) ??
    notUnderstood(state, deed)
  );
}

function chosen({ step }: Progress, deed: Deed): Turn | undefined {
  if (deed.choice === undefined && !isForGuide(deed)) return undefined;
  const wanted = plain(deed.choice ?? deed.text);
  const found = menu.find(({ value, label }) => value === wanted || plain(label) === wanted);
  if (found === undefined) return undefined;
  const { value, text, lastsMs } = found;
  const state = { step: value === "nothing" ? "done" : step, misses: 0 } as const;
  return { state, answer: { ...spoken(text(deed.agents)), ...(lastsMs !== undefined && { lastsMs }) } };
}

/** Said to everyone, only what is clearly its subject, or a heading it had offered. */
function clear({ step }: Progress, { how, known, choice }: Deed): Turn | undefined {
  if (how !== "toEveryone" || known?.isKnown !== true) return undefined;
  const isOffered = choice !== undefined && plain(choice) === plain(known.heading);
  return known.isClear || isOffered ? { state: { step, misses: 0 }, answer: spoken(known.text) } : undefined;
}

function taught({ step }: Progress, deed: Deed): Turn | undefined {
  const isGreeted = greetings.includes(plain(deed.text));
  const row = lesson.find(
    ({ at, how, isGreeting }) => at.includes(step) && how === deed.how && (isGreeting !== true || isGreeted),
  );
  if (row === undefined || (row.how === "toEveryone" && deed.isForAnother)) return undefined;
  const next = row.next === "address" && deed.agents.length === 0 ? "whisper" : row.next;
  const state = { step: next, misses: 0 };
  if (next !== "done") return { state, answer: spoken(`${row.says} ${taskOf(next, deed.agents)}`) };
  // Whoever whispers a question wants the answer, too.
  const answered = deed.known?.isKnown === true && deed.known.isClear ? `${deed.known.text}\n\n` : "";
  return { state, answer: asking(`${answered}${row.says}`) };
}

/** Said to nobody in particular, it would be answered by nobody. */
function gathered({ step }: Progress, { how, text, agents, people }: Deed): Turn | undefined {
  if (how !== "toEveryone" || !callsForAll.includes(plain(text))) return undefined;
  return { state: { step, misses: 0 }, answer: spoken(roster(agents, people)) };
}

/** What is still to be learned is told again beside the question. */
function helped({ step }: Progress, deed: Deed): Turn | undefined {
  if (!isForGuide(deed) || ![...callsForHelp, ...greetings].includes(plain(deed.text))) return undefined;
  return { state: { step, misses: 0 }, answer: asking(taskOf(step, deed.agents)) };
}

function known({ step }: Progress, deed: Deed): Turn | undefined {
  if (!isForGuide(deed) || deed.known?.isKnown !== true) return undefined;
  return { state: { step, misses: 0 }, answer: spoken(deed.known.text) };
}

function notUnderstood(state: Progress, deed: Deed): Turn {
  if (!isForGuide(deed) || (state.misses >= missesMax && !deed.isPerson)) return { state };
  const misses = Math.min(state.misses + 1, missesMax);
  const counted = { ...state, misses };
  // Counted too: two that thank each other would never end.
  if (thanks.includes(plain(deed.text))) return { state: counted, answer: spoken(welcome) };
  if (misses === missesMax) return { state: counted, answer: spoken(farewell) };
  const near = deed.known?.isKnown === false ? deed.known.near : [];
  return { state: counted, answer: asking(apologyFor(near), near) };
}

function spoken(text: string): Line {
  return { text, asks: false };
}

function asking(before: string, headings: readonly string[] = []): Line {
  return { text: before === "" ? question : `${before} ${question}`, asks: true, headings };
}

function isForGuide({ how }: Deed): boolean {
  return how === "toGuide" || how === "whispered";
}

/** Its name, case and punctuation aside. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/@guide\b|[^\p{L}\p{N}\s]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
}
