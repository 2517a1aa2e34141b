import { expect, test } from "vitest";
import { printable, printableInPlace, sanitizeLine, sanitizeText } from "./sanitize.ts";

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

test("in place each character is replaced by one", () => {
  expect(printableInPlace("a\tb\u061cc\ud800d")).toBe("a b\ufffdc\ufffdd");
});

test("a text keeps line breaks and loses control and bidirectional characters", () => {
  expect(sanitizeText("one\r\ntwo\u2028three\ttabbed")).toBe("one\ntwo\nthree    tabbed");
  expect(sanitizeText("a\u001b[2Jb\u009b1mc\u0007d\u202ee\u061cf")).toBe("a\ufffd[2Jb\ufffd1mc\ufffdd\ufffde\ufffdf");
});

test("no control sequence is left, whatever the input", () => {
  const all = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join("");
  expect(sanitizeText(all)).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
  expect(sanitizeLine(all, 100_000)).not.toMatch(/\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
});

test("letters keep a few combining marks", () => {
  expect(sanitizeText(`e\u0301 ${"z"}${"\u0300".repeat(500)}`)).toBe(`e\u0301 z${"\u0300".repeat(4)}`);
});

test("long text is cut, with a hint where the rest is", () => {
  expect(sanitizeText("x".repeat(30_000))).toMatch(/^x{20000} … \(cut here: \/raw has all of it\)$/u);
  expect(sanitizeLine("word ".repeat(500))).toHaveLength(300);
});
