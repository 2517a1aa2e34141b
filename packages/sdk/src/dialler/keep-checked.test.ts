import { expect, test } from "vitest";
import { keepChecked, keptUrlCharsMax, keptUrlsMax } from "./keep-checked.ts";

function createCounted() {
  const checked: string[] = [];
  const check = keepChecked((url) => {
    checked.push(url);
    if (url.startsWith("bad:")) throw new Error("refused");
    return { url };
  });
  return { check, checked };
}

test("a URL is checked once, and its result is the same object", () => {
  const { check, checked } = createCounted();
  expect(check("a:1")).toBe(check("a:1"));
  expect(check("a:2")).toEqual({ url: "a:2" });
  expect(checked).toEqual(["a:1", "a:2"]);
});

test("a refused URL is checked and refused each time", () => {
  const { check, checked } = createCounted();
  for (let time = 0; time < 3; time += 1) expect(() => check("bad:1")).toThrow("refused");
  expect(checked).toHaveLength(3);
});

test("the least recently used URL is dropped when there are too many", () => {
  const { check, checked } = createCounted();
  for (let index = 0; index < keptUrlsMax; index += 1) check(`a:${index}`);
  check("a:0");
  check("a:new");
  expect(checked).toHaveLength(keptUrlsMax + 1);
  check("a:0");
  expect(checked).toHaveLength(keptUrlsMax + 1);
  check("a:1");
  expect(checked).toHaveLength(keptUrlsMax + 2);
});

test("a long URL is not kept", () => {
  const { check, checked } = createCounted();
  const longest = "a".repeat(keptUrlCharsMax);
  for (const url of [longest, longest, `${longest}b`, `${longest}b`]) expect(check(url)).toEqual({ url });
  expect(checked).toEqual([longest, `${longest}b`, `${longest}b`]);
});
