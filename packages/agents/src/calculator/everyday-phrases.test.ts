// Calculations in everyday words: percentages, money, and decimal commas.
import { expect, test } from "vitest";
import { answerTo } from "./evaluate.ts";
import { parseQuestion } from "./parse-question.ts";

function asked(text: string): { answer: string | undefined; isSure: boolean } {
  const question = parseQuestion(text);
  return { answer: question && answerTo(question), isSure: question?.isSure === true };
}

test.each([
  ["add 10% to 50", "add 10% to 50 = 55"],
  ["add 3 to 4", "add 3 to 4 = 7"],
  ["subtract 10 percent from 50", "subtract 10 percent from 50 = 45"],
  ["increase 80 by 15%", "increase 80 by 15% = 92"],
  ["reduce 200 by 10%", "reduce 200 by 10% = 180"],
  ["30 is what percent of 120?", "30 is 25% of 120"],
  ["what percentage of 1,200 is 30", "30 is 2.5% of 1200"],
  ["what percentage is 1 of 3", "1 is about 33.3333% of 3"],
  ["30 out of 120 in percent", "30 is 25% of 120"],
  ["what percent of 0 is 3", "3 of 0 has no answer: nothing can be divided by zero."],
  ["$40 + 8%", "$40 + 8% = 43.2"],
  ["25% of $80", "25% of $80 = 20"],
  ["3 hours 20 min in minutes", "3 hours 20 min = 200 minutes"],
  ["min(3, 4)", "min(3, 4) = 3"],
])("%s", (text, answer) => {
  expect(asked(text)).toEqual({ answer, isSure: true });
});

test.each([
  ["15% tip on 42,50", "15% tip on 42.50 = 6.38, total 48.88"],
  ["1.000,50 + 2", "1000.50 + 2 = 1002.5"],
  ["what is 5,5% of 200", "5.5% of 200 = 11"],
])("a decimal comma is read when the calculator is called: %s", (text, answer) => {
  expect(asked(text)).toEqual({ answer, isSure: false });
});

test("a rounded result is written with ≈", () => {
  expect(asked("2 kg in pounds").answer).toBe("2 kg ≈ 4.4092452 pounds");
  expect(asked("1,000 * 3").answer).toBe("1,000 * 3 = 3000");
});

test.each([
  "$5 + €3",
  "$5 in cm",
  "0x1F + 1",
  "what percent of people agree",
  "add salt to taste",
  "add 10% to the bill",
])("%s is no calculation", (text) => {
  expect(asked(text)).toEqual({ answer: undefined, isSure: false });
});
