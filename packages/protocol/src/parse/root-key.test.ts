// The remedy of an issue must be right for the given document.
import { expect, test } from "vitest";
import { parseEnvelope } from "./parse.ts";

const openFloor = {
  schema: { version: "1.1.0" },
  conversation: { id: "c1" },
  sender: { speakerUri: "tag:ann.example,2025:1" },
  events: [{ eventType: "bye" }],
};
const ovon = {
  schema: { version: "0.9.3" },
  conversation: { id: "c1" },
  sender: { from: "https://ann.example" },
  events: [{ eventType: "bye" }],
};

const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };
const fixesOf = (document: unknown) => parseEnvelope(JSON.stringify(document), mint).issues.map(({ fix }) => fix);

test.each([
  ["openfloor", { openfloor: openFloor }, 'rename the key "openfloor" to "openFloor"'],
  ["open_floor", { open_floor: openFloor }, 'rename the key "open_floor" to "openFloor"'],
  ["OVON", { OVON: ovon }, 'rename the key "OVON" to "ovon"'],
])("the remedy for the misspelt root key %s is to rename it, not to add a second root", (_key, document, fix) => {
  expect(fixesOf(document)).toEqual([fix]);
});

test.each([
  [{ openFloor, ovon }, "/ovon"],
  [{ openFloor, openfloor: openFloor }, "/openfloor"],
  [{ openfloor: openFloor, ovon }, "/openfloor"],
])("a second root key is an error, also if it is misspelt", (document, path) => {
  const { ok, issues } = parseEnvelope(JSON.stringify(document), mint);
  expect(ok).toBe(true);
  expect(issues).toMatchObject([{ rule: "two-roots", path, severity: "error", repaired: true }]);
});

test("other keys beside an envelope are not root keys", () => {
  expect(fixesOf({ openFloor, consequences: [], refused: [{ index: 0 }], open: { events: [] } })).toEqual([]);
});

test("the remedy for a missing root key is to wrap the envelope", () => {
  expect(fixesOf(openFloor)).toEqual(['wrap the envelope: {"openFloor": {...}}']);
});

test.each([undefined, "4.0.0", "v1"])(
  "the remedy for the version %s is a version that the root key allows",
  (version) => {
    expect(fixesOf({ openFloor: { ...openFloor, schema: { version } } })).toEqual(['write "version": "1.1.0"']);
    expect(fixesOf({ ovon: { ...ovon, schema: { version } } })).toEqual(['write "version": "0.9.3"']);
  },
);

test.each([
  ["1.1, written with blanks", { openFloor: { ...openFloor, schema: { version: " 1.1.1 " } } }, "1.1.1"],
  ["1.0", { openFloor: { ...openFloor, schema: { version: "1.0.1" } } }, "1.0.1"],
  ["0.9", { ovon: { ...ovon, schema: { version: "0.9.2" } } }, "0.9.2"],
])("the version that an envelope of %s claims is reported", (_dialect, document, version) => {
  expect(parseEnvelope(JSON.stringify(document), mint)).toMatchObject({ ok: true, version });
});

test.each([
  [{ openFloor: { ...openFloor, schema: {} } }, "1.1.0"],
  [{ openFloor: { ...openFloor, schema: undefined } }, "1.1.0"],
  [{ ovon: { ...ovon, schema: {} } }, "0.9.3"],
])("an envelope without a version is read and reported as the newest version of its root key", (document, version) => {
  expect(parseEnvelope(JSON.stringify(document), mint)).toMatchObject({ ok: true, version });
});
