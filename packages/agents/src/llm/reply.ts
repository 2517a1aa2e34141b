import { yieldFloor } from "@plenary/protocol";
import type { Answer, Heard, Streamed } from "@plenary/sdk";
import { errorFeatures, withError } from "../with-features.ts";
import type { Matter } from "./matter.ts";
import type { Begun, Ending, Part } from "./part.ts";
import { outOfDomain } from "./sieve.ts";
import { apology, cutMark, errorOf } from "./words.ts";

/** More than anybody wants to hear at once. */
const answerCharsMax = 32_000;

export function begin(parts: AsyncGenerator<Part>, signal: AbortSignal): Begun {
  const first = parts.next();
  // It may fail before anybody waits for it, and whoever waits is told all the same.
  first.catch(() => {});
  signal.addEventListener("abort", () => leave({ first, parts }), { once: true });
  return { first, parts };
}

/** What feeds it stops too, but nobody waits for that. */
export function leave({ parts }: Begun): void {
  parts.return(undefined).catch(() => {});
}

/** How it begins; undefined when that takes longer. */
export async function beginningOf({ first }: Begun, patienceMs: number): Promise<Part | undefined> {
  return (await orLater(first, patienceMs))?.value;
}

type Telling = {
  matter: Matter;
  patienceMs: number;
  say: Heard<unknown>["say"];
  onEnd: (said: string, ending: Ending) => void;
};

/** Words as they come; or, when none come, what is to be done instead. */
export async function tell(begun: Begun, telling: Telling): Promise<Answer> {
  const { matter, patienceMs, say, onEnd } = telling;
  const part = await beginningOf(begun, patienceMs);
  if (part === undefined || part.kind === "text") return told(begun, telling);
  leave(begun);
  const text = insteadOf(part, matter);
  onEnd(text, part);
  const error = errorOf(part);
  if (error !== undefined && text !== "") return withError(say(text), error);
  if (!mustYield(part, matter)) return text;
  return [...(text === "" ? [] : [say(text)]), yieldFloor({ reason: outOfDomain })];
}

async function* told(begun: Begun, { matter, patienceMs, onEnd }: Telling): AsyncGenerator<Streamed> {
  let said = "";
  try {
    for (let next = begun.first; ; ) {
      const result = await orLater(next, patienceMs);
      if (result === undefined) {
        // Nothing is said by that, but whoever waits knows that somebody is there.
        yield "";
        continue;
      }
      const part: Part = said.length > answerCharsMax ? { kind: "length" } : result.value;
      const error = part.kind === "text" || said !== "" ? undefined : errorOf(part);
      const text = part.kind === "text" ? part.text : said === "" ? insteadOf(part, matter) : cutMark(part);
      said += text;
      if (part.kind !== "text") onEnd(said, part);
      if (text !== "") yield text;
      if (error !== undefined && text !== "") yield { features: errorFeatures(error) };
      if (part.kind !== "text") return;
      next = begun.parts.next();
    }
  } finally {
    leave(begun);
  }
}

/** Undefined when it takes longer. */
export async function orLater<Value>(value: Promise<Value>, ms: number): Promise<Value | undefined> {
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
function insteadOf(ending: Ending, { kind, call }: Matter): string {
  const isSilence = ending.kind === "outOfDomain" || ending.kind === "complete";
  return kind === "agent" || (call === "open" && isSilence) ? "" : apology(ending);
}

/** Spec 1.22: another agent is needed. People are told so in words, and need not call again with the floor in between. */
function mustYield(ending: Ending, { kind, call }: Matter): boolean {
  return ending.kind === "outOfDomain" && (call === "invited" || (call === "called" && kind === "agent"));
}
