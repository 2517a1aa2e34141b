import type { Manifest } from "@plenary/protocol";
import { expect, test } from "vitest";
import { createCatalogue } from "../catalogue/catalogue.ts";

const at = "2026-01-01T00:00:00Z";
const count = 2_000;
const findMsMax = 25;
const isNightly = process.env.PLENARY_NIGHTLY === "1";

/** Few words are said often, most seldom. */
const word = (seed: number) => `word${Math.floor(1.0035 ** ((seed * 7_919) % 2_000)).toString(36)}`;
const phrase = (seed: number, length: number) => Array.from({ length }, (_, one) => word(seed + one)).join(" ");

function manifestOf(seed: number): Manifest {
  return {
    identification: {
      speakerUri: `tag:agent${seed}.example,2026:1`,
      serviceUrl: `https://agent${seed}.example/`,
      organization: phrase(seed, 2),
      conversationalName: word(seed),
      synopsis: phrase(seed, 8),
    },
    capabilities: [
      {
        keyphrases: Array.from({ length: 8 }, (_, one) => phrase(seed * 31 + one * 5, 2)),
        descriptions: [phrase(seed * 17, 30)],
        languages: ["en", "de-AT"],
      },
    ],
  };
}

// The limit is far above the usual time, which bench/p11-discovery.bench.mjs measures.
test("each of 100 questions finds agents among 2,000; at night also: without tokenizing them all again", () => {
  const catalogue = createCatalogue(undefined, { now: () => Date.parse(at) });
  for (let seed = 0; seed < count; seed += 1) catalogue.add(manifestOf(seed), { at, source: "itself" });
  const questions = Array.from({ length: 100 }, (_, seed) => `who knows ${phrase(seed * 13, 5)} in German?`);
  const before = process.cpuUsage();
  const found = questions.map((text) => catalogue.find({ text }).length);
  const { user, system } = process.cpuUsage(before);
  expect(Math.min(...found)).toBeGreaterThan(0);
  // Time is judged in nightly runs only (D46).
  if (isNightly) expect((user + system) / 1_000 / questions.length).toBeLessThan(findMsMax);
});
