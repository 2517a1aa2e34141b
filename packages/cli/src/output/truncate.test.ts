import { expect, test } from "vitest";
import { truncate } from "./truncate.ts";

test.each([
  ["kestrel", 7, "kestrel"],
  ["kestrels", 7, "kestre…"],
  // Each takes two columns.
  ["鳥鳥鳥", 5, "鳥鳥…"],
  ["鳥鳥鳥", 4, "鳥…"],
  // One character of several parts is there or not.
  ["👩‍🌾👩‍🌾👩‍🌾", 4, "👩‍🌾…"],
])("%s in %d columns is %s", (text, columns, short) => {
  expect(truncate(text, columns)).toBe(short);
});
