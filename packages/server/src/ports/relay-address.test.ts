import { relayUrlOf } from "@plenary/floor";
import { expect, test } from "vitest";
import { speakerAt, speakerIn } from "./speaker-uri.ts";

const floorUrl = "https://floor.example/openfloor";
const speakerUri = "tag:floor.example,2026:Zoë/1?x";

test("a relay address is decoded to its speaker, at this floor only", () => {
  const url = relayUrlOf(floorUrl, speakerUri);
  expect(url).toMatch(/^https:\/\/floor\.example\/openfloor\/at\/[\w-]+$/u);
  expect(speakerAt(floorUrl, url)).toBe(speakerUri);
  expect(speakerAt("https://other.example/openfloor", url)).toBeUndefined();
});

test.each(["", "!!", "dGVzdA", "//8", "dGVzdA/../x"])("%j is not a relay address", (encoded) => {
  expect(speakerIn(encoded)).toBeUndefined();
});
