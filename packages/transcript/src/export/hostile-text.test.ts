// Words that were made to keep a floor busy: it has other conversations to look after.
import { expect, test } from "vitest";
import { ann, comes, echo, moves, says, transcriptOf } from "../testing/sample-conversation.ts";
import type { Transcript } from "../transcript.ts";
import { htmlOf } from "./html/page.ts";
import { jsonlOf } from "./jsonl.ts";
import { markdownOf } from "./markdown.ts";
import { mermaidOf } from "./mermaid.ts";

const writers = [htmlOf, markdownOf, mermaidOf, jsonlOf];
const manyTimes = (text: string) => text.repeat(200_000 / text.length);

/** Far less on a machine with nothing else to do; what grows with the square takes much more on any. */
const quickMs = 4_000;

function longestMs(transcript: Transcript): number {
  return Math.max(
    ...writers.map((write) => {
      const before = performance.now();
      write(transcript);
      return performance.now() - before;
    }),
  );
}

const tokens = {
  blanks: `A${manyTimes(" ")}!`,
  lines: `A${manyTimes("\n")}!`,
  "lines and blanks": `A${manyTimes(" \n")}!`,
  quotes: manyTimes(`"'`),
  fences: manyTimes("```"),
  "fences, one a line": manyTimes("```\n"),
  "fences and tildes": manyTimes("~~~\n```\n"),
  "longer and longer fences": Array.from({ length: 600 }, (_, length) => "`".repeat(length)).join("\n"),
  hashes: manyTimes("#"),
  semicolons: manyTimes(";"),
  "a data URL without end": `data:image/png${manyTimes(";a")}`,
  brackets: manyTimes("!["),
  "what is no character": manyTimes("\ud800\u202e"),
  equals: `A${manyTimes("=")}!`,
};

test.each(Object.entries(tokens))("%s: 200,000 characters of them are written at once", (_what, value) => {
  const image = { mimeType: "image/png", tokens: [{ value }] };
  const features = { image, other: { mimeType: "x/y", tokens: [{ value }] } };
  const bare = [comes(echo, value), says(ann, value, { features }), moves(ann, "revokeFloor", echo, value)];
  expect(longestMs(transcriptOf(bare, { title: value, id: value }))).toBeLessThan(quickMs);
});

const uri = (number: number) => `tag:x.example,2026:${number}`;
const many = Array.from({ length: 5_000 }, (_, number) => number);
const renamed = (from: number, to: number) => ({
  kind: "renamed",
  from: uri(from),
  to: uri(to),
  identification: comes(uri(to), "Bob").seat.identification,
});

test("five thousand of one name are distinguished at once", () => {
  const transcript = transcriptOf(many.map((number) => comes(uri(number), "Bob")));
  expect(longestMs(transcript)).toBeLessThan(quickMs);
  expect(markdownOf(transcript)).toContain("**Bob (4999)**");
});

test.each<[string, (number: number) => readonly [number, number]]>([
  ["each to a new name", (number) => [number, number + 1]],
  ["all to one name", (number) => [number + 1, 0]],
])("five thousand renames, %s, are exported quickly", (_what, pair) => {
  expect(longestMs(transcriptOf(many.map((number) => renamed(...pair(number)))))).toBeLessThan(quickMs);
});

test("five thousand renames, each to a seated speaker, are exported quickly", () => {
  const here = many.map((number) => comes(uri(number), "Bob"));
  expect(
    longestMs(transcriptOf([...here, ...many.slice(1).map((number) => renamed(number - 1, number))])),
  ).toBeLessThan(quickMs);
});
