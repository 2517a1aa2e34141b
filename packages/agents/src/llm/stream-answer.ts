import { yieldFloor } from "@plenary/protocol";
import type { Answer, HandlerInput, StreamPart } from "@plenary/sdk";
import { errorFeatures, withError } from "../with-features.ts";
import { type AnswerPart, type AnswerStream, apologyFor, cutMark, type Ending, errorOf } from "./answer-parts.ts";
import type { AnswerRequest } from "./answer-policy.ts";

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

/** Calls `ring` after a time; returns a function that cancels it. */
type After = (ms: number, ring: () => void) => () => void;

const afterTimeout: After = (ms, ring) => {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
};

/** Returns undefined after the timeout. */
export async function orTimeout<Value>(
  value: Promise<Value>,
  ms: number,
  after = afterTimeout,
): Promise<Value | undefined> {
  let cancel = () => {};
  const later = new Promise<undefined>((resolve) => {
    cancel = after(ms, () => resolve(undefined));
  });
  try {
    return await Promise.race([value, later]);
  } finally {
    cancel();
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

/** The prompt asks the model to answer this token when a question is outside its task (spec 1.15). */
export const outOfDomain = "@outOfDomain";

const token = outOfDomain.toLowerCase();
const thought = { begin: "<think>", end: "</think>" };
/** Models often put quotes or Markdown around a single word. */
const decoration = /^[\s"'`*_([{]+/u;
const decorationAfter = /^[\s"'`*_)\]}.!]*$/u;

type FilterOptions = {
  /** Models tend to start with their own name, like the lines of the prompt. */
  name: string;
  /** Whether the prompt mentions the token. */
  mayDecline: boolean;
};

/**
 * Removes thoughts, the model's own name and the out-of-domain token. Text that may become one of them is held back until
 * that is certain, at the beginning and (for the token) at the end.
 */
export async function* filterOutput(
  parts: AsyncIterable<AnswerPart>,
  options: FilterOptions,
): AsyncGenerator<AnswerPart> {
  let held = "";
  let hasBegun = false;
  for await (const part of parts) {
    if (part.kind !== "text") {
      if (!hasBegun && isDeclined(held, options)) return yield { kind: "outOfDomain" };
      const rest = (options.mayDecline && isToken(held)) || isThought(held) ? "" : held.trimEnd();
      if (rest !== "") yield { kind: "text", text: rest };
      return yield part;
    }
    held += part.text;
    if (!hasBegun) {
      const opening = openingOf(held, options);
      if (opening === "outOfDomain") return yield { kind: "outOfDomain" };
      held = opening.text;
      hasBegun = opening.isSure;
    }
    if (!hasBegun) continue;
    const sure = sureLength(held, options);
    if (sure > 0) yield { kind: "text", text: held.slice(0, sure) };
    held = held.slice(sure);
  }
}

type Opening = "outOfDomain" | { isSure: boolean; text: string };

function openingOf(held: string, { name, mayDecline }: FilterOptions): Opening {
  const unsure = (text: string) => ({ isSure: false, text });
  let text = held.trimStart();
  if (text === "" || mayBecome(text, thought.begin)) return unsure(text);
  if (text.startsWith(thought.begin)) {
    const end = text.indexOf(thought.end);
    // Keeps only enough of a thought to recognize its end.
    if (end === -1) return unsure(thought.begin + text.slice(thought.begin.length).slice(1 - thought.end.length));
    text = text.slice(end + thought.end.length).trimStart();
  }
  const prefix = `${name.toLowerCase()}:`;
  if (mayBecome(text.toLowerCase(), prefix)) return unsure(text);
  if (text.toLowerCase().startsWith(prefix)) text = text.slice(prefix.length).trimStart();
  if (text === "") return unsure(text);
  const bare = text.replace(decoration, "").toLowerCase();
  if (mayDecline && bare.startsWith(token)) return "outOfDomain";
  return mayDecline && mayBecome(bare, token) ? unsure(text) : { isSure: true, text };
}

function mayBecome(text: string, whole: string): boolean {
  return text.length < whole.length && whole.startsWith(text);
}

/** The answer may end in the middle of the token. */
function isDeclined(held: string, { mayDecline }: FilterOptions): boolean {
  const bare = held.replace(decoration, "").toLowerCase();
  return mayDecline && bare.length > 1 && token.startsWith(bare);
}

function isThought(held: string): boolean {
  return held.startsWith(thought.begin);
}

/** The length of the text without trailing whitespace and a possible token at its end. */
function sureLength(text: string, { mayDecline }: FilterOptions): number {
  const at = mayDecline ? text.lastIndexOf("@") : -1;
  const tail = at === -1 ? "" : text.slice(at).toLowerCase();
  const isUnsure = tail !== "" && (mayBecome(tail, token) || isToken(tail));
  return (isUnsure ? text.slice(0, at) : text).trimEnd().length;
}

function isToken(text: string): boolean {
  const trimmed = text.trimStart().toLowerCase();
  return trimmed.startsWith(token) && decorationAfter.test(trimmed.slice(token.length));
}
