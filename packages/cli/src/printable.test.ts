import { expect, test } from "vitest";
import { printable, printableInPlace } from "./printable.ts";

test.each([
  ["\u001b[2J", "\\u001b[2J"],
  ["a\nb\tc", "a\\nb\\tc"],
  ["\u202eevil", "\\u202eevil"],
  // The mark that turns Arabic letters, and half of a character.
  ["a\u061cb", "a\\u061cb"],
  ["a\ud800b", "a\\ud800b"],
  ["👩‍🌾 grüßt 鳥", "👩‍🌾 grüßt 鳥"],
])("%j is shown as %j", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test("in place one character stands for one", () => {
  expect(printableInPlace("a\tb\u061cc\ud800d")).toBe("a b\ufffdc\ufffdd");
});
