// The questions of an interview: a small one with every kind of question, or questions that the person brings along.
import type { Question } from "@plenary/sdk";

export type Item = {
  text: string;
  inputType: NonNullable<Question["inputType"]>;
  /** The choices; empty for a text question. */
  options: readonly string[];
  placeholder?: string;
  isRequired: boolean;
};

export type Script = { topic?: string; items: readonly Item[] };

export const rules =
  "One question at a time: answer on its card, or write @Interviewer and your answer. “skip” skips a question, “stop” ends the interview.";

export const example = "`interview me about lunch: which day? (Mon, Tue, Wed); how hungry are you?`";

const choice = (text: string, inputType: Item["inputType"], options: readonly string[]): Item => {
  return { text, inputType, options, isRequired: false };
};

export const ownScript: Script = {
  items: [
    { text: "What shall I call you?", inputType: "text", options: [], placeholder: "your name", isRequired: true },
    choice("What brought you here?", "radio", ["Curiosity", "Work", "Somebody invited me"]),
    choice("Which of these would you like to try?", "checkbox", [
      "Whispering",
      "Passing the floor",
      "Bringing an agent",
    ]),
    choice("How many agents make a good conversation?", "dropdown", ["One", "Two", "Three to five", "More"]),
    choice("Should an agent speak up when nobody has called it?", "binary_choice", ["Yes", "No"]),
  ],
};

const itemsMax = 10;
const itemCharsMax = 200;
const optionsMax = 12;
const optionCharsMax = 60;
/** More choices than this become a dropdown. */
const laidOutMax = 5;

export type InterviewRequest = { kind: "start"; script: Script } | { kind: "howTo" };

/** `interview me`, `interview me about lunch: which day? (Mon, Tue); how hungry?` Returns undefined for any other text. */
export function requestIn(text: string): InterviewRequest | undefined {
  const said = text.replaceAll(/\s+/gu, " ").trim();
  const found =
    /^(?:please )?(?:(?:can|could|will|would) you )?(?:please )?interview me(?: please)?(?: about (?<topic>[^:]{1,60}))?(?:: ?(?<items>.*))?$/iu.exec(
      said.replace(/(?:,? please)?[.!?]*$/iu, ""),
    ) ??
    /^(?:(?:i want|i would like|i'd like) to be interviewed|(?:start|begin) (?:an |the |my )?interview|ask me some questions)[.!?]*$/iu.exec(
      said,
    );
  if (found === null) return undefined;
  const { topic, items } = found.groups ?? {};
  if (items === undefined) return topic === undefined ? { kind: "start", script: ownScript } : { kind: "howTo" };
  const own = itemsIn(said.slice(said.indexOf(":") + 1));
  if (own.length === 0) return { kind: "howTo" };
  return { kind: "start", script: { items: own, ...(topic !== undefined && { topic: topic.trim() }) } };
}

function itemsIn(words: string): Item[] {
  return words
    .split(";")
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part.replace(/\(.*$/u, "")))
    .slice(0, itemsMax)
    .map(itemOf);
}

/** Choices stand in parentheses at the end; after `any:` several may be chosen. */
function itemOf(part: string): Item {
  const [, asked = part, given = ""] = /^([^(]*)\(([^()]*)\)[?.]?$/u.exec(part) ?? [];
  const text = asked.trim().slice(0, itemCharsMax);
  const isMany = /^any:/iu.test(given);
  const labels = given
    .replace(/^any:/iu, "")
    .split(",")
    .map((label) => label.trim().slice(0, optionCharsMax));
  const options = [...new Set(labels.filter((label) => label !== ""))].slice(0, optionsMax);
  if (options.length < 2)
    return { text: part.slice(0, itemCharsMax), inputType: "text", options: [], isRequired: false };
  return { text, inputType: isMany ? "checkbox" : inputTypeFor(options), options, isRequired: false };
}

function inputTypeFor(options: readonly string[]): Item["inputType"] {
  const isYesOrNo = options.length === 2 && /^yes$/iu.test(options[0] ?? "") && /^no$/iu.test(options[1] ?? "");
  if (isYesOrNo) return "binary_choice";
  return options.length > laidOutMax ? "dropdown" : "radio";
}
