import { expect, test } from "vitest";
import { keepNewest } from "./keep-newest.ts";

test("whoever was set longest ago makes room, and who is set again is the newest", () => {
  const map = new Map<string, number>();
  for (const [index, key] of ["ann", "bob", "ann", "cid", "dan"].entries()) keepNewest(map, key, index, 3);
  expect([...map]).toEqual([
    ["ann", 2],
    ["cid", 3],
    ["dan", 4],
  ]);
});
