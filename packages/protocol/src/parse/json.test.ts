import fc from "fast-check";
import { expect, test } from "vitest";
import { some } from "../testing/arbitrary-dialog-event.ts";
import { readJson, valuesIn } from "./json.ts";

const word = some("", '"', '""', ":", ",", '","', '":"', "\\", '\\"', "\\\\", "a", "\u{1F600}", "\n", " ");
const tree = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, word, fc.integer(), some<unknown>(null, true, 0.5), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(word, tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));
const indent = some("", " ", "\t", "\n  ");

test("readJson returns the same value as JSON.parse, for any indentation and escapes", () => {
  fc.assert(
    fc.property(tree.value, indent, fc.boolean(), (value, space, isEscaped) => {
      const text = JSON.stringify(value, null, space);
      // Written with and without unnecessary escapes; a surrogate pair stays a pair.
      const written = isEscaped ? text.replaceAll("a", "\\u0061") : text;
      expect(readJson(written)).toEqual({ ok: true, value });
    }),
    { numRuns: 2_000 },
  );
});

test("a repeated key is found at any place in a document", () => {
  const twice = fc.tuple(word, tree.value, tree.value).map(([name, first, second]) => {
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

test("a long text that nests too deep is refused before it is parsed, and brackets in strings do not count", () => {
  const filler = JSON.stringify(`${"[{".repeat(20_000)}\\"\\\\"${"[".repeat(40_000)}`);
  const nested = (depth: number) => `{"filler":${filler},"deep":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  expect(readJson(nested(31))).toMatchObject({ ok: true });
  for (const depth of [32, 33, 100_000]) {
    expect(readJson(nested(depth))).toMatchObject({ ok: false, issues: [{ rule: "json-depth" }] });
  }
  expect(readJson("[".repeat(1_000_000))).toMatchObject({ issues: [{ rule: "json-depth" }] });
  expect(readJson(`${"[".repeat(33)}${" ".repeat(65_536)}`)).toMatchObject({ issues: [{ rule: "json-depth" }] });
  // Any other invalid text is reported, and nothing is thrown.
  for (const text of [
    "[".repeat(1_000_000),
    `"${"x".repeat(100_000)}`,
    `"${"\\".repeat(100_001)}`,
    "]".repeat(100_000),
  ]) {
    expect(readJson(text).ok).toBe(false);
  }
});

test.each(["__proto__", "prototype", "constructor"])(
  "the key %s is refused at any place, and the same text is accepted as a value",
  (key) => {
    for (const [text, path] of [
      [`{"${key}":1}`, `/${key}`],
      [`{"a":[{"b":{"${key}":"x"}}]}`, `/a/0/b/${key}`],
      [`{"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}":{}}`, `/${key}`],
    ] as const) {
      expect([text, readJson(text)]).toMatchObject([
        text,
        { ok: false, issues: [{ rule: "json-forbidden-key", path }] },
      ]);
    }
    expect(readJson(`{"a":"${key}","b":["${key}"]}`)).toMatchObject({ ok: true });
  },
);

test("values are counted without parsing, and characters in strings do not count", () => {
  for (const [text, values] of [
    ["[]", 2],
    ["[1,2,3]", 4],
    ['{"a":1,"b":[2,{}]}', 6],
    ['["[{,\\"[,",1]', 3],
    ['["\\\\",[1]]', 4],
    ['["\\\\\\"[",1]', 3],
  ] as const) {
    expect([text, valuesIn(text, 100), valuesIn(text, 1)]).toEqual([text, values, 2]);
  }
  // Invalid texts count as one value.
  for (const text of ["7", '"[,{', "", "]]]"]) expect([text, valuesIn(text, 100)]).toEqual([text, 1]);
});
