import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IdFilter } from "./id-filter.ts";

function filterOf(ids: Iterable<string>): IdFilter {
  const filter = new IdFilter();
  for (const id of ids) filter.add(id);
  return filter;
}

test("an id that was added is never missing, whatever its text and however many there are", () => {
  const id = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.uuid(), fc.nat().map(String));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 1_000, size: "max" }), (ids) => {
      const filter = filterOf(ids);
      expect(ids.filter((one) => !filter.mayContain(one))).toEqual([]);
      expect(filter.size).toBe(ids.length);
    }),
    { numRuns: 50 },
  );
});

test("an empty filter contains nothing", () => {
  fc.assert(fc.property(fc.string(), (id) => !new IdFilter().mayContain(id)));
});

/** Ids as people, agents and tests make them. */
const kinds: [string, (count: number) => string][] = [
  ["numbered", (count) => `u-${count}`],
  ["numbered at the front", (count) => `${count} of a long conversation`],
  ["hexadecimal", (count) => Math.imul(count, 0x9e3779b1).toString(16).padStart(40, "0123456789abcdef")],
  ["of one length", (count) => String(count).padStart(36, "0")],
];

describe.each(kinds)("ids that are %s", (_kind, idOf) => {
  test.each([1, 63, 64, 65, 4_096, 65_536])("of %i ids none is missing, and few others are found", (size) => {
    const ids = Array.from({ length: size }, (_, count) => idOf(count));
    const filter = filterOf(ids);
    expect(ids.every((id) => filter.mayContain(id))).toBe(true);
    const others = Array.from({ length: 20_000 }, (_, count) => idOf(1_000_000 + count));
    const wrong = others.filter((id) => filter.mayContain(id)).length / others.length;
    // 16 bits and 4 probes for each id are wrong in 0.24 % of the cases, in each part.
    const parts = Math.ceil(Math.log2(size / 64 + 1));
    expect(wrong).toBeLessThan(parts * 0.0035);
  });
});
