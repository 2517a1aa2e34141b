import { expect, test } from "vitest";
import { withoutCspNoise } from "./csp-noise.ts";

test.each([
  ['<p style="color:red">style=1</p>', '<p data-quiet="color:red">style=1</p>'],
  ["<style>p{}</style>", "<template>p{}</template>"],
  ["<img src=x onerror=run()>", "<img src=x data-quiet=run()>"],
  ["<svg/onload=run()>", "<svg/data-quiet=run()>"],
  ["so on = 1 < style", "so on = 1 < style"],
  ["<p title=a>on, off</p>", "<p title=a>on, off</p>"],
])("%s is parsed as %s", (html, quiet) => expect(withoutCspNoise(html)).toBe(quiet));

test.each(["<a ", "<a on", "<", "<style"])("many %j take no long", (piece) => {
  expect(typeof withoutCspNoise(piece.repeat(50_000))).toBe("string");
});
