import { expect, test } from "vitest";
import { answerWords, lapseFeature, optionNamed, replyFeature, replyIn, timeLeft } from "./interaction.ts";

const options = [
  { id: "g", label: "Green tea", value: "green" },
  { id: "2", label: "Black tea", value: "black" },
  { id: "3", label: "2", value: "two" },
];

test("the text of an answer consists of labels and is never empty", () => {
  expect(answerWords(options, ["black", "green"])).toBe("Black tea, Green tea");
  expect(answerWords(options, ["coffee"])).toBe("coffee");
  expect(answerWords(options, [])).toBe("No answer");
  expect(answerWords(options, [" "])).toBe("No answer");
});

test("an option is found by its label or value, and otherwise by its id", () => {
  expect(["GREEN TEA", "black", "g", "2", "3", "4"].map((words) => optionNamed(options, words)?.value)).toEqual([
    ...["green", "black", "green", "two", "two", undefined],
  ]);
});

test("a reply is read back as written, and an invalid reply gives undefined", () => {
  const said = (interactionReply: unknown) =>
    ({ id: "d1", speakerUri: "tag:ann", span: { startTime: "" }, features: { interactionReply } }) as never;
  expect(replyIn(said(replyFeature("q1", ["green"])))).toEqual({ id: "q1", values: ["green"] });
  expect(replyIn(said(lapseFeature("q1")))).toEqual({ id: "q1", values: [], isLapsed: true });
  const replyOf = (value: unknown) => replyIn(said({ mimeType: "x/y", tokens: [{ value }] }));
  expect(replyOf({ id: "q1", values: [{ toString: 1 }, 7] })).toEqual({ id: "q1", values: ["7"] });
  for (const value of [{ id: { toString: 1 }, values: [] }, { id: "q1" }, null, "q1"])
    expect(replyOf(value)).toBeUndefined();
});

test("the remaining time is shown in a readable unit", () => {
  expect([41_100, 0, -5, 119_000, 180_000, 7_200_000].map(timeLeft)).toEqual([
    "42 s left",
    "0 s left",
    "0 s left",
    "119 s left",
    "3 min left",
    "2 h left",
  ]);
});
