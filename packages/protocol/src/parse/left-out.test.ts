import { expect, test } from "vitest";
import { parseEnvelope } from "./parse.ts";

const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };
const about = {
  schema: { version: "1.1.0" },
  conversation: { id: "c1" },
  sender: { speakerUri: "tag:ann.example,2025:1" },
};
const ovon = { schema: { version: "0.9.3" }, conversation: { id: "c1" }, sender: { from: "https://ann.example" } };

function read(document: object, options = {}) {
  const parsed = parseEnvelope(JSON.stringify(document), { ...mint, ...options });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return { types: parsed.envelope.events.map(({ eventType }) => eventType), leftOut: parsed.leftOut };
}

test("an event of an unknown type is left out and reported with its index in the document", () => {
  const events = [{ eventType: "bye" }, { eventType: "sing" }, { eventType: "yieldFloor" }, { eventType: "dance" }];
  const { types, leftOut } = read({ openFloor: { ...about, events } });
  expect(types).toEqual(["bye", "yieldFloor"]);
  expect(leftOut).toEqual([
    { index: 1, rule: "event-type-known", problem: expect.stringContaining('"sing"') },
    { index: 3, rule: "event-type-known", problem: expect.stringContaining('"dance"') },
  ]);
});

test("an unknown event is left out in 0.9 too, also if the envelope has no other events", () => {
  const { types, leftOut } = read({ ovon: { ...ovon, events: [{ eventType: "sing" }] } });
  expect({ types, leftOut }).toMatchObject({ types: [], leftOut: [{ index: 0, rule: "ovon-event-type-known" }] });
});

test("an event without a usable text is left out only if the caller sets dropBadEvents", () => {
  const events = [{ eventType: "utterance", parameters: { dialogEvent: { features: {} } } }, { eventType: "bye" }];
  const document = { openFloor: { ...about, events } };
  expect(parseEnvelope(JSON.stringify(document), mint).ok).toBe(false);
  const { types, leftOut } = read(document, { dropBadEvents: true });
  expect({ types, leftOut }).toMatchObject({ types: ["bye"], leftOut: [{ index: 0, rule: "utterance-text" }] });
});
