import type { Entry } from "@plenary/floor";
import { expect, test } from "vitest";
import { createStableNames } from "./stable-names.ts";

const held = (seq: number, speakerUri: string): Entry => ({
  kind: "held",
  seq,
  at: "2025-05-02T09:00:00.000Z",
  turn: "t1",
  because: "2.2/held",
  audience: [speakerUri],
  speakerUri,
  depth: 1,
});

test("similar entries of one input get different names, and the same names in every log", () => {
  const names = [createStableNames(), createStableNames()].map((naming, log) => {
    const first = 1 + log * 10;
    for (const seq of [first, first + 1]) naming.read(held(seq, "tag:owl.example,2025:1"), "input 1");
    naming.read(held(first + 2, "tag:wren.example,2025:1"), "input 1");
    const given = [0, 1, 2].map((place) => naming.heldName(first + place) ?? "");
    expect(given.map((name) => naming.heldCalled(name))).toEqual([first, first + 1, first + 2]);
    return given;
  });
  expect(new Set(names[0]).size).toBe(3);
  expect(names[1]).toEqual(names[0]);
});
