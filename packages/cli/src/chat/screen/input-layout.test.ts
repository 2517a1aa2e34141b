import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { layOutInput } from "./input-layout.ts";

const roomy = { columns: 20, rowsMax: 5 };

test("the cursor is where the next letter goes", () => {
  expect(layOutInput("> ", "hello", 5, roomy)).toEqual({ rows: ["> hello"], cursor: { row: 0, column: 7 } });
  expect(layOutInput("> ", "hello", 0, roomy).cursor).toEqual({ row: 0, column: 2 });
  expect(layOutInput("> ", "日本x", 2, roomy).cursor).toEqual({ row: 0, column: 6 });
});

test("a long text takes several rows, of which those around the cursor are shown", () => {
  const text = "abcdefghij".repeat(20);
  const { rows, cursor } = layOutInput("> ", text, text.length, roomy);
  expect(rows).toHaveLength(5);
  expect(rows.at(-1)?.endsWith("hij")).toBe(true);
  expect(cursor.row).toBe(4);
  expect(layOutInput("> ", text, 0, roomy).rows[0]).toBe("> abcdefghijabcdefg");
});

test("no row is wider than the terminal, and the cursor is always inside", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 80 });
  fc.assert(
    fc.property(
      text,
      fc.nat(80),
      fc.integer({ min: 5, max: 40 }),
      fc.integer({ min: 1, max: 6 }),
      (typed, at, columns, rowsMax) => {
        const { rows, cursor } = layOutInput("> ", typed, Math.min(at, typed.length), { columns, rowsMax });
        expect(rows.length).toBeLessThanOrEqual(rowsMax);
        for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(Math.max(columns, 5));
        expect(cursor.row).toBeLessThan(rows.length);
        expect(cursor.column).toBeLessThan(columns);
      },
    ),
  );
});
