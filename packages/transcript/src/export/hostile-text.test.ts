// Texts that are slow to export if the time grows with the square of their length. Time is judged in nightly runs only (D46).
import { expect, test } from "vitest";
import { ann, comes, echo, moves, says, transcriptOf } from "../testing/sample-conversation.ts";
import type { Transcript } from "../transcript.ts";
import { htmlOf } from "./html/page.ts";
import { jsonlOf } from "./jsonl.ts";
import { markdownOf } from "./markdown.ts";
import { mermaidOf } from "./mermaid.ts";

type Writer = [
  format: string,
  write: (transcript: Transcript) => string,
  isWhole: (text: string, of: Transcript) => boolean,
];

const countIn = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
const writers: Writer[] = [
  ["HTML", htmlOf, (text) => text.trimEnd().endsWith("</html>")],
  ["Markdown", markdownOf, (text) => text.startsWith("# ") && text.endsWith("\n")],
  ["Mermaid", mermaidOf, (text) => text.includes("sequenceDiagram") && text.endsWith("\n")],
  ["JSON lines", jsonlOf, (text, { entries }) => countIn(text, /\n/gu) === entries.length + 1],
];
const manyTimes = (text: string) => text.repeat(200_000 / text.length);

/** Far more than linear time takes, far less than quadratic time. */
const quickMs = 4_000;
const isNightly = process.env.PLENARY_NIGHTLY === "1";

/** Each format is written to its end. */
function expectWritten(transcript: Transcript): void {
  for (const [format, write, isWhole] of writers) {
    const before = performance.now();
    const text = write(transcript);
    const tookMs = performance.now() - before;
    expect(isWhole(text, transcript), format).toBe(true);
    if (isNightly) expect(tookMs, format).toBeLessThan(quickMs);
  }
}

const tokens = {
  blanks: `A${manyTimes(" ")}!`,
  lines: `A${manyTimes("\n")}!`,
  "lines and blanks": `A${manyTimes(" \n")}!`,
  quotes: manyTimes(`"'`),
  fences: manyTimes("```"),
  "fences, one a line": manyTimes("```\n"),
  "fences and tildes": manyTimes("~~~\n```\n"),
  "fences of growing length": Array.from({ length: 600 }, (_, length) => "`".repeat(length)).join("\n"),
  hashes: manyTimes("#"),
  semicolons: manyTimes(";"),
  "a data URL without end": `data:image/png${manyTimes(";a")}`,
  brackets: manyTimes("!["),
  "invalid and invisible characters": manyTimes("\ud800\u202e"),
  equals: `A${manyTimes("=")}!`,
};

test.each(Object.entries(tokens))("%s: 200,000 characters are exported in each format", (_what, value) => {
  const image = { mimeType: "image/png", tokens: [{ value }] };
  const features = { image, other: { mimeType: "x/y", tokens: [{ value }] } };
  const bare = [comes(echo, value), says(ann, value, { features }), moves(ann, "revokeFloor", echo, value)];
  expectWritten(transcriptOf(bare, { title: value, id: value }));
});

const uri = (number: number) => `tag:x.example,2026:${number}`;
const many = Array.from({ length: 5_000 }, (_, number) => number);
const renamed = (from: number, to: number) => ({
  kind: "renamed",
  from: uri(from),
  to: uri(to),
  identification: comes(uri(to), "Bob").seat.identification,
});

test("five thousand speakers of one name are distinguished", () => {
  const transcript = transcriptOf(many.map((number) => comes(uri(number), "Bob")));
  expectWritten(transcript);
  expect(markdownOf(transcript)).toContain("**Bob (4999)**");
});

test.each<[string, (number: number) => readonly [number, number]]>([
  ["each to a new name", (number) => [number, number + 1]],
  ["all to one name", (number) => [number + 1, 0]],
])("five thousand renames, %s, are exported", (_what, pair) => {
  expectWritten(transcriptOf(many.map((number) => renamed(...pair(number)))));
});

test("five thousand renames, each to a seated speaker, are exported", () => {
  const here = many.map((number) => comes(uri(number), "Bob"));
  expectWritten(transcriptOf([...here, ...many.slice(1).map((number) => renamed(number - 1, number))]));
});
