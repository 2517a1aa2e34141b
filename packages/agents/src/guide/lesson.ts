import { welcome } from "../addressing.ts";
import type { KnowledgeAnswer } from "./knowledge.ts";
import {
  apologyFor,
  farewell,
  greetings,
  helpRequests,
  menu,
  praise,
  question,
  roster,
  rosterRequests,
  type Step,
  taskOf,
  thanks,
} from "./lesson-texts.ts";

/** The step that one person has reached. `misses` counts texts in a row that the guide did not understand. */
export type Progress = { readonly step: Step; readonly misses: number };

export type LearnerAction = {
  how: "toEveryone" | "toAnother" | "toGuide" | "whispered";
  text: string;
  /** A person always gets an answer. */
  isPerson: boolean;
  /** The reply to the menu: a choice, or text instead of one. */
  choice?: string;
  /** The names of the other agents that may answer. */
  agents: readonly string[];
  /** The names of the people. */
  people: readonly string[];
  /** The text is to everyone, and its subject is another agent's. */
  isForAnother: boolean;
  /** What the documents say about the text; absent when it is no question. */
  known?: KnowledgeAnswer;
};

/** A spoken text (`lastsMs`: how long it takes), or a question with the headings and the menu as choices. */
type GuideAnswer = { text: string } & ({ asks: true; headings: readonly string[] } | { asks: false; lastsMs?: number });

/** Without an answer the guide is silent. */
type LessonResult = { state: Progress; answer?: GuideAnswer };

export const atStart: Progress = { step: "hello", misses: 0 };
export const atEnd: Progress = { step: "done", misses: 0 };

type LessonRow = { at: readonly Step[]; how: LearnerAction["how"]; isGreeting?: true; says: string; next: Step };

const lesson: readonly LessonRow[] = [
  { at: ["hello"], how: "toEveryone", says: praise.heard, next: "address" },
  { at: ["hello"], how: "toGuide", isGreeting: true, says: praise.heard, next: "address" },
  { at: ["hello", "address"], how: "toAnother", says: praise.addressed, next: "whisper" },
  { at: ["hello", "address", "whisper"], how: "whispered", says: praise.whispered, next: "done" },
];

/** After so many misses the guide stops offering choices. An agent then gets no answer, which ends any loop. */
const missesMax = 3;

/** Pure: the first rule that applies to the action decides. */
export function nextLessonStep(state: Progress, action: LearnerAction): LessonResult {
  return (
    menuChoice(state, action) ??
    clearQuestion(state, action) ??
    lessonStep(state, action) ??
    rosterRequest(state, action) ??
    helpRequest(state, action) ??
    knownQuestion(state, action) ??
    notUnderstood(state, action)
  );
}

function menuChoice({ step }: Progress, action: LearnerAction): LessonResult | undefined {
  if (action.choice === undefined && !isForGuide(action)) return undefined;
  const wanted = plain(action.choice ?? action.text);
  const found = menu.find(({ value, label }) => value === wanted || plain(label) === wanted);
  if (found === undefined) return undefined;
  const { value, text, lastsMs } = found;
  const state = { step: value === "nothing" ? "done" : step, misses: 0 } as const;
  return { state, answer: { ...spoken(text(action.agents)), ...(lastsMs !== undefined && { lastsMs }) } };
}

/** A question to everyone is answered only if it is clearly about the floor, or is a heading that the guide offered. */
function clearQuestion({ step }: Progress, { how, known, choice }: LearnerAction): LessonResult | undefined {
  if (how !== "toEveryone" || known?.isKnown !== true) return undefined;
  const isOffered = choice !== undefined && plain(choice) === plain(known.heading);
  return known.isClear || isOffered ? { state: { step, misses: 0 }, answer: spoken(known.text) } : undefined;
}

function lessonStep({ step }: Progress, action: LearnerAction): LessonResult | undefined {
  const isGreeted = greetings.includes(plain(action.text));
  const row = lesson.find(
    ({ at, how, isGreeting }) => at.includes(step) && how === action.how && (isGreeting !== true || isGreeted),
  );
  if (row === undefined || (row.how === "toEveryone" && action.isForAnother)) return undefined;
  const next = row.next === "address" && action.agents.length === 0 ? "whisper" : row.next;
  const state = { step: next, misses: 0 };
  if (next !== "done") return { state, answer: spoken(`${row.says} ${taskOf(next, action.agents)}`) };
  // A whispered question also gets its answer.
  const answered = action.known?.isKnown === true && action.known.isClear ? `${action.known.text}\n\n` : "";
  return { state, answer: asking(`${answered}${row.says}`) };
}

/** `help` and `who is here?` to everyone: no other agent answers these. */
function rosterRequest({ step }: Progress, { how, text, agents, people }: LearnerAction): LessonResult | undefined {
  if (how !== "toEveryone" || !rosterRequests.includes(plain(text))) return undefined;
  return { state: { step, misses: 0 }, answer: spoken(roster(agents, people)) };
}

/** Repeats the open task before the menu. */
function helpRequest({ step }: Progress, action: LearnerAction): LessonResult | undefined {
  if (!isForGuide(action) || ![...helpRequests, ...greetings].includes(plain(action.text))) return undefined;
  return { state: { step, misses: 0 }, answer: asking(taskOf(step, action.agents)) };
}

function knownQuestion({ step }: Progress, action: LearnerAction): LessonResult | undefined {
  if (!isForGuide(action) || action.known?.isKnown !== true) return undefined;
  return { state: { step, misses: 0 }, answer: spoken(action.known.text) };
}

function notUnderstood(state: Progress, action: LearnerAction): LessonResult {
  if (!isForGuide(action) || (state.misses >= missesMax && !action.isPerson)) return { state };
  const misses = Math.min(state.misses + 1, missesMax);
  const counted = { ...state, misses };
  // Thanks count as misses: two agents that thank each other would never end.
  if (thanks.includes(plain(action.text))) return { state: counted, answer: spoken(welcome) };
  if (misses === missesMax) return { state: counted, answer: spoken(farewell) };
  const near = action.known?.isKnown === false ? action.known.near : [];
  return { state: counted, answer: asking(apologyFor(near), near) };
}

function spoken(text: string): GuideAnswer {
  return { text, asks: false };
}

function asking(before: string, headings: readonly string[] = []): GuideAnswer {
  return { text: before === "" ? question : `${before} ${question}`, asks: true, headings };
}

function isForGuide({ how }: LearnerAction): boolean {
  return how === "toGuide" || how === "whispered";
}

/** Ignores the guide's name, case and punctuation. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/@guide\b|[^\p{L}\p{N}\s]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
}
