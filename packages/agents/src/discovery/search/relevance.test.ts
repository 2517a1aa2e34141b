import { readFileSync } from "node:fs";
import type { Manifest } from "@plenary/protocol";
import { expect, test } from "vitest";
import { createCatalogue } from "../catalogue/catalogue.ts";

type Asked = { servable: readonly { ask: string; expect: string }[]; unservable: readonly string[] };
/** The ranking was made with the first set in view; the second and the third show how it does on others. */
type Sets = { tunedOn: Asked; heldOut: Asked; writtenAfterwards: Asked; homonyms: readonly string[] };

const read = (name: string) => JSON.parse(readFileSync(new URL(`testing/${name}`, import.meta.url), "utf8"));
const manifests: readonly Manifest[] = read("manifests.json").map((one: Manifest, at: number) => ({
  ...one,
  identification: {
    ...one.identification,
    speakerUri: `tag:example.com,2025:${at}`,
    serviceUrl: `https://a${at}.example/`,
  },
}));
const { homonyms, ...sets }: Sets = read("queries.json");

const at = "2026-01-01T00:00:00Z";
const catalogue = createCatalogue(undefined, { now: () => Date.parse(at) });
for (const manifest of manifests) catalogue.add(manifest, { at, source: "itself" });

const namesFor = (text: string) =>
  catalogue.find({ text }).map(({ known }) => known.manifest.identification.conversationalName);

function ranked({ servable }: Asked) {
  const ranks = servable.map(({ ask, expect: first }) => ({ ask, first, rank: namesFor(ask).indexOf(first) }));
  return {
    count: ranks.length,
    missed: ranks.filter(({ rank }) => rank !== 0),
    lost: ranks.filter(({ rank }) => rank < 0 || rank > 2),
  };
}

const all: Asked = {
  servable: Object.values(sets).flatMap(({ servable }) => servable),
  unservable: Object.values(sets).flatMap(({ unservable }) => unservable),
};

test("the set has its expected size", () => {
  expect(manifests.length).toBeGreaterThanOrEqual(45);
  expect(all.servable.length).toBeGreaterThanOrEqual(70);
  expect(sets.heldOut.servable.length * 3).toBeGreaterThanOrEqual(
    all.servable.length - sets.writtenAfterwards.servable.length,
  );
  expect(all.unservable.length).toBeGreaterThanOrEqual(15);
});

test("the right agent comes first for nine requests in ten, and is nearly always among the first three", () => {
  for (const [name, set] of Object.entries({ ...sets, all })) {
    const { count, missed, lost } = ranked(set);
    console.log(`${name}: ${count - missed.length} of ${count} first, ${count - lost.length} among the first three`);
  }
  const { count, missed, lost } = ranked(all);
  expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(count * 0.1);
  expect(lost.length, JSON.stringify(lost, null, 1)).toBeLessThanOrEqual(count * 0.02);
});

test.each(["heldOut", "writtenAfterwards"] as const)("the same holds for unseen requests: %s", (name) => {
  const { count, missed } = ranked(sets[name]);
  expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(count * 0.1);
});

test.each(all.unservable)("%j finds no agent", (ask) => {
  expect(namesFor(ask)).toEqual([]);
});

// A word index does not know meanings: a verb finds agents that have the same word as a noun.
test.each(homonyms)("%j is misunderstood", (ask) => {
  expect(namesFor(ask)).not.toEqual([]);
});

test("the results do not depend on the order of adding", () => {
  const other = createCatalogue(undefined, { now: () => Date.parse(at) });
  for (const manifest of manifests.toReversed()) other.add(manifest, { at, source: "itself" });
  for (const { ask } of all.servable) {
    const keys = other.find({ text: ask }).map(({ known }) => known.key);
    expect(keys).toEqual(catalogue.find({ text: ask }).map(({ known }) => known.key));
  }
});
