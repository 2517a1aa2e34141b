import { yieldFloor } from "@plenary/protocol";
import type { Answer, Heard, Streamed } from "@plenary/sdk";
import { errorFeatures, withError } from "../with-features.ts";
import { type AnswerPart, type AnswerStream, apologyFor, cutMark, type Ending, errorOf } from "./answer-parts.ts";
import type { AnswerRequest } from "./answer-policy.ts";
import { outOfDomain } from "./output-filter.ts";

/** More than anybody wants to hear at once. */
const answerCharsMax = 32_000;

export function startAnswer(parts: AsyncGenerator<AnswerPart>, signal: AbortSignal): AnswerStream {
  const first = parts.next();
  // It may fail before anybody waits for it, and whoever waits is told all the same.
  first.catch(() => {});
  signal.addEventListener("abort", () => cancelAnswer({ first, parts }), { once: true });
  return { first, parts };
}

/** What feeds it stops too, but nobody waits for that. */
export function cancelAnswer({ parts }: AnswerStream): void {
  parts.return(undefined).catch(() => {});
}

/** How it begins; undefined when that takes longer. */
export async function firstPart({ first }: AnswerStream, patienceMs: number): Promise<AnswerPart | undefined> {
  return (await orTimeout(first, patienceMs))?.value;
}

type AnswerOptions = {
  matter: AnswerRequest;
  patienceMs: number;
  say: Heard<unknown>["say"];
  onEnd: (said: string, ending: Ending) => void;
};

/** Words as they come; or, when none come, what is to be done instead. */
export async function streamAnswer(begun: AnswerStream, telling: AnswerOptions): Promise<Answer> {
  const { matter, patienceMs, say, onEnd } = telling;
  const part = await firstPart(begun, patienceMs);
  if (part === undefined || part.kind === "text") return answerText(begun, telling);
  cancelAnswer(begun);
  const text = fallbackText(part, matter);
  onEnd(text, part);
  const error = errorOf(part);
  if (error !== undefined && text !== "") return withError(say(text), error);
  if (!mustYield(part, matter)) return text;
  return [...(text === "" ? [] : [say(text)]), yieldFloor({ reason: outOfDomain })];
}

async function* answerText(
  begun: AnswerStream,
  { matter, patienceMs, onEnd }: AnswerOptions,
): AsyncGenerator<Streamed> {
  let said = "";
  try {
    for (let next = begun.first; ; ) {
      const result = await orTimeout(next, patienceMs);
      if (result === undefined) {
        // Nothing is said by that, but whoever waits knows that somebody is there.
        yield "";
        continue;
      }
      const part: AnswerPart = said.length > answerCharsMax ? { kind: "length" } : result.value;
      const error = part.kind === "text" || said !== "" ? undefined : errorOf(part);
      const text = part.kind === "text" ? part.text : said === "" ? fallbackText(part, matter) : cutMark(part);
      said += text;
      if (part.kind !== "text") onEnd(said, part);
      if (text !== "") yield text;
      if (error !== undefined && text !== "") yield { features: errorFeatures(error) };
      if (part.kind !== "text") return;
      next = begun.parts.next();
    }
  } finally {
    cancelAnswer(begun);
  }
}

/** Undefined when it takes longer. */
export async function orTimeout<Value>(value: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const later = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([value, later]);
  } finally {
    clearTimeout(timer);
  }
}

/** Agents are told nothing that they could answer. Whoever was not called need not say that it has nothing to say. */
function fallbackText(ending: Ending, { kind, call }: AnswerRequest): string {
  const isSilence = ending.kind === "outOfDomain" || ending.kind === "complete";
  return kind === "agent" || (call === "open" && isSilence) ? "" : apologyFor(ending);
}

/** Spec 1.22: another agent is needed. People are told so in words, and need not call again with the floor in between. */
function mustYield(ending: Ending, { kind, call }: AnswerRequest): boolean {
  return ending.kind === "outOfDomain" && (call === "invited" || (call === "called" && kind === "agent"));
}
