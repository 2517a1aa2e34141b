import { expect, test } from "vitest";
import { wordByWord } from "./guide.ts";

const text = "Run it:\n\n```js\n  await listen(agent);\n```\n\n- done";

async function wordsOf(text: string): Promise<string[]> {
  const words: string[] = [];
  for await (const word of wordByWord(text, 10, new AbortController().signal)) words.push(word);
  return words;
}

test("the words together are the text, including spaces", async () => {
  const words = await wordsOf(text);
  expect(words.length).toBe(8);
  expect(words.join("")).toBe(text);
});

test("an empty text has no words", async () => {
  expect(await wordsOf("")).toEqual([]);
});

test("an abort ends the stream during a pause", async () => {
  const controller = new AbortController();
  const words = wordByWord(text, 3_600_000, controller.signal);
  const next = words.next();
  controller.abort();
  await expect(next).rejects.toMatchObject({ name: "AbortError" });
  expect(await words.next()).toEqual({ done: true, value: undefined });
});
