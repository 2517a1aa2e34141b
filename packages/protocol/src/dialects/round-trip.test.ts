import fc from "fast-check";
import { expect, test } from "vitest";
import { parseEnvelope } from "../parse/parse.ts";
import { arbitraryEnvelope, arbitraryPeers } from "../testing/arbitrary-envelope.ts";
import { upToLosses } from "../testing/up-to-losses.ts";
import { noPeers } from "./dialect.ts";
import { encodeEnvelope } from "./encode.ts";

const nightly = process.env.PLENARY_NIGHTLY === "1";
const seed = Number(process.env.PLENARY_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.RUNS ?? (nightly ? 100_000 : 1_000));
const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };
const peers = fc.oneof(fc.constant(noPeers), arbitraryPeers);
const state = fc.dictionary(fc.constantFrom("a.example:1", "toString", ""), fc.constant({ kept: [1, "x"] }), {
  maxKeys: 2,
  noNullPrototype: true,
});

test(`arbitrary envelopes parse without issues (seed ${seed})`, () => {
  const property = fc.property(arbitraryEnvelope, (envelope) => {
    const sent = JSON.parse(JSON.stringify(envelope));
    expect(parseEnvelope(JSON.stringify({ openFloor: sent }), mint)).toMatchObject({
      ok: true,
      issues: [],
      losses: [],
    });
  });
  fc.assert(property, { seed, numRuns });
});

for (const dialect of ["0.9", "1.0"] as const) {
  test(`an envelope is read back from ${dialect} with only its reported losses (seed ${seed})`, () => {
    const property = fc.property(arbitraryEnvelope, peers, state, (envelope, peers, persistentState) => {
      const carried = dialect === "0.9" ? { persistentState } : {};
      const { document, losses } = encodeEnvelope(envelope, dialect, { peers, carried });
      const back = parseEnvelope(JSON.stringify(document), { ...mint, peers });
      expect(back).toMatchObject({ ok: true, dialect, issues: [], losses: [], carried });
      if (!back.ok) return;
      const { expected, actual, needless } = upToLosses(envelope, losses, back.envelope);
      expect(actual).toEqual(expected);
      expect(needless).toEqual([]);
    });
    fc.assert(property, { seed, numRuns });
  });
}
