import { expect, test } from "vitest";
import { type AnswerPart, type Ending, ModelError } from "./answer-parts.ts";
import { filterOutput } from "./stream-answer.ts";

async function* partsOf(pieces: readonly string[], ending: Ending): AsyncGenerator<AnswerPart> {
  for (const text of pieces) yield { kind: "text", text };
  yield ending;
}

async function heard(pieces: readonly string[], mayDecline = true, ending: Ending = { kind: "complete" }) {
  const said: string[] = [];
  let end: Ending | undefined;
  for await (const part of filterOutput(partsOf(pieces, ending), { name: "Llama", mayDecline })) {
    if (part.kind === "text") said.push(part.text);
    else end = part;
  }
  return { said, end: end?.kind };
}

/** The text cut into parts of every length. */
const waysToCut = (text: string) => [[text], [...text], text.split(/(?<=.{3})/u), [text.slice(0, 5), text.slice(5)]];

test.each([
  "@outOfDomain",
  "  @outOfDomain\n",
  "@OUTOFDOMAIN",
  "**@outOfDomain**",
  '"@outOfDomain".',
  "@outOfDomain Sorry, I only cook.",
  "Llama: @outOfDomain",
  "<think>A flight?</think>\n@outOfDomain",
])("%j is out of domain, in parts of any length", async (text) => {
  for (const pieces of waysToCut(text)) expect(await heard(pieces)).toEqual({ said: [], end: "outOfDomain" });
});

test.each([
  ["Boil them.", "Boil them."],
  ["@out there, in the wild", "@out there, in the wild"],
  ["\n\n Boil them.", "Boil them."],
  ["Llama: Boil them.", "Boil them."],
  ["Llamas are animals.", "Llamas are animals."],
  ["<think>eggs?</think>\n\nBoil them.", "Boil them."],
  ["<thin crust> is best", "<thin crust> is best"],
  ["I cannot.\n\n@outOfDomain", "I cannot."],
  ["I cannot. @outOfDomain.", "I cannot."],
  ["Say @outOfDomain and go on.", "Say @outOfDomain and go on."],
  ["Write to me@out", "Write to me@out"],
  ["L", "L"],
  ["Boil them. \n\n", "Boil them."],
])("%j becomes %j, in parts of any length", async (text, expected) => {
  for (const pieces of waysToCut(text)) {
    const { said, end } = await heard(pieces);
    expect([said.join(""), end]).toEqual([expected, "complete"]);
  }
});

test("text passes as soon as it can be no token, name or thought", async () => {
  expect((await heard(["Bo", "il ", "them."])).said).toEqual(["Bo", "il", " them."]);
});

test("the token passes if the prompt does not mention it", async () => {
  expect((await heard(["@outOf", "Domain"], false)).said.join("")).toBe("@outOfDomain");
});

test("half a token at the end of a cut answer is text", async () => {
  const error = new ModelError("broken", "gone");
  expect(await heard(["@outOf"], true, { kind: "failed", error })).toEqual({ said: [], end: "outOfDomain" });
});

test("an unfinished thought is removed", async () => {
  expect(await heard(["<think>", "who ", "knows"], true, { kind: "length" })).toEqual({ said: [], end: "length" });
});
