import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "./json.ts";

const forbidden = new Set(["__proto__", "prototype", "constructor"]);
const words = some("", '"', '""', ":", ",", '","', '":"', "\\", '\\"', "\\\\", "a", "\u{1F600}", "\n", " ");
const key = words.filter((word) => !forbidden.has(word));
const tree = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, words, fc.integer(), some(null, true, 0.5), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));
const indent = some("", " ", "\t", "\n  ");

function some<T>(...values: T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

test("JSON is read as JSON.parse reads it, however it is written", () => {
  fc.assert(
    fc.property(tree.value, indent, fc.boolean(), (value, space, isEscaped) => {
      const text = JSON.stringify(value, null, space);
      // Written with and without needless escapes; a surrogate pair stays a pair.
      const written = isEscaped ? text.replaceAll("a", "\\u0061") : text;
      expect(readJson(written)).toEqual({ ok: true, value });
    }),
    { numRuns: 2_000 },
  );
});

test("a key given twice is found, wherever it is and whatever stands around it", () => {
  const twice = fc.tuple(key, tree.value, tree.value).map(([name, first, second]) => {
    const member = (value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
    return `{${member(first)},${member(second)}}`;
  });
  fc.assert(
    fc.property(tree.list, twice, tree.list, (before, object, after) => {
      const items = [
        ...before.map((item) => JSON.stringify(item)),
        object,
        ...after.map((item) => JSON.stringify(item)),
      ];
      const read = readJson(`[${items.join(",")}]`);
      expect(read).toMatchObject({ ok: false, issues: [{ rule: "json-duplicate-key" }] });
      if (!read.ok) expect(read.issues[0]?.path).toMatch(new RegExp(`^/${before.length}/`, "u"));
    }),
    { numRuns: 2_000 },
  );
});
