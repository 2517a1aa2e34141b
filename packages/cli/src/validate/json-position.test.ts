import fc from "fast-check";
import { expect, test } from "vitest";
import { createPositionFinder, findPositions, nearestRange } from "./json-position.ts";

const text = `{
  "openFloor": {
    "sender": { "speakerUri": "tag:ann" },
    "events": [ {"eventType": "bye"}, [1, [2, true]] ],
    "a/b~c": null,
    "caf\\u00e9 \\"x\\"": -1.5e3
  }
}
`;

function sourceOf(pointer: string): string | undefined {
  const range = findPositions(text, [pointer]).ranges.get(pointer);
  return range && text.slice(range.start, range.end);
}

test("a member is found from its key to the end of its value", () => {
  expect(sourceOf("/openFloor/sender")).toBe('"sender": { "speakerUri": "tag:ann" }');
  expect(sourceOf("/openFloor/sender/speakerUri")).toBe('"speakerUri": "tag:ann"');
});

test("an item is found by its index, however deep", () => {
  expect(sourceOf("/openFloor/events/0")).toBe('{"eventType": "bye"}');
  expect(sourceOf("/openFloor/events/0/eventType")).toBe('"eventType": "bye"');
  expect(sourceOf("/openFloor/events/1/1/0")).toBe("2");
  expect(sourceOf("/openFloor/events/1/1/1")).toBe("true");
  expect(sourceOf("/openFloor/events/2")).toBeUndefined();
});

test("escapes of the pointer and of the text both mean the key itself", () => {
  expect(sourceOf("/openFloor/a~1b~0c")).toBe('"a/b~c": null');
  expect(sourceOf('/openFloor/café "x"')).toBe('"caf\\u00e9 \\"x\\"": -1.5e3');
});

test("the empty pointer is the whole value", () => {
  expect(sourceOf("")).toBe(text.trim());
});

test("a missing part is located at its innermost existing parent", () => {
  const { ranges } = findPositions(text, ["/openFloor/sender/serviceUrl/x"]);
  const nearest = nearestRange(ranges, "/openFloor/sender/serviceUrl/x");
  expect(nearest).toMatchObject({ isExact: false, start: text.indexOf('"sender"') });
  expect(nearestRange(ranges, "/openFloor/sender")).toMatchObject({ isExact: true });
});

test("of a duplicate key the second is found", () => {
  const twice = '{"a": 1, "a": 2}';
  expect(findPositions(twice, ["/a"]).ranges.get("/a")).toEqual({ start: 9, end: 15 });
});

test.each([
  ["", 0],
  ["  \n", 0],
  ["{", 1],
  ['{"a": }', 6],
  ['{"a" 1}', 5],
  ['{"a": 1,}', 8],
  ["{a: 1}", 1],
  ["[1, 2,]", 6],
  ["[1 2]", 3],
  ["[1, 2}", 5],
  ["[1, 2", 5],
  ["[01]", 1],
  ["[1, NaN]", 4],
  ["{} x", 3],
  ['["abc', 1],
  ['["a\nb"]', 3],
  ['["a\\xb"]', 3],
  ['["\\u12g4"]', 2],
])("%j stops being JSON at offset %i", (broken, offset) => {
  expect(findPositions(broken, []).brokenAt).toBe(offset);
});

test("a syntax error is found exactly when JSON.parse refuses the text", () => {
  const cut = fc.tuple(fc.json(), fc.nat(), fc.constantFrom("", "}", "]", ",", ":", '"', "\\", "0", " ", "\n", "x"));
  fc.assert(
    fc.property(cut, ([json, seed, replacement]) => {
      const at = seed % (json.length + 1);
      const changed = json.slice(0, at) + replacement + json.slice(at + 1);
      expect(findPositions(changed, []).brokenAt === undefined).toBe(isJson(changed));
    }),
    { numRuns: 1000 },
  );
});

test("each part of any document is found where it is", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
      const source = JSON.stringify(value, null, indent);
      const parts = partsOf(source);
      const { ranges } = findPositions(source, parts.keys());
      for (const [pointer, part] of parts) {
        const range = ranges.get(pointer);
        expect(range).toBeDefined();
        const found = source.slice(range?.start, range?.end);
        expect(JSON.parse(part.isItem ? found : `{${found}}`)).toEqual(part.isItem ? part.value : part.member);
      }
    }),
  );
});

test("deep nesting does not overflow the stack", () => {
  expect(findPositions("[".repeat(1_000_000), ["/0/0"]).brokenAt).toBeUndefined();
});

type Part = { value: unknown; member: unknown; isItem: boolean };

function partsOf(source: string): Map<string, Part> {
  const parts = new Map<string, Part>();
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      const path = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      parts.set(path, { value: child, member: Object.fromEntries([[key, child]]), isItem: Array.isArray(value) });
      visit(child, path);
    }
  };
  visit(JSON.parse(source), "");
  return parts;
}

function isJson(candidate: string): boolean {
  try {
    JSON.parse(candidate);
    return true;
  } catch {
    return false;
  }
}

test("lines and columns count from 1, in any order of requests, with either line ending", () => {
  const placeOf = createPositionFinder("ab\r\ncd\n\nef");
  expect(placeOf({ start: 8, end: 10 })).toMatchObject({ line: 4, column: 1, excerpt: "ef" });
  expect(placeOf({ start: 0, end: 1 })).toMatchObject({ line: 1, column: 1, excerpt: "ab" });
  expect(placeOf({ start: 5, end: 6 })).toMatchObject({ line: 2, column: 2, excerpt: "cd" });
  expect(placeOf({ start: 7, end: 8 })).toMatchObject({ line: 3, column: 1, excerpt: "" });
});

test("the end of the text and an empty text have a position", () => {
  expect(createPositionFinder("{\n")({ start: 1, end: 2 })).toMatchObject({ line: 1, column: 2, excerpt: "{" });
  expect(createPositionFinder("")({ start: 0, end: 1 })).toMatchObject({
    line: 1,
    column: 1,
    excerpt: "",
    markLength: 1,
  });
});

test("the mark ends with the line", () => {
  const place = createPositionFinder('  "a": {\n    "b": 1\n  }')({ start: 2, end: 22 });
  expect(place).toMatchObject({ excerpt: '  "a": {', markStart: 2, markLength: 6 });
});

test("a long line is cut to a window around the position", () => {
  const text = `${"x".repeat(5000)}"here"${"y".repeat(5000)}`;
  const { excerpt, markStart, markLength, column } = createPositionFinder(text)({ start: 5000, end: 5006 });
  expect(column).toBe(5001);
  expect(excerpt.length).toBeLessThan(120);
  expect(excerpt).toMatch(/^\.\.\.x+"here"y+\.\.\.$/u);
  expect(excerpt.slice(markStart, markStart + markLength)).toBe('"here"');
});
