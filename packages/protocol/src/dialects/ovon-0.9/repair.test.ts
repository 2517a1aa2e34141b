import fc from "fast-check";
import { expect, test } from "vitest";
import { parseEnvelope } from "../../parse/parse.ts";
import { arbitraryEnvelope } from "../../testing/arbitrary-envelope.ts";
import { mutated } from "../../testing/mutated.ts";
import { encodeEnvelope } from "../encode.ts";

const nightly = process.env.PLENARY_NIGHTLY === "1";
const seed = Number(process.env.PLENARY_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.RUNS ?? (nightly ? 100_000 : 300));
const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };

test(`an accepted 0.9 document gives an envelope without new errors under the rules of 1.1.0 (seed ${seed})`, () => {
  const documents = mutated(arbitraryEnvelope.map((envelope) => encodeEnvelope(envelope, "0.9").document));
  const property = fc.property(documents, (document) => {
    const read = parseEnvelope(JSON.stringify(document), mint);
    if (!read.ok || read.dialect !== "0.9") return;
    const again = parseEnvelope(JSON.stringify({ openFloor: read.envelope }), mint);
    // Issues in parts that both formats share may be reported and kept.
    const known = new Set(read.issues.map(({ rule }) => rule));
    expect(again.issues.filter(({ severity, rule }) => severity === "error" && !known.has(rule))).toEqual([]);
  });
  fc.assert(property, { seed, numRuns });
});
