import type { UtteranceLine } from "@plenary/transcript";
import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { createParticipants } from "../participants.ts";
import { chatColors } from "./colors.ts";
import { layOutLine, wrap } from "./transcript-layout.ts";

const participants = createParticipants("tag:me");
const colors = chatColors({ env: {} });

function says(text: string, more: Partial<UtteranceLine> = {}): UtteranceLine {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const dialogEvent = { id: "d1", speakerUri: "tag:clock", span: { startTime: "2026-11-16T10:00:00Z" }, features };
  return { kind: "utterance", seq: 1, at: "", sender: "tag:clock", isWhisper: false, dialogEvent, ...more };
}

const rowsOf = (line: UtteranceLine, columns = 30) => layOutLine(line, participants, { colors, columns });

test("text is beside a short name and wraps below itself", () => {
  expect(rowsOf(says("It is ten past nine in the morning."))).toEqual([
    "clock  It is ten past nine in",
    "       the morning.",
  ]);
});

test("whispers and addressed utterances are marked", () => {
  expect(rowsOf(says("psst", { to: "tag:me", isWhisper: true }))).toEqual(["clock (private, to you)  psst"]);
  expect(rowsOf(says("yes", { to: "tag:ann" }))).toEqual(["clock (to ann)  yes"]);
  expect(rowsOf(says("well, @Ann", { to: "tag:ann" }))).toEqual(["clock  well, @Ann"]);
  expect(rowsOf(says("yes", { relayedFrom: "tag:ben" }))).toEqual(["clock, relaying ben  yes"]);
});

test("paragraphs, lists and code keep their lines and indents", () => {
  expect(rowsOf(says("Two:\n\n  1. one\n  2. two"))).toEqual(["clock  Two:", "", "         1. one", "         2. two"]);
});

test("an utterance without text names its features", () => {
  const line = says("");
  const features = { audio: { mimeType: "audio/wav", tokens: [{ valueUrl: "https://x.example/a.wav" }] } };
  expect(rowsOf({ ...line, dialogEvent: { ...line.dialogEvent, features } }, 80)).toEqual([
    "clock  (audio/wav: no text; /raw shows it)",
  ]);
});

test("attachments are listed with the command that shows them; machine features are not", () => {
  const line = says("The transcript, as Markdown.");
  const features = {
    ...line.dialogEvent.features,
    transcript: { mimeType: "text/markdown", tokens: [{ value: "# Lunch", alt: "transcript\u001b[2J.md" }] },
    audio: { mimeType: "audio/wav", tokens: [] },
    steps: { mimeType: "application/vnd.plenary.steps+json", tokens: [] },
  };
  expect(rowsOf({ ...line, seq: 7, dialogEvent: { ...line.dialogEvent, features } }, 60)).toEqual([
    "clock  The transcript, as Markdown.",
    "  + transcript[2J.md (text/markdown): /raw 7 shows it",
    "  + audio (audio/wav): /raw 7 shows it",
  ]);
});

function asks(value: Record<string, string | string[]>): UtteranceLine {
  const line = says("");
  const interaction = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value }] };
  return { ...line, dialogEvent: { ...line.dialogEvent, features: { interaction } } };
}

test("the URL of a question starts at the first column, so that it can be copied", () => {
  const url = "https://login.example/authorize?client_id=abc&state=xyz-1";
  const rows = rowsOf(asks({ text: "Sign in, then go on.", url, options: ["Continue"] }));
  expect(rows).toEqual([
    "clock  Sign in, then go on.",
    ...["https://login.example/authoriz", "e?client_id=abc&state=xyz-1"],
    ...["   1. Continue", "  Type a number"],
  ]);
});

test.each([
  "javascript:alert(1)",
  "https://x.example/\u001b[2J",
  "https://x.example/a b",
  "https://\u202egro.elpmaxe/",
  `https://x.example/${"a".repeat(9_000)}`,
])("what is no plain web address is not shown: %j", (url) => {
  expect(rowsOf(asks({ text: "Sign in.", url }))).toEqual(["clock  Sign in.", "  Type your answer"]);
});

test("the note about an agent without the floor names the command that grants it", () => {
  const words = [{ speakerUri: "tag:owl" }, " did not answer twice"];
  const note = { kind: "note", seq: 1, at: "", sign: "floor", tone: "warning", words, grants: "tag:owl" } as const;
  expect(layOutLine(note, participants, { colors, columns: 80 })).toEqual(["! owl did not answer twice: /grant owl"]);
});

test("notes use the second person for the reader", () => {
  const words = (...parts: (string | { speakerUri: string })[]) =>
    layOutLine({ kind: "note", seq: 1, at: "", sign: "door", tone: "quiet", words: parts }, participants, {
      colors,
      columns: 80,
    });
  expect(words({ speakerUri: "tag:me" }, " has the floor")).toEqual(["· You have the floor"]);
  expect(words({ speakerUri: "tag:ann" }, " took the floor from ", { speakerUri: "tag:me" })).toEqual([
    "· ann took the floor from you",
  ]);
});

test("a notice with an offer names its command", () => {
  const words = [{ speakerUri: "tag:me" }, " could not invite"];
  const note = {
    kind: "note",
    seq: 1,
    at: "",
    sign: "warning",
    tone: "warning",
    words,
    offer: "endConvening",
  } as const;
  expect(layOutLine(note, participants, { colors, columns: 80 })).toEqual([
    "! You could not invite. To end it: /convener none",
  ]);
});

test("each published manifest is one line; malformed ones are skipped", () => {
  const identification = { synopsis: "Tells the\u001b[2J time.", serviceUrl: "https://x.example/clock" };
  const manifest = { identification, capabilities: [{ keyphrases: ["time", { toString: 1 }, "date"] }, null] };
  const parameters = { servicingManifests: [manifest, null, { identification: { synopsis: { toString: 1 } } }] };
  const event = { eventType: "publishManifests", parameters } as never;
  const words = [{ speakerUri: "tag:guide" }, " showed the manifest of Clock"];
  expect(
    layOutLine({ kind: "note", seq: 1, at: "", sign: "card", tone: "quiet", words, event }, participants, {
      colors,
      columns: 80,
    }),
  ).toEqual(["· guide showed the manifest of Clock", "    Tells the[2J time. (time, date) https://x.example/clock"]);
});

test("Markdown is rendered in colour", () => {
  const terminal = { colourBits: 8 };
  const coloured = chatColors({ terminal: terminal as never, env: {} });
  expect(coloured.markdown("# Title\n**bold** and `code **x**`")).toBe(
    "\u001b[1mTitle\u001b[22m\n\u001b[1mbold\u001b[22m and \u001b[36mcode **x**\u001b[39m",
  );
  expect(chatColors({ terminal: terminal as never, env: { NO_COLOR: "1" } }).markdown("**bold**")).toBe("**bold**");
});

test("no row is wider than the screen, and no word is lost", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 20, max: 90 }), (text, columns) => {
      for (const row of rowsOf(says(text), columns)) expect(stringWidth(row)).toBeLessThanOrEqual(columns);
    }),
  );
  expect(wrap("a".repeat(45), 20).join("")).toBe("a".repeat(45));
});
