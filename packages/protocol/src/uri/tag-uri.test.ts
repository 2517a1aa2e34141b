import fc from "fast-check";
import { expect, test } from "vitest";
import { uriPattern } from "../model/patterns.ts";
import { parseTagUri, tagUri } from "./tag-uri.ts";

test("a tag URI consists of an authority, a date and a specific part", () => {
  expect(tagUri({ authority: "example.com", date: "2025", specific: "guide" })).toBe("tag:example.com,2025:guide");
  expect(tagUri({ authority: "sandro@w3.org", date: "2004-05-31", specific: "Sandro" })).toBe(
    "tag:sandro@w3.org,2004-05-31:Sandro",
  );
});

test("characters that a tag URI does not allow are percent-encoded", () => {
  expect(tagUri({ authority: "example.com", date: "2025", specific: "a b#50%/ü?x:y@z[1]" })).toBe(
    "tag:example.com,2025:a%20b%2350%25/%C3%BC?x:y@z%5B1%5D",
  );
});

test("half a surrogate pair is replaced", () => {
  expect(tagUri({ authority: "example.com", date: "2025", specific: "\ud83d" })).toBe("tag:example.com,2025:%EF%BF%BD");
});

test.each([
  "",
  "-a.com",
  "a-.com",
  "a..com",
  "a_b.com",
  "a.com.",
  "ann@",
  "@a.com",
  "a@b@c.com",
  "ann b@a.com",
  "é.com",
])("the authority %j is refused", (authority) => {
  expect(() => tagUri({ authority, date: "2025", specific: "x" })).toThrow("authority");
  expect(parseTagUri(`tag:${authority},2025:x`)).toBeUndefined();
});

test.each([
  "",
  "25",
  "2025-1",
  "2025-00",
  "2025-13",
  "2025-04-31",
  "2025-02-29",
  "2025-01-00",
  "2025-01-01T00",
  "20255",
])("the date %j is refused", (date) => {
  expect(() => tagUri({ authority: "example.com", date, specific: "x" })).toThrow("date");
  expect(parseTagUri(`tag:example.com,${date}:x`)).toBeUndefined();
});

test.each(["2025", "2025-12", "2025-04-30", "2024-02-29", "2000-02-29"])("the date %j is valid", (date) => {
  expect(parseTagUri(`tag:example.com,${date}:x`)).toEqual({ authority: "example.com", date, specific: "x" });
});

test("a tag URI is parsed with its parts decoded", () => {
  expect(parseTagUri("TAG:my-ids.com,2001-09-15:blog%20entry/1?a#top")).toEqual({
    authority: "my-ids.com",
    date: "2001-09-15",
    specific: "blog entry/1?a",
    fragment: "top",
  });
  expect(parseTagUri("tag:example.com,2025:")).toEqual({ authority: "example.com", date: "2025", specific: "" });
});

test.each([
  "",
  "Parrot_beaconforge",
  "urn:isbn:978-3-16-148410-0",
  "tag:botThatOfferedTheBye.com/7890",
  "tag://myFavoriteDiscoveryBot.com,2025:0001",
  "tag:some_Convener.com,2025:",
  "tag:example.com,2025",
  "tag:example.com,2025:a b",
  "tag:example.com,2025:ü",
  "tag:example.com,2025:50%",
  "tag:example.com,2025:%FF",
  "tag:example.com,2025:x#y#z",
  "tag:example.com,2025:x#%FF",
  " tag:example.com,2025:x",
])("%j is no tag URI", (text) => {
  expect(parseTagUri(text)).toBeUndefined();
});

test("any specific part is read back, and the tag is a valid URI", () => {
  const wellFormed = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(wellFormed, fc.option(wellFormed, { nil: undefined }), (specific, fragment) => {
      const parts = { authority: "a.example", date: "2025-06", specific, ...(fragment !== undefined && { fragment }) };
      const uri = tagUri(parts);
      expect(parseTagUri(uri)).toEqual(parts);
      expect(uri).toMatch(new RegExp(uriPattern, "u"));
    }),
  );
});

test("parseTagUri does not throw for any string", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom("", "tag:", "tag:a.b,2025:"), (rest, start) => {
      const parsed = parseTagUri(start + rest);
      expect(parsed === undefined || tagUri(parsed) !== "").toBe(true);
    }),
  );
  for (const filler of ["a", "-", ".", "%41", "a@", "a."]) {
    expect(() => parseTagUri(`tag:${filler.repeat(100_000)}`)).not.toThrow();
    expect(() => parseTagUri(`tag:a.b,2025:${filler.repeat(100_000)} `)).not.toThrow();
  }
});
