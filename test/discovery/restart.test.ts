import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCatalogue } from "@plenary/agents";
import type { Manifest } from "@plenary/protocol";
import { createSqliteStore } from "@plenary/server";
import { afterEach, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "plenary-kept-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const trades = ["baker", "carpenter", "dentist", "florist", "glazier", "jeweller", "locksmith", "plumber", "tailor"];
const places = ["Aberdeen", "Bergen", "Cardiff", "Dresden", "Evora", "Florence", "Graz"];
const languages = ["en", "de-AT", "cy", "no"];

function manifestOf(at: number): Manifest {
  const of = (list: readonly string[], part: number) => list[Math.floor(at / part) % list.length] ?? "";
  return {
    identification: {
      speakerUri: `tag:agent${at}.example,2026:1`,
      serviceUrl: `https://agent${at}.example/`,
      organization: `Guild ${at % 40}`,
      conversationalName: `Number${at}`,
      synopsis: "",
    },
    capabilities: [
      {
        keyphrases: [`${of(trades, 1)} in ${of(places, trades.length)}`],
        descriptions: [`open on day ${at % 28}`],
        languages: [of(languages, 3)],
      },
    ],
  };
}

const questions = [
  ...[
    "a locksmith in Graz",
    "dentists of Cardiff who speak Welsh",
    "Number777",
    "a florst in Bergen",
    "who speaks Welsh?",
  ],
  ...["a tailor by voice", "guild 12", "somebody for the moon"],
];

test("a thousand manifests are kept after a restart, with the same answers", async () => {
  const at = "2026-01-01T00:00:00Z";
  const open = async () => {
    const store = createSqliteStore(join(folder, "kept.db"));
    const catalogue = createCatalogue(store.catalogue, { now: () => Date.parse(at) });
    await catalogue.load();
    const answers = () => questions.map((text) => catalogue.find({ text }));
    const close = async () => {
      await catalogue.close();
      await store.close();
    };
    return { catalogue, answers, close };
  };
  const before = await open();
  for (let one = 0; one < 1_000; one += 1) before.catalogue.add(manifestOf(one), { at, source: "itself" });
  before.catalogue.health("https://agent777.example", "silent", at);
  const answers = before.answers();
  expect(answers.map((found) => found.length > 0)).toEqual([...questions.slice(1).map(() => true), false]);
  await before.close();
  const after = await open();
  expect(after.catalogue.size).toBe(1_000);
  expect(after.answers()).toEqual(answers);
  await after.close();
});
