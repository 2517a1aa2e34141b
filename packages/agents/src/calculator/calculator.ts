import { type Agent, createAgent } from "@plenary/sdk";
import { addressingOf, noAnswerText } from "../addressing.ts";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { parseQuestion } from "./parse-question.ts";

const name = "Calculator";
const apology = "I only calculate and convert units: try `12% of 80` or `5 miles in km`.";

/** Answers calculations, also when they are said to everyone. When a person calls it with anything else, it says what it can do. */
export function createCalculator(options: ReadyMadeOptions = {}): Agent {
  const manifest = manifestOf(
    {
      name: "calculator",
      conversationalName: name,
      synopsis: "Calculates, and converts between units of measurement.",
      keyphrases: [
        ...["calculator", "calculate", "arithmetic", "math", "mathematics", "percent", "percentage", "tip", "sum"],
        ...["add", "subtract", "multiply", "divide", "plus", "minus", "times"],
        ...["square root", "convert units", "unit conversion", "miles to km", "fahrenheit to celsius", "pounds to kg"],
      ],
      descriptions: [
        "calculates: arithmetic, percentages, tips, powers, roots, logarithms and trigonometry",
        "converts units: length, area, volume, weight, temperature, time, speed, energy, pressure, amounts of data",
      ],
      languages: ["en"],
    },
    options,
  );
  return createAgent({
    manifest,
    greeting: "Hello, I am Calculator. Give me a calculation, such as `12% of 80` or `5 miles in km`.",
    async onUtterance(heard) {
      const { call, isPerson, text } = addressingOf(heard, name);
      if (call === "none") return undefined;
      const question = parseQuestion(text);
      const mayAnswer = question !== undefined && (call === "called" || question.isSure);
      const answer = mayAnswer ? (await import("./evaluate.ts")).answerTo(question) : undefined;
      return answer ?? (call === "called" && isPerson ? noAnswerText(text, apology) : undefined);
    },
  });
}
