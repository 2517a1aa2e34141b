// What a model may answer: one of a few words that we wrote ourselves. Nothing of its own ever leaves it.

/** Why something is refused, by the word that the model says and the words that people are told. */
const reasons = {
  notNow: "not now, please ask again later",
  notNeeded: "the convener thinks that it is not needed",
  offTopic: "@brokenPolicy this is not what the conversation is about",
  repeats: "@brokenPolicy this has been said before",
  tooMuch: "@brokenPolicy others have to have their turn, too",
  rude: "@brokenPolicy this is not how one speaks here",
} as const;

export type Why = keyof typeof reasons;

export const whys = Object.keys(reasons) as readonly Why[];

export function reasonOf(why: Why): string {
  return reasons[why];
}

export type Choice = { choice: string; why: Why };

/** Longer answers are not read to their end; thoughts before them count. */
export const answerCharsMax = 16_384;

/**
 * Undefined for all that is not exactly one document with one of the choices: a decision that stands in the middle of
 * other words may be a quotation.
 */
export function parseChoice(text: string, choices: readonly string[]): Choice | undefined {
  if (text.length > answerCharsMax) return undefined;
  const fields = fieldsIn(undressed(text));
  const choice = choices.find((one) => one === fields.choice);
  if (choice === undefined) return undefined;
  return { choice, why: whys.find((one) => one === fields.why) ?? "notNow" };
}

/** Many models think aloud first, and many put what they answer into a block of code. */
function undressed(text: string): string {
  const said = text.replace(/^\s*<think>[\s\S]*?<\/think>/u, "").trim();
  return /^```(?:json)?([^`]*)```$/u.exec(said)?.[1] ?? said;
}

function fieldsIn(text: string): { choice?: unknown; why?: unknown } {
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === "object" && document !== null ? document : {};
  } catch {
    return {};
  }
}
