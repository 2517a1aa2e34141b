import { expect, test } from "vitest";
import { fromOvonId, toOvonId, unmarked, withMark } from "./marks.ts";

test("a marked id is recognized by its mark and read back without it", () => {
  const id = withMark("de:1", ":plenary:history");
  expect(unmarked(id, ":plenary:history")).toBe("de:1");
  expect(unmarked(id, ":plenary:reason")).toBeUndefined();
});

test("an id that already ends in a mark is escaped, is not read as marked, and is read back", () => {
  for (const id of [
    "x:plenary:history",
    "x:plenary:reason",
    "x:plenary:history:plain",
    ":plenary:reason:plain:plain",
  ]) {
    const written = toOvonId(id);
    expect(unmarked(written, ":plenary:history")).toBeUndefined();
    expect(unmarked(written, ":plenary:reason")).toBeUndefined();
    expect(fromOvonId(written)).toBe(id);
  }
});

test("any other id is written unchanged", () => {
  for (const id of ["de:1", "x:plain", "plenary:history", "x:history"]) {
    expect([toOvonId(id), fromOvonId(id)]).toEqual([id, id]);
  }
});
