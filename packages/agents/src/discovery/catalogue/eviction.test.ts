// How much of what others tell is kept, whatever they tell.
import type { Manifest } from "@plenary/protocol";
import { expect, test } from "vitest";
import { createCatalogue } from "./catalogue.ts";

const at = "2026-01-01T00:00:00Z";
const options = { now: () => Date.parse(at) };
const reported = (reportedBy: string) => ({ at, source: "reported", reportedBy }) as const;

function manifestOf(name: string, keyphrases: string[], serviceUrl = `https://${name}.example/`): Manifest {
  return {
    identification: {
      speakerUri: `tag:${name}.example,2025:1`,
      serviceUrl,
      organization: "",
      conversationalName: "",
      synopsis: "",
    },
    capabilities: [{ keyphrases, descriptions: [] }],
  };
}

const wordsOf = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}word${at}`);
const namesIn = (catalogue: ReturnType<typeof createCatalogue>) =>
  catalogue.all().map(({ manifest }) => manifest.identification.speakerUri.slice(4, 7));

test("three hundred terms of a manifest are indexed, and the whole manifest is kept", () => {
  const catalogue = createCatalogue(undefined, options);
  const capabilities = Array.from({ length: 8 }, (_, at) => ({
    keyphrases: wordsOf(`c${at}x`, 60),
    descriptions: [],
  }));
  const long = { ...manifestOf("long", []), capabilities };
  catalogue.add(long, reported("tag:x,2025:x"));
  const found = (text: string) => catalogue.find({ text }).length;
  expect([found("c0xword0"), found("c4xword59"), found("c5xword0"), found("c7xword59")]).toEqual([1, 1, 0, 0]);
  expect(catalogue.all()[0]?.manifest).toEqual(long);
});

test("the terms of reported entries are limited, and take no room from agents' own manifests", () => {
  const catalogue = createCatalogue(undefined, { ...options, limits: { reportedTermsMax: 100 } });
  catalogue.add(manifestOf("own", wordsOf("own", 60)), { at, source: "itself" });
  for (const name of ["one", "two", "tre"])
    catalogue.add(manifestOf(name, wordsOf(name, 40)), reported(`tag:${name},2025`));
  expect(namesIn(catalogue)).toEqual(["own", "two", "tre"]);
  expect(catalogue.find({ text: "oneword1" })).toEqual([]);
  expect(catalogue.find({ text: "ownword1" })).toHaveLength(1);
});

test("the bytes of reported entries are limited", () => {
  const catalogue = createCatalogue(undefined, { ...options, limits: { reportedBytesMax: 1_000 } });
  catalogue.add(manifestOf("own", ["z".repeat(900)]), { at, source: "itself" });
  for (const name of ["one", "two", "tre"])
    catalogue.add(manifestOf(name, ["z".repeat(300)]), reported("tag:x,2025:x"));
  expect(namesIn(catalogue)).toEqual(["own", "tre"]);
});

test("the sum of terms is limited, and first-hand entries are evicted last", () => {
  const catalogue = createCatalogue(undefined, { ...options, limits: { termsInAllMax: 100 } });
  catalogue.add(manifestOf("old", wordsOf("old", 40)), { at, source: "itself" });
  catalogue.add(manifestOf("tld", wordsOf("tld", 40)), reported("tag:x,2025:x"));
  catalogue.add(manifestOf("new", wordsOf("new", 40)), { at, source: "itself" });
  expect(namesIn(catalogue)).toEqual(["old", "new"]);
  catalogue.add(manifestOf("old", wordsOf("few", 10)), { at, source: "itself" });
  catalogue.add(manifestOf("all", wordsOf("all", 50)), { at, source: "itself" });
  expect(namesIn(catalogue)).toEqual(["new", "old", "all"]);
});

test("reported entries per origin are limited, under any names; existing ones stay", () => {
  const catalogue = createCatalogue(undefined, { ...options, limits: { perOriginMax: 2 } });
  const at = (path: string) => `https://Crowd.example/${path}`;
  const add = (name: string) => catalogue.add(manifestOf(name, ["x"], at(name)), reported(`tag:${name},2025`));
  expect([add("one"), add("two"), add("tre"), add("one")]).toEqual(["added", "added", "refused", "known"]);
  const [{ key = "" } = {}] = catalogue.all();
  catalogue.forget(key);
  expect([add("tre"), add("fou")]).toEqual(["added", "refused"]);
});

test("terms of evicted agents are removed, and new ones are found", () => {
  const catalogue = createCatalogue(undefined, { ...options, limits: { reportedTermsMax: 200 } });
  for (let turn = 0; turn < 40; turn += 1) {
    catalogue.add(manifestOf(`one${turn}`, wordsOf(`q${turn}z`, 50)), reported("tag:x,2025:x"));
  }
  expect(catalogue.size).toBe(4);
  expect(catalogue.find({ text: "q39zword1" })).toHaveLength(1);
  expect(catalogue.find({ text: "q1zword1" })).toEqual([]);
});
