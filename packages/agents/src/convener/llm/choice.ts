// A model's answer is one of our own choices. No text of the model reaches the conversation.

/** By the model's `why`: the reason that people see. */
const refusalTexts = {
  notNow: "not now, please ask again later",
  notNeeded: "the convener thinks that this is not needed",
  offTopic: "@brokenPolicy this is off topic",
  repeats: "@brokenPolicy this has been said before",
  tooMuch: "@brokenPolicy others need their turn, too",
  rude: "@brokenPolicy this is not polite",
} as const;

export type RefusalReason = keyof typeof refusalTexts;

export const refusalReasons = Object.keys(refusalTexts) as readonly RefusalReason[];

export function refusalText(why: RefusalReason): string {
  return refusalTexts[why];
}

export type Choice = { choice: string; why: RefusalReason };

/** Includes the thoughts before the answer. Longer answers are cut off. */
export const answerCharsMax = 16_384;

/** Undefined unless the text is exactly one document with one of the choices: a choice within other text may be a quotation. */
export function parseChoice(text: string, choices: readonly string[]): Choice | undefined {
  if (text.length > answerCharsMax) return undefined;
  const fields = fieldsIn(unwrapped(text));
  const choice = choices.find((one) => one === fields.choice);
  if (choice === undefined) return undefined;
  return { choice, why: refusalReasons.find((one) => one === fields.why) ?? "notNow" };
}

/** Many models write their thoughts first, or put the answer into a code block. */
function unwrapped(text: string): string {
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
