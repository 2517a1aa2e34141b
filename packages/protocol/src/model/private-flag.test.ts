import { expect, test } from "vitest";
import { parseEnvelope } from "../parse/parse.ts";

const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };
const ann = "tag:ann.example,2025:1";
const features = { text: { mimeType: "text/plain", tokens: [{ value: "a secret" }] } };
const dialogEvent = { id: "d", speakerUri: ann, span: { startTime: mint.now }, features };
const utterance = { eventType: "utterance", to: { speakerUri: "tag:bob.example,2025:1" }, parameters: { dialogEvent } };
const about = { conversation: { id: "c" }, sender: { speakerUri: ann } };

function read(event: object, version = "1.1.0", options = {}) {
  const text = JSON.stringify({ openFloor: { ...about, schema: { version }, events: [event, { eventType: "bye" }] } });
  return parseEnvelope(text, { ...mint, ...options });
}

const { to, parameters } = utterance;
const misspelt: [string, object, string][] = [
  ["inside to", { ...utterance, to: { ...to, Private: true } }, "/to/Private"],
  ["inside the only one of a list", { ...utterance, to: [{ ...to, PRIVATE: true }] }, "/to"],
  ["beside to", { ...utterance, privatE: true }, "/privatE"],
  ["among the parameters", { ...utterance, parameters: { ...parameters, Private: false } }, "/parameters/Private"],
  [
    "inside to among the parameters",
    { eventType: "utterance", parameters: { ...parameters, to: { ...to, Private: 1 } } },
    "/parameters/to/Private",
  ],
];

test.each(misspelt)("a key that differs from private only in case is refused %s", (_where, event, place) => {
  for (const version of ["1.1.0", "1.0.0"]) {
    const parsed = read(event, version);
    expect(parsed.ok).toBe(false);
    const fatal = parsed.issues.filter(({ repaired }) => !repaired);
    expect(fatal).toMatchObject([{ rule: "private-key", path: `/openFloor/events/0${place}` }]);
  }
  // In an answer only this event is dropped.
  expect(read(event, "1.1.0", { dropBadEvents: true })).toMatchObject({
    ok: true,
    envelope: { events: [{ eventType: "bye" }] },
    leftOut: [{ index: 0, rule: "private-key" }],
  });
});

test("a key that differs from private only in case is refused in 0.9 too", () => {
  const event = { eventType: "utterance", to: "https://bob.example", Private: true, parameters: { dialogEvent } };
  const ovon = { schema: { version: "0.9.3" }, conversation: { id: "c" }, sender: { from: "https://ann.example" } };
  const parsed = parseEnvelope(JSON.stringify({ ovon: { ...ovon, events: [event] } }), mint);
  expect(parsed).toMatchObject({ ok: false, issues: [{ rule: "private-key", path: "/ovon/events/0/Private" }] });
});

test("other similar keys are kept unchanged", () => {
  const event = { ...utterance, to: { ...to, private: true, privacy: 1, Privat: 1, "private ": 1 } };
  expect(read(event)).toMatchObject({ ok: true, issues: [], envelope: { events: [event, { eventType: "bye" }] } });
});
