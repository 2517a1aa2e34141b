import {
  type TranscriptEntry as Entry,
  type FloorHistory,
  type Lane,
  listWords,
  type Mark,
  type Span,
  summaryOf,
  talliesOf,
} from "@plenary/transcript";
import { expect, test } from "vitest";
import { basePath, markNear, markX, scaleOf, seqAt, spanAt, spansPath, ticksOf } from "./layout.ts";
import { firstWords, markText, pauseReason } from "./mark-text.ts";
import { type StripView, viewAfterKey } from "./navigation.ts";

function lane(name: string, ...spans: Span[]): Lane {
  return { speakerUri: `tag:${name}`, face: { name, initials: "", hue: 0 }, spans };
}

function utterance(seq: number, row: number, more: Partial<Mark> = {}): Mark {
  return { kind: "utterance", seq, row, withFloor: true, entry: { seq, at: "", kind: "resumed" }, ...more };
}

const history: FloorHistory = {
  lanes: [
    lane("Ann", { kind: "held", from: 1, to: 101 }),
    lane(
      "Bot",
      { kind: "absent", from: 1, to: 11 },
      { kind: "held", from: 11, to: 31 },
      { kind: "asked", from: 81, to: 101 },
    ),
    lane("Cid", { kind: "held", from: 1, to: 6 }, { kind: "held", from: 8, to: 20 }),
  ],
  marks: [
    utterance(10, 0),
    utterance(20, 1),
    utterance(40, 1, { withFloor: false }),
    utterance(60, 0, { isWhisper: true }),
  ],
  pauses: [],
  firstSeq: 1,
  lastSeq: 100,
};
const scale = scaleOf({ from: 1, to: 101 }, 1_016);

test("every entry has a position, and the newest is at the right edge", () => {
  expect([markX(scale, 1), markX(scale, 100)]).toEqual([13, 1_003]);
  for (let seq = 1; seq <= 100; seq += 1) expect(seqAt(scale, markX(scale, seq))).toBe(seq);
});

test("a short log is not stretched, a zoomed range is", () => {
  expect(markX(scaleOf({ from: 1, to: 3 }, 1_000), 1)).toBeGreaterThan(900);
  expect(markX(scaleOf({ from: 1, to: 3 }, 1_000, false), 1)).toBeLessThan(300);
});

test("an invited conversant is not drawn as holding the floor", () => {
  const invited = lane("Bot", { kind: "invited", from: 11, to: 31 }, { kind: "held", from: 12, to: 101 });
  const joined = lane("Bot", { kind: "held", from: 31, to: 101 });
  expect(spansPath(invited, "held", scale, 16)).toBe(spansPath(joined, "held", scale, 16));
});

test("the base line is drawn while the conversant is present", () => {
  expect(basePath(lane("Bot", { kind: "absent", from: 11, to: 51 }), scale)).toBe("M8 12H108M508 12H1016");
});

test("spans less than a pixel apart are drawn as one", () => {
  const many = Array.from(
    { length: 5_000 },
    (_, index): Span => ({ kind: "held", from: index * 2, to: index * 2 + 1 }),
  );
  const path = spansPath(lane("Ann", ...many), "held", scaleOf({ from: 0, to: 10_000 }, 500), 16);
  expect(path.match(/M/gu)).toHaveLength(1);
});

test("too many marks are drawn as one stroke per column", () => {
  const marks = Array.from({ length: 20_000 }, (_, index) => utterance(index + 1, index % 2));
  const { isDense, paths } = ticksOf(marks, 2, scaleOf({ from: 1, to: 20_001 }, 600));
  expect(isDense).toBe(true);
  for (const { tall = "" } of paths) expect(tall.match(/M/gu)?.length).toBeLessThanOrEqual(301);
});

test("only the visible range is drawn", () => {
  const { isDense, paths } = ticksOf(history.marks, 3, scaleOf({ from: 15, to: 50 }, 600));
  expect(isDense).toBe(false);
  expect(paths.map((styles) => Object.keys(styles))).toEqual([[], ["tall", "short"], []]);
});

test("the pointer finds the nearest mark of its lane, within reach", () => {
  expect(markNear(history.marks, scale, markX(scale, 20) + 4, 1)?.seq).toBe(20);
  expect(markNear(history.marks, scale, markX(scale, 20) + 4, 0)).toBeUndefined();
  expect(markNear(history.marks, scale, markX(scale, 20) + 40, 1)).toBeUndefined();
});

test("of overlapping spans the most important is returned", () => {
  const both = lane("Bot", { kind: "held", from: 1, to: 9 }, { kind: "invited", from: 3, to: 5 });
  expect([spanAt(both, 2)?.kind, spanAt(both, 4)?.kind, spanAt(both, 9)?.kind]).toEqual(["held", "invited", undefined]);
});

const press = (view: StripView, ...keys: string[]) =>
  keys.reduce((before, key) => viewAfterKey(key, before, history) ?? before, view);
const nowhere: StripView = { current: undefined, range: undefined };

