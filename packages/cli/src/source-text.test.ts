import { expect, test } from "vitest";
import { createPlaceFinder } from "./source-text.ts";

test("lines and columns count from 1, in any order of asking, with either line ending", () => {
  const placeOf = createPlaceFinder("ab\r\ncd\n\nef");
  expect(placeOf({ start: 8, end: 10 })).toMatchObject({ line: 4, column: 1, excerpt: "ef" });
  expect(placeOf({ start: 0, end: 1 })).toMatchObject({ line: 1, column: 1, excerpt: "ab" });
  expect(placeOf({ start: 5, end: 6 })).toMatchObject({ line: 2, column: 2, excerpt: "cd" });
  expect(placeOf({ start: 7, end: 8 })).toMatchObject({ line: 3, column: 1, excerpt: "" });
});

test("the end of the text and an empty text have a place", () => {
  expect(createPlaceFinder("{\n")({ start: 1, end: 2 })).toMatchObject({ line: 1, column: 2, excerpt: "{" });
  expect(createPlaceFinder("")({ start: 0, end: 1 })).toMatchObject({ line: 1, column: 1, excerpt: "", markLength: 1 });
});

test("the mark ends with the line", () => {
  const place = createPlaceFinder('  "a": {\n    "b": 1\n  }')({ start: 2, end: 22 });
  expect(place).toMatchObject({ excerpt: '  "a": {', markStart: 2, markLength: 6 });
});

test("a long line is cut to a window that shows the place", () => {
  const text = `${"x".repeat(5000)}"here"${"y".repeat(5000)}`;
  const { excerpt, markStart, markLength, column } = createPlaceFinder(text)({ start: 5000, end: 5006 });
  expect(column).toBe(5001);
  expect(excerpt.length).toBeLessThan(120);
  expect(excerpt).toMatch(/^\.\.\.x+"here"y+\.\.\.$/u);
  expect(excerpt.slice(markStart, markStart + markLength)).toBe('"here"');
});
