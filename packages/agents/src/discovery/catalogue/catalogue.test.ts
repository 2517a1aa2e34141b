import type { Manifest } from "@plenary/protocol";
import type { CatalogueStore, StoredManifest } from "@plenary/sdk";
import { expect, test } from "vitest";
import { createCatalogue } from "./catalogue.ts";
import type { CatalogueEntry } from "./entry.ts";

const day = 86_400_000;
const at = "2026-01-01T00:00:00Z";
const time = Date.parse(at);
const options = { now: () => time };

function manifestOf(name: string, keyphrase: string, serviceUrl = `https://${name}.example/`): Manifest {
  return {
    identification: {
      speakerUri: `tag:${name}.example,2025:1`,
      serviceUrl,
      organization: "Example",
      conversationalName: name,
      synopsis: "",
    },
    capabilities: [{ keyphrases: [keyphrase], descriptions: [] }],
  };
}

/** As both stores of the floor are, and it can be full. */
function createStore() {
  const kept = new Map<string, string>();
  const state = { isFull: false, writes: 0 };
  const store: CatalogueStore = {
    manifests: async () => [...kept].map(([key, known]): StoredManifest => ({ key, known })),
    async keepManifests({ kept: changed, forgotten }) {
      if (state.isFull) throw new Error("the disk is full");
      state.writes += 1;
      for (const key of forgotten) kept.delete(key);
      for (const { key, known } of changed) kept.set(key, known);
    },
  };
  return { store, kept, state };
}

const namesIn = (catalogue: ReturnType<typeof createCatalogue>, text: string) =>
  catalogue.find({ text }).map(({ known }) => known.manifest.identification.conversationalName);

test("entries and their health survive a restart", async () => {
  const { store, state } = createStore();
  const before = createCatalogue(store, options);
  await before.load();
  expect(before.add(manifestOf("ada", "poems"), { at, source: "itself" })).toBe("added");
  expect(before.add(manifestOf("bob", "songs"), { at, source: "reported", reportedBy: "tag:x,2025:x" })).toBe("added");
  before.health("https://bob.example", "failing", at);
  await before.close();
  expect(state.writes).toBe(1);
  const after = createCatalogue(store, options);
  await after.load();
  expect(after.all()).toEqual(before.all());
  expect(namesIn(after, "who sings songs?")).toEqual(["bob"]);
  expect(after.atService("https://bob.example")).toMatchObject([{ health: "failing", reportedBy: "tag:x,2025:x" }]);
});

test("a forgotten entry stays forgotten after a restart", async () => {
  const { store, kept } = createStore();
  const catalogue = createCatalogue(store, options);
  catalogue.add(manifestOf("ada", "poems"), { at, source: "itself" });
  const [{ key = "" } = {}] = catalogue.all();
  expect([catalogue.forget(key), catalogue.forget(key)]).toEqual([true, false]);
  expect(namesIn(catalogue, "poems")).toEqual([]);
  await catalogue.close();
  expect(kept.size).toBe(0);
});

test("a changed manifest is found by its new content", () => {
  const catalogue = createCatalogue(undefined, options);
  catalogue.add(manifestOf("ada", "poems"), { at, source: "itself" });
  expect(catalogue.add(manifestOf("ada", "poems"), { at, source: "itself" })).toBe("known");
  expect(catalogue.add(manifestOf("ada", "bicycles"), { at, source: "itself" })).toBe("added");
  expect([namesIn(catalogue, "poems"), namesIn(catalogue, "bicycles"), catalogue.size]).toEqual([[], ["ada"], 1]);
});

test("a removed term is found again when an agent has it again", () => {
  const catalogue = createCatalogue(undefined, options);
  const tellOf = (name: string, keyphrase: string) =>
    catalogue.add(manifestOf(name, keyphrase), { at, source: "itself" });
  for (const keyphrase of ["poems", "bicycles", "poems", "bicycles"]) tellOf("ada", keyphrase);
  tellOf("bob", "poems and novels");
  tellOf("eve", "poem");
  expect([namesIn(catalogue, "a poem"), namesIn(catalogue, "a bicycel")]).toEqual([["eve", "bob"], ["ada"]]);
  for (const { key } of catalogue.withSpeaker("tag:ada.example,2025:1")) catalogue.forget(key);
  expect([namesIn(catalogue, "bicycles"), namesIn(catalogue, "poem")]).toEqual([[], ["eve", "bob"]]);
  expect(catalogue.atService("https://ada.example")).toEqual([]);
});

