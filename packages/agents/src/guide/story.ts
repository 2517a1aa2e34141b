// The lesson, pure: who stands where, what was done, what is answered.
import { apology, callsForHelp, farewell, menu, praise, question, type Step, tasks } from "./words.ts";

/** Where one person stands. `misses` counts what was not understood, in a row. */
export type Progress = { readonly step: Step; readonly misses: number };

export type Deed = {
  how: "toEveryone" | "toAnother" | "toGuide" | "whispered";
  text: string;
  /** What was chosen, or said in its place, when it had asked. */
  choice?: string;
  isEchoHere: boolean;
};

/** Said at its own pace, or asked with the menu as choices. */
type Line = { text: string } & ({ asks: true } | { asks: false; lastsMs: number });

/** Without an answer it is silent. */
type Turn = { state: Progress; answer?: Line };

export const atStart: Progress = { step: "hello", misses: 0 };
export const atEnd: Progress = { step: "done", misses: 0 };

type Row = { at: readonly Step[]; how: Deed["how"]; isEchoHere?: boolean; says: string; next: Step };

const lesson: readonly Row[] = [
  { at: ["hello"], how: "toEveryone", isEchoHere: true, says: praise.heardWithEcho, next: "address" },
  { at: ["hello"], how: "toEveryone", says: praise.heard, next: "whisper" },
  { at: ["hello", "address"], how: "toAnother", says: praise.addressed, next: "whisper" },
  { at: ["hello", "address", "whisper"], how: "whispered", says: praise.whispered, next: "done" },
];

/** No loop is longer, whoever answers its answers. */
const missesMax = 3;
const spokenMs = 1_200;

export function nextStep(state: Progress, deed: Deed): Turn {
  return chosen(state, deed) ?? taught(state, deed) ?? helped(state, deed) ?? notUnderstood(state, deed);
}

function chosen({ step }: Progress, deed: Deed): Turn | undefined {
  if (deed.choice === undefined && !isForGuide(deed)) return undefined;
  const wanted = plain(deed.choice ?? deed.text);
  const found = menu.find(({ value, label }) => value === wanted || plain(label) === wanted);
  if (found === undefined) return undefined;
  const { value, text, lastsMs } = found;
  return { state: { step: value === "nothing" ? "done" : step, misses: 0 }, answer: { text, asks: false, lastsMs } };
}

function taught({ step }: Progress, deed: Deed): Turn | undefined {
  const row = lesson.find(
    ({ at, how, isEchoHere = deed.isEchoHere }) =>
      at.includes(step) && how === deed.how && isEchoHere === deed.isEchoHere,
  );
  if (row === undefined) return undefined;
  const { says, next } = row;
  const state = { step: next, misses: 0 };
  if (next === "done") return { state, answer: asking(says) };
  return { state, answer: { text: `${says} ${tasks[next]}`, asks: false, lastsMs: spokenMs } };
}

/** What is still to be learned is told again beside the question. */
function helped({ step }: Progress, deed: Deed): Turn | undefined {
  if (!isForGuide(deed) || !callsForHelp.includes(plain(deed.text))) return undefined;
  return { state: { step, misses: 0 }, answer: asking(tasks[step]) };
}

function notUnderstood(state: Progress, deed: Deed): Turn {
  if (!isForGuide(deed) || state.misses >= missesMax) return { state };
  const misses = state.misses + 1;
  const isLast = misses === missesMax;
  const answer: Line = isLast ? { text: farewell, asks: false, lastsMs: spokenMs } : asking(apology);
  return { state: { ...state, misses }, answer };
}

function asking(before: string): Line {
  return { text: before === "" ? question : `${before} ${question}`, asks: true };
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
