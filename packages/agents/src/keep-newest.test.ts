import { expect, test } from "vitest";
import { keepNewest } from "./keep-newest.ts";

test("the oldest key is deleted, and setting a key again makes it the newest", () => {
  const map = new Map<string, number>();
  for (const [index, key] of ["ann", "bob", "ann", "cid", "dan"].entries()) keepNewest(map, key, index, 3);
  expect([...map]).toEqual([
    ["ann", 2],
    ["cid", 3],
    ["dan", 4],
  ]);
});
