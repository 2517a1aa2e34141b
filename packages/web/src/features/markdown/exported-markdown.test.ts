// Exported Markdown opens in other readers: utterances must not become HTML or load anything there.
import { markdownOf, type Transcript, type TranscriptEntry } from "@plenary/transcript";
import fc from "fast-check";
import { Marked } from "marked";
import { expect, test } from "vitest";

function exported(value: string): string {
  const speakerUri = "tag:ann.example,2026:1";
  const features = { text: { mimeType: "text/plain", tokens: [{ value }] } };
  const dialogEvent = { id: "de:1", speakerUri, span: { startTime: "2026-11-16T10:00:00Z" }, features };
  const event = { eventType: "utterance", parameters: { dialogEvent } };
  const entry = { kind: "event", seq: 1, at: "2026-11-16T10:00:00.000Z", sender: speakerUri, event };
  const transcript: Transcript = { id: "c", conversants: [], entries: [entry as TranscriptEntry] };
  return markdownOf(transcript);
}

function live(markdown: string): string[] {
  const found: string[] = [];
  const look = ({ type, raw }: { type: string; raw: string }) => {
    if (type === "html" || type === "image" || type === "def") found.push(raw);
  };
  new Marked({ walkTokens: look }).parse(markdown, { async: false });
  return found;
}

const html = `<img src="https://spy.example/" onerror="alert(1)">`;

test.each([
  ["a listing between tildes", `~~~\n\`\`\`\n~~~\n${html}\n\`\`\``],
  ["what looks like an end and is none", `\`\`\`\n\`\`\`\u00a0\n\`\`\`\n${html}\n\`\`\``],
  ["what some take for an end", `\`\`\`\n\`\`\`~\n${html}\n\`\`\``],
  ["an end with a tab", `\`\`\`\n\`\`\`\t\n\`\`\`\n${html}\n\`\`\``],
  ["a fence that is set in", `a\n  \`\`\`\n\`\`\`\n${html}\n\`\`\``],
  ["a fence that is set in by a tab", `a\n\t\`\`\`\n\`\`\`\n${html}\n\`\`\``],
  ["a longer fence", `\`\`\`\`\n\`\`\`\n\`\`\`\`\n${html}\n\`\`\`\``],
])("%s lets no HTML out", (_what, words) => expect(live(exported(words))).toEqual([]));

const marks = fc.constantFrom("```", "````", "~~~", "~~~~", "``", "`");
const before = fc.constantFrom("", "", " ", "  ", "   ", "    ", "\t", "- ", "1. ", "> ", "\u00a0", "* > ");
const after = fc.constantFrom("", "", " ", "\t", "\u00a0", "ts", "~", "`", " a`b", "\u2003", "\\");
const words = fc.constantFrom(
  html,
  html,
  html,
  "<b>",
  "</b>",
  "<!-- ",
  "![a](b)",
  "[a]: b",
  "a",
  "",
  "---",
  "| a | b |",
  "<?x",
  "|-|-|",
);
const line = fc.oneof(
  fc.tuple(before, marks, after).map((parts) => parts.join("")),
  fc.tuple(before, words).map((parts) => parts.join("")),
);

test("no mix of fences, lists and quotations lets HTML or an image out", () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 2, maxLength: 12 }), (lines) => {
      expect(live(exported(lines.join("\n")))).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});