test.each([
  ["the first arrow goes to the newest mark", ["ArrowLeft"], 60],
  ["left goes back in the log across speakers", ["ArrowLeft", "ArrowLeft", "ArrowLeft"], 20],
  ["nothing is before the first", ["Home", "ArrowLeft"], 10],
  ["nothing is after the last", ["End", "ArrowRight"], 60],
  ["down goes to the nearest mark of the next lane", ["Home", "ArrowDown"], 20],
  ["up goes back", ["Home", "ArrowDown", "ArrowUp"], 10],
  ["below the last lane with marks there is nothing", ["Home", "ArrowDown", "ArrowDown"], 20],
])("%s", (_, keys, seq) => {
  expect(press(nowhere, ...keys).current).toBe(seq);
});

test("plus zooms in on the current mark, minus and 0 zoom out", () => {
  const closer = press({ current: 40, range: undefined }, "+", "+");
  expect(closer.range).toEqual({ from: 28, to: 53 });
  expect(press(closer, "-", "-").range).toBeUndefined();
  expect(press(closer, "0").range).toBeUndefined();
});

test("the zoomed range follows the current mark", () => {
  const { range } = press({ current: 60, range: { from: 50, to: 70 } }, "Home");
  expect(range).toEqual({ from: 10, to: 30 });
});

test("other keys do nothing", () => {
  expect(viewAfterKey("r", nowhere, history)).toBeUndefined();
  expect(viewAfterKey("ArrowLeft", nowhere, { ...history, marks: [] })).toBeUndefined();
});

test("the table has the numbers of the drawing", () => {
  const { withFloor: _, ...unknown } = utterance(70, 2);
  const figures = talliesOf({ ...history, marks: [...history.marks, unknown] }).map(
    ({ lane: __, ...figure }) => figure,
  );
  expect(figures).toEqual([
    { heldTimes: 1, heldShare: 1, askedTimes: 0, withFloor: 1, withoutFloor: 0, unknown: 0, whispers: 1 },
    { heldTimes: 1, heldShare: 0.2, askedTimes: 1, withFloor: 1, withoutFloor: 1, unknown: 0, whispers: 0 },
    { heldTimes: 2, heldShare: 0.17, askedTimes: 0, withFloor: 0, withoutFloor: 0, unknown: 1, whispers: 0 },
  ]);
});

test("the summary names the longest holder and those who wait", () => {
  const sentence = "Ann held the floor longest, 100 % of the time; Bot waits for it.";
  expect(summaryOf(history, talliesOf(history))).toBe(sentence);
  const empty = { ...history, lanes: [], marks: [] };
  expect(summaryOf(empty, talliesOf(empty))).toBe("Nobody has held the floor yet.");
});

test("lists of names are joined as people say them", () => {
  const lists = [[], ["Ann"], ["Ann", "Bob"], ["Ann", "Bob", "Cid"], ["Ann", "Bob", "Cid", "Dan"]];
  expect(lists.map(listWords)).toEqual(["", "Ann", "Ann and Bob", "Ann, Bob and Cid", "Ann, Bob and 2 others"]);
});

function saying(...values: string[]): Entry {
  const features = { text: { mimeType: "text/plain", tokens: values.map((value) => ({ value })) } };
  const dialogEvent = { id: "1", speakerUri: "tag:ann", span: { startTime: "2026-01-01T00:00:00Z" }, features };
  return {
    seq: 1,
    at: "",
    kind: "event",
    sender: "tag:ann",
    event: { eventType: "utterance", parameters: { dialogEvent } },
  };
}

test("the first words are one line of limited length", () => {
  expect(firstWords(saying("Good\n", " morning"))).toBe("Good morning");
  expect(firstWords(saying("long ".repeat(200))).length).toBeLessThanOrEqual(111);
});

test("a mark describes its utterance", () => {
  const nameOf = (speakerUri: string) => speakerUri.slice(4);
  const refused: Entry = {
    seq: 1,
    at: "",
    kind: "refused",
    sender: "tag:a",
    event: { eventType: "bye" },
    problem: "no",
  };
  const marks = [
    utterance(1, 0),
    utterance(1, 0, { withFloor: false, to: "tag:bot" }),
    utterance(1, 0, { isWhisper: true, to: "tag:bot" }),
    utterance(1, 0, { kind: "refused", entry: refused }),
    utterance(1, 0, { kind: "role", entry: { seq: 1, at: "", kind: "role", role: "convener" } }),
  ];
  expect(marks.map((mark) => markText(mark, nameOf))).toEqual([
    "with the floor",
    "to bot, without the floor",
    "whisper to bot",
    "refused: no",
    "is no longer convener",
  ]);
});

test.each([
  ["loop/depth", "Answers to answers"],
  ["loop/agent-events", "more in one turn"],
  ["loop/same-text", "again and again"],
  ["command/pause/person", "A person pressed Stop"],
])("a pause because of %s has a text", (because, words) => {
  const before: Entry = { seq: 1, at: "", kind: "paused", because: "something/else" };
  expect(pauseReason([before, { ...before, seq: 2, because }, { seq: 3, at: "", kind: "resumed" }])).toContain(words);
  expect(pauseReason([before])).toBe("");
});
