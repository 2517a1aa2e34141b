import { expect, test } from "vitest";
import { checkDocument } from "../parse/check-document.ts";
import { parseEnvelope } from "../parse/parse.ts";
import { preview } from "./issue.ts";
import { issuesMax } from "./issue-list.ts";

const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };
const ann = "tag:ann.example,2025:1";
const about = { schema: { version: "1.1.0" }, conversation: { id: "c" }, sender: { speakerUri: ann } };
const times = <Item>(count: number, item: Item): Item[] => Array(count).fill(item);
const saying = (tokens: unknown[]) => ({
  eventType: "utterance",
  parameters: {
    dialogEvent: { id: "d", speakerUri: ann, span: { startTime: mint.now }, features: { text: textOf(tokens) } },
  },
});
const textOf = (tokens: unknown[]) => ({ mimeType: "text/plain", tokens });
const textWith = (events: unknown[], more = {}) => JSON.stringify({ openFloor: { ...about, ...more, events } });

test("100 issues are listed, and one more gives their number; the document is still read", () => {
  const text = textWith([saying([...times(500, 0), { value: "said" }])]);
  const parsed = parseEnvelope(text, mint);
  expect(parsed.ok && parsed.envelope.events).toMatchObject([saying([{ value: "said" }])]);
  expect(parsed.issues).toHaveLength(issuesMax + 1);
  expect(parsed.issues.slice(0, -1).every(({ rule }) => rule === "token")).toBe(true);
  const last = parsed.issues.at(-1);
  expect(last).toMatchObject({ rule: "token", path: "", severity: "error", repaired: true });
  expect(last?.problem).toContain("of 500 issues or more 100 are listed");
});

test("exactly 100 issues are listed without a summary", () => {
  const parsed = parseEnvelope(textWith([saying([...times(issuesMax, 0), { value: "said" }])]), mint);
  expect(parsed.issues).toHaveLength(issuesMax);
  expect(parsed.issues.at(-1)?.rule).toBe("token");
});

test("the issue that refuses the document is listed, also after more than 100 others", () => {
  const conversation = { id: "c", conversants: times(200, 0) };
  const parsed = parseEnvelope(textWith([{ eventType: "utterance" }], { conversation }), mint);
  expect(parsed.ok).toBe(false);
  const fatal = parsed.issues.filter(({ repaired }) => !repaired);
  expect(fatal).toMatchObject([{ path: "/openFloor/events/0/parameters", severity: "error" }]);
  expect(parsed.issues.at(-1)?.problem).toContain("are listed");
});

test("after 100 issues, repaired parts still refuse nothing, and left-out events have their index", () => {
  const conversation = { id: "c", conversants: times(200, 0) };
  const events = [{ eventType: "sing" }, saying([0, { value: "said" }]), { eventType: "dance" }];
  const parsed = parseEnvelope(textWith(events, { conversation }), mint);
  expect(parsed).toMatchObject({
    ok: true,
    leftOut: [
      { index: 0, rule: "event-type-known" },
      { index: 2, rule: "event-type-known" },
    ],
  });
  expect(parsed.issues.every(({ repaired }) => repaired)).toBe(true);
});

test("an unreadable event refuses an envelope with otherwise unknown events, within and after 100 issues", () => {
  for (const unknown of [1, 300]) {
    const events = [...times(unknown, { eventType: "sing" }), { eventType: "utterance" }];
    expect(parseEnvelope(textWith(events), mint).ok).toBe(false);
    expect(parseEnvelope(textWith(events), { ...mint, dropBadEvents: true })).toMatchObject({
      ok: true,
      leftOut: { length: unknown + 1 },
    });
  }
});

test("checkDocument lists every issue", () => {
  const { issues, valid } = checkDocument(textWith([saying([...times(500, 0), { value: "said" }])]), mint);
  expect({ valid, length: issues.length }).toEqual({ valid: false, length: 500 });
});

test("a quoted value is cut before it is written out", () => {
  let looks = 0;
  const long = new Proxy(times(1_000, 7), {
    get(target, key) {
      looks += 1;
      return Reflect.get(target, key);
    },
  });
  expect(preview(long)).toBe(`[${"7,".repeat(28)}...`);
  expect(looks).toBeLessThan(100);
  for (const value of ["short", 7, null, true, [], {}, { a: [1, { b: "c" }], d: null }]) {
    expect(preview(value)).toBe(JSON.stringify(value));
  }
  expect(preview("x".repeat(100))).toBe(`"${"x".repeat(56)}...`);
});
