import type { AnswerPart } from "./answer-parts.ts";

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