test("one search with several filters gives the same results as several searches", () => {
  const catalogue = createCatalogue(undefined, options);
  for (let one = 0; one < 100; one += 1) {
    catalogue.add(manifestOf(`agent${one}`, "poems"), { at, source: "itself" });
  }
  const groups = [7, 50, 2].map((divisor) => ({
    matches: ({ manifest }: CatalogueEntry) =>
      Number(/\d+/.exec(manifest.identification.conversationalName)) % divisor === 0,
    limit: 4,
  }));
  const alone = groups.map((group) => catalogue.find({ text: "poems", ...group }));
  expect(alone.map(({ length }) => length)).toEqual([4, 2, 4]);
  expect(catalogue.findEach({ text: "poems" }, groups)).toEqual(alone);
});

test("the best entry is found after many others", () => {
  const catalogue = createCatalogue(undefined, options);
  for (let one = 0; one < 100; one += 1) {
    catalogue.add(manifestOf(`agent${one}`, "poems or novels"), { at, source: "itself" });
  }
  catalogue.add(manifestOf("zoe", "poems"), { at, source: "itself" });
  expect(namesIn(catalogue, "poems").slice(0, 2)).toEqual(["zoe", "agent0"]);
});

test("a report neither changes nor refreshes an agent's own manifest", () => {
  const catalogue = createCatalogue(undefined, options);
  catalogue.add(manifestOf("ada", "poems"), { at, source: "itself" });
  const later = "2026-03-01T00:00:00Z";
  expect(
    catalogue.add(manifestOf("ada", "casino"), { at: later, source: "reported", reportedBy: "tag:x,2025:x" }),
  ).toBe("known");
  expect([namesIn(catalogue, "casino"), namesIn(catalogue, "poems")]).toEqual([[], ["ada"]]);
  expect(catalogue.all()).toMatchObject([{ heardAt: at, source: "itself" }]);
});

test("of two reports the first holds until it is stale", () => {
  const clock = { time };
  const catalogue = createCatalogue(undefined, { now: () => clock.time });
  const telling = (reportedBy: string) =>
    ({ at: new Date(clock.time).toISOString(), source: "reported", reportedBy }) as const;
  catalogue.add(manifestOf("ada", "poems"), telling("tag:x,2025:x"));
  expect(catalogue.add(manifestOf("ada", "casino"), telling("tag:y,2025:y"))).toBe("known");
  clock.time += 8 * day;
  expect(catalogue.add(manifestOf("ada", "casino"), telling("tag:y,2025:y"))).toBe("added");
  expect(catalogue.add(manifestOf("ada", "novels"), { at, source: "itself" })).toBe("added");
  expect(catalogue.all()[0]).not.toHaveProperty("reportedBy");
});

test("a report with the speakerUri of an agent verified at another address is refused, and an earlier one dropped", () => {
  const catalogue = createCatalogue(undefined, options);
  const reported = { at, source: "reported", reportedBy: "tag:x,2025:x" } as const;
  const thief = manifestOf("ada", "poems", "https://a-thief.example/");
  expect(catalogue.add(thief, reported)).toBe("added");
  catalogue.add(manifestOf("ada", "poems"), { at, source: "itself" });
  expect(catalogue.add(thief, reported)).toBe("refused");
  expect(
    catalogue.add(
      { ...thief, identification: { ...thief.identification, speakerUri: "TAG:ADA.example,2025:1/" } },
      reported,
    ),
  ).toBe("refused");
  expect(catalogue.find({ text: "poems" }).map(({ known }) => known.source)).toEqual(["itself"]);
  expect(catalogue.isElsewhere(thief)).toBe(true);
  // Where it answers itself as well it is known there, too.
  expect(catalogue.add(thief, { at, source: "itself" })).toBe("added");
  expect(catalogue.isElsewhere(thief)).toBe(false);
});

test.each([
  ["too large", { ...manifestOf("ada", "x".repeat(70_000)) }],
  ["at no address", manifestOf("ada", "poems", "nowhere")],
  ["at an address that cannot be called", manifestOf("ada", "poems", "javascript:alert(1)")],
  ["at an endless address", manifestOf("ada", "poems", `https://a.example/${"a".repeat(3_000)}`)],
])("a manifest is refused that is %s", (_why, manifest) => {
  const catalogue = createCatalogue(undefined, options);
  expect(catalogue.add(manifest, { at, source: "itself" })).toBe("refused");
  expect(catalogue.size).toBe(0);
});

test("eviction takes reported entries first and entries added by hand last", () => {
  const catalogue = createCatalogue(undefined, { ...options, limits: { manifestsMax: 3 } });
  catalogue.add(manifestOf("hand", "poems"), { at, source: "itself", isAdded: true });
  catalogue.add(manifestOf("old", "poems"), { at, source: "itself" });
  catalogue.add(manifestOf("reported", "poems"), { at, source: "reported", reportedBy: "tag:x,2025:x" });
  catalogue.add(manifestOf("new", "poems"), { at, source: "itself" });
  expect(namesIn(catalogue, "poems").sort()).toEqual(["hand", "new", "old"]);
  catalogue.add(manifestOf("newest", "poems"), { at, source: "itself" });
  expect(namesIn(catalogue, "poems").sort()).toEqual(["hand", "new", "newest"]);
  expect(catalogue.add(manifestOf("flood", "poems"), { at, source: "reported", reportedBy: "tag:x,2025:x" })).toBe(
    "refused",
  );
});

