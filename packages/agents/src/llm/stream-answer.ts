import { yieldFloor } from "@plenary/protocol";
import type { Answer, HandlerInput, StreamPart } from "@plenary/sdk";
import { errorFeatures, withError } from "../with-features.ts";
import { type AnswerPart, type AnswerStream, apologyFor, cutMark, type Ending, errorOf } from "./answer-parts.ts";
import type { AnswerRequest } from "./answer-policy.ts";
import { outOfDomain } from "./output-filter.ts";

const answerCharsMax = 32_000;

export function startAnswer(parts: AsyncGenerator<AnswerPart>, signal: AbortSignal): AnswerStream {
  const first = parts.next();
  // Prevents an unhandled rejection; a later `await` of the same promise still throws.
  first.catch(() => {});
  signal.addEventListener("abort", () => cancelAnswer({ first, parts }), { once: true });
  return { first, parts };
}

/** Also stops the request behind it, without waiting for that. */
export function cancelAnswer({ parts }: AnswerStream): void {
  parts.return(undefined).catch(() => {});
}

/** The first part; undefined if it takes longer than `patienceMs`. */
export async function firstPart({ first }: AnswerStream, patienceMs: number): Promise<AnswerPart | undefined> {
  return (await orTimeout(first, patienceMs))?.value;
}

type AnswerOptions = {
  request: AnswerRequest;
  patienceMs: number;
  say: HandlerInput<unknown>["say"];
  onEnd: (said: string, ending: Ending) => void;
};

/** Streams the text as it arrives. Without any text, returns an apology, silence or `yieldFloor`. */
export async function streamAnswer(started: AnswerStream, telling: AnswerOptions): Promise<Answer> {
  const { request, patienceMs, say, onEnd } = telling;
  const part = await firstPart(started, patienceMs);
  if (part === undefined || part.kind === "text") return answerText(started, telling);
  cancelAnswer(started);
  const text = fallbackText(part, request);
  onEnd(text, part);
  const error = errorOf(part);
  if (error !== undefined && text !== "") return withError(say(text), error);
  if (!mustYield(part, request)) return text;
  return [...(text === "" ? [] : [say(text)]), yieldFloor({ reason: outOfDomain })];
}

async function* answerText(
  started: AnswerStream,
  { request, patienceMs, onEnd }: AnswerOptions,
): AsyncGenerator<StreamPart> {
  let said = "";
  try {
    for (let next = started.first; ; ) {
      const result = await orTimeout(next, patienceMs);
      if (result === undefined) {
        // An empty part shows that the answer is still coming.
        yield "";
        continue;
      }
      const part: AnswerPart = said.length > answerCharsMax ? { kind: "length" } : result.value;
      const error = part.kind === "text" || said !== "" ? undefined : errorOf(part);
      const text = part.kind === "text" ? part.text : said === "" ? fallbackText(part, request) : cutMark(part);
      said += text;
      if (part.kind !== "text") onEnd(said, part);
      if (text !== "") yield text;
      if (error !== undefined && text !== "") yield { features: errorFeatures(error) };
      if (part.kind !== "text") return;
      next = started.parts.next();
    }
  } finally {
    cancelAnswer(started);
  }
}

/** Returns undefined after the timeout. */
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

/** An agent gets no apology, because it would answer it. An agent that was not called stays silent if it has no answer. */
function fallbackText(ending: Ending, { kind, call }: AnswerRequest): string {
  const isSilence = ending.kind === "outOfDomain" || ending.kind === "complete";
  return kind === "agent" || (call === "open" && isSilence) ? "" : apologyFor(ending);
}

/** Spec 1.22: another agent is needed. A person gets a text instead. */
function mustYield(ending: Ending, { kind, call }: AnswerRequest): boolean {
  return ending.kind === "outOfDomain" && (call === "invited" || (call === "called" && kind === "agent"));
}
