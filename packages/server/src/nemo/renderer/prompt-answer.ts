import { choiceIn, type Question } from "@plenary/transcript";

const textsMax = 100;

/** What the texts of a reply choose: a value, a label, a number, several of them, or a list as JSON. */
export function answerIn(
  question: Question,
  given: readonly string[],
): { values: readonly string[] } | { lack: string } {
  const texts = given.flatMap(listed).slice(0, textsMax);
  const said = texts.map((text) => text.trim()).filter((text) => text !== "");
  if (said.length === 0) {
    return question.isRequired ? { lack: `an answer is needed. ${advice(question)}` } : { values: [] };
  }
  if (question.inputType === "text") return { values: [said.join("\n")] };
  if (question.inputType !== "checkbox") return choose(question, said.at(-1) ?? "");
  const chosen = said.map((text) => choose(question, text));
  const lack = chosen.find((one) => "lack" in one);
  if (lack !== undefined) return lack;
  return { values: [...new Set(chosen.flatMap((one) => ("values" in one ? one.values : [])))] };
}

function choose(question: Question, text: string): { values: readonly string[] } | { lack: string } {
  return choiceIn(question, text) ?? { lack: `that is none of the choices. ${advice(question)}` };
}

function advice({ inputType, options }: Question): string {
  if (options.length === 0 || inputType === "text") return "Answer in words.";
  const labels = options.slice(0, labelsMax).map(({ label }) => label.slice(0, labelCharsMax));
  const more = options.length > labelsMax ? " and others" : "";
  const several = inputType === "checkbox" ? " Several are named with commas or by their numbers." : "";
  return `Choose from: ${labels.join(", ")}${more}.${several}`;
}

const labelsMax = 10;
const labelCharsMax = 60;

function listed(text: string): string[] {
  if (!/^\s*\[/u.test(text)) return [text];
  try {
    const value: unknown = JSON.parse(text);
    const isList = Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number");
    return isList ? value.map(String) : [text];
  } catch {
    return [text];
  }
}
