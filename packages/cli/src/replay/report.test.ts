import type { Difference, StripLane } from "@plenary/transcript";
import pc from "picocolors";
import { expect, test } from "vitest";
import { differenceLines, durationText } from "./difference-text.ts";
import { entriesOf } from "./stored-log.ts";
import { cellsOf, timelineLines } from "./timeline.ts";

const use = { heldMs: 0, waitedMs: 0, waits: 0, heard: 0, refused: 0 };

function lane(speakerUri: string, spans: StripLane["spans"], marks: StripLane["marks"] = []): StripLane {
  return { speakerUri, spans, marks, use };
}

const drawn = (one: StripLane, steps: number, width: number) =>
  cellsOf(one, steps, width)
    .map((cell) => cell[0])
    .join("");

test("a timeline shows absence, floor, waiting, heard and refused utterances", () => {
  const spans = [
    { kind: "absent", from: 0, to: 1 },
    { kind: "held", from: 1, to: 3 },
    { kind: "asked", from: 4, to: 5 },
  ] as const;
  const marks = [
    { step: 2, kind: "heard" },
    { step: 3, kind: "refused" },
  ] as const;
  expect(drawn(lane("tag:ann", spans, marks), 6, 6)).toBe("ahhrah");
  expect(drawn(lane("tag:ann", spans, marks), 6, 12)).toBe("aahhhhrhaahh");
});

test("many steps share a column, and a refusal stays visible", () => {
  const marks = Array.from({ length: 900 }, (_, step) => ({ step, kind: step === 450 ? "refused" : "heard" }) as const);
  const cells = cellsOf(lane("tag:ann", [{ kind: "held", from: 0, to: 1_000 }], marks), 1_000, 40);
  expect(cells).toHaveLength(40);
  expect(cells.filter((cell) => cell === "refused")).toHaveLength(1);
  expect(cells.slice(-4)).toEqual(["held", "held", "held", "held"]);
});

test("a conversation without steps has an empty timeline", () => {
  expect(cellsOf(lane("tag:ann", []), 0, 40)).toEqual([]);
});

test("lines fit the width, and names are escaped", () => {
  const long = lane("tag:evil", [{ kind: "held", from: 0, to: 500 }]);
  const strip = { lanes: [long], pauses: 0 };
  const comparison = { steps: 500, was: strip, would: { lanes: [], pauses: 0 }, differences: [] };
  const sheet = { columns: 60, colours: pc.createColors(false) };
  const lines = timelineLines(comparison, () => "\u001b[2Jevil \u202e name", sheet);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\S.* was {4}█+$/u);
  expect(lines[0]?.length).toBeLessThanOrEqual(60);
  expect(lines.join("")).not.toMatch(/[\p{Cc}\u202e]/u);
});

test("differences are grouped by speaker and reason, up to a limit", () => {
  const one = (index: number, because: string): Difference => ({
    kind: "utterance",
    speakerUri: "tag:owl",
    dialogEventId: `de:${index}`,
    at: `2026-01-01T10:00:0${index % 10}Z`,
    was: "heard",
    would: "refused",
    because,
  });
  const nameOf = (uri: string) => uri.slice(4);
  expect(differenceLines([one(1, "loop/paused"), one(2, "loop/paused")], nameOf)).toEqual([
    "owl: 2 utterances (10:00:01, 10:00:02) were heard and would be refused (loop/paused: the agents are paused in this turn (D17))",
  ]);
  // A budget has refused it for good, a queue may say it later: of either this is true.
  const about = { speakerUri: "tag:owl", dialogEventId: "de:3", at: "2026-01-01T10:00:03Z" };
  expect(differenceLines([{ kind: "utterance", ...about, was: "heard", would: "waiting" }], nameOf)).toEqual([
    "owl: 1 utterance (10:00:03) was heard and would not be passed on",
  ]);
  const many = Array.from({ length: 30 }, (_, index) => one(index, `rule/${index}`));
  expect(differenceLines(many, nameOf)).toHaveLength(21);
  const floor: Difference = {
    kind: "floor",
    speakerUri: "tag:owl",
    was: use,
    would: { ...use, waitedMs: 75_000, waits: 1 },
  };
  expect(differenceLines([floor, { kind: "lapse", was: 0, would: 1 }], nameOf)).toEqual([
    "owl waited for it 0 ms -> 1 min 15 s",
    "the convener lost its role by silence 0 times -> 1 time",
  ]);
});

test.each([
  [400, "400 ms"],
  [2_340, "2.3 s"],
  [59_000, "59 s"],
  [60_000, "1 min"],
  [3_900_000, "1 h 5 min"],
])("%i ms are %s", (ms, words) => {
  expect(durationText(ms)).toBe(words);
});

test("only the beginning of a long log is read", async () => {
  const asked: number[] = [];
  const log = {
    async entries(_id: string, { after, limit }: { after: number; limit: number }) {
      asked.push(limit);
      return Array.from({ length: limit }, (_, index) => {
        return { seq: after + index + 1, at: "", kind: "closed", turn: "t1", because: "", audience: [] } as const;
      });
    },
  };
  const place = { id: "c1", seq: 1_000_000 };
  const entries = await entriesOf(log, place, { entriesMax: 450, charsMax: 1_000_000 });
  expect([entries.length, entries.at(-1)?.seq, asked]).toEqual([450, 450, [200, 200, 50]]);
  expect((await entriesOf(log, place, { entriesMax: 450, charsMax: 1_000 })).length).toBeLessThan(20);
});