test("a reporter over its limit loses its own entries", () => {
  const catalogue = createCatalogue(undefined, { ...options, limits: { perReporterMax: 2 } });
  catalogue.add(manifestOf("other", "poems"), { at, source: "reported", reportedBy: "tag:y,2025:y" });
  for (const name of ["one", "two", "three"]) {
    catalogue.add(manifestOf(name, "poems"), { at, source: "reported", reportedBy: "tag:x,2025:x" });
  }
  expect(namesIn(catalogue, "poems").sort()).toEqual(["other", "three", "two"]);
});

test("the total size of the manifests is limited", () => {
  const catalogue = createCatalogue(undefined, { ...options, limits: { bytesInAllMax: 1_000 } });
  for (const name of ["one", "two", "three", "four"]) {
    catalogue.add(manifestOf(name, `${"z".repeat(300)}`), { at, source: "itself" });
  }
  expect(
    catalogue
      .all()
      .map(({ bytes }) => bytes)
      .reduce((sum, bytes) => sum + bytes, 0),
  ).toBeLessThanOrEqual(1_000);
  expect(catalogue.size).toBe(1);
});

test("a failed write is retried", async () => {
  const { store, kept, state } = createStore();
  const errors: unknown[] = [];
  const catalogue = createCatalogue(store, { ...options, onError: (error) => errors.push(error) });
  state.isFull = true;
  catalogue.add(manifestOf("ada", "poems"), { at, source: "itself" });
  await catalogue.close();
  expect([kept.size, errors.length]).toEqual([0, 1]);
  state.isFull = false;
  await catalogue.close();
  expect(kept.size).toBe(1);
});

test("stored entries in an unknown format are ignored", async () => {
  const { store, kept } = createStore();
  for (const [at, text] of ["{", "null", "[]", '{"version":0,"known":{}}'].entries()) kept.set(`${at}`, text);
  const catalogue = createCatalogue(store, options);
  await catalogue.load();
  expect(catalogue.size).toBe(0);
});

test("anonymous entries rank last, however well they match and however many there are", () => {
  const catalogue = createCatalogue(undefined, options);
  catalogue.add(manifestOf("weak", "silk and wool and linen carpets"), { at, source: "itself" });
  catalogue.health("https://weak.example/", "failing", at);
  for (let count = 0; count < 60; count += 1) {
    const reported = { at, source: "reported", reportedBy: `stranger ${count}`, isAnonymous: true } as const;
    catalogue.add(manifestOf(`evil${count}`, "silk carpets"), reported);
  }
  const [first, second] = catalogue.find({ text: "silk carpets" });
  expect([first?.known.source, second?.known.source]).toEqual(["itself", "reported"]);
  expect(first?.score).toBeGreaterThan(second?.score ?? 1);
  expect([first?.reasons.isUnverified, second?.reasons.isUnverified]).toEqual([undefined, true]);
});

test("a verified reporter replaces an anonymous report, not the other way round", () => {
  const catalogue = createCatalogue(undefined, options);
  const stranger = { at, source: "reported", reportedBy: "stranger x", isAnonymous: true } as const;
  const add = (keyphrase: string, telling: Parameters<typeof catalogue.add>[1]) =>
    catalogue.add(manifestOf("ada", keyphrase), telling);
  expect(add("poems", stranger)).toBe("added");
  expect(add("novels", { at, source: "reported", reportedBy: "tag:x,2025:x" })).toBe("added");
  expect(add("poems", stranger)).toBe("known");
  expect(catalogue.all()).toMatchObject([{ reportedBy: "tag:x,2025:x" }]);
  expect(catalogue.all()[0]).not.toHaveProperty("isAnonymous");
});

test("reported entries of format 1 are not read", async () => {
  const { store, kept } = createStore();
  const known = { manifest: manifestOf("ada", "poems"), bytes: 1, heardAt: at };
  const textOf = (source: string) => JSON.stringify({ version: 1, known: { ...known, source } });
  kept.set("tag:ada https://ada.example/", textOf("itself"));
  kept.set("tag:bea https://bea.example/", textOf("told"));
  const catalogue = createCatalogue(store, options);
  await catalogue.load();
  expect(catalogue.all().map(({ source }) => source)).toEqual(["itself"]);
});
