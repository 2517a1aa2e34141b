// Each invariant detects a violation.
import { type Entry, emptyFloor } from "@plenary/floor";
import { expect, test } from "vitest";
import { emptyTexts } from "./empty-texts.ts";
import type { Log } from "./evidence.ts";
import {
  amplification,
  duplicateEffects,
  lateConvenerDecisions,
  lateDeliveries,
  leakedWhispers,
  lostAcknowledgements,
  repeatedDelegations,
  replay,
  slowReceipts,
  unansweredRequests,
  wrongDeliveries,
  wrongViews,
} from "./invariants.ts";
import { utterance } from "./raw-envelope.ts";

const ann = "tag:people.example,2026:ann";
const bot = "tag:agents.example,2026:bot";
const common = {
  at: "2026-01-01T00:00:00.000Z",
  turn: "t1",
  because: "door/accepted",
  audience: [ann],
  sender: ann,
  depth: 0,
};

/** A log with only those parts of the entries that the tested invariant reads. */
const logOf = (...parts: object[]): Log => {
  const entries = parts.map((part, index) => ({ ...common, seq: index + 1, ...part })) as unknown as Entry[];
  return { conversationId: "c", entries, loaded: undefined, atHead: undefined };
};
const utteranceEntry = (id: string) => ({ kind: "event", event: utterance(ann, id, id), deliveries: [] });
const sentTo = (id: string, to: string) => ({ ...utteranceEntry(id), deliveries: [{ id, to }] });
const received = (delivery: string) => {
  return { speakerUri: bot, serviceUrl: "http://bot.example/", conversationId: "c", delivery, by: "n1.1", text: "" };
};
const viewed = (seq: number) => ({ speakerUri: ann, conversationId: "c", seq, text: "" });

test("I1: an acknowledged utterance that is not in the log is reported", () => {
  const log = logOf({ kind: "received", events: [utterance(ann, "1", "one")] });
  const acknowledged = [{ conversationId: "c", entries: [], utteranceIds: ["1", "2"] }];
  expect(lostAcknowledgements(acknowledged, [log])).toEqual(["I1: c acknowledged utterance 2 and lost it"]);
});

test("I2, I12: a gap in the log and a lost or different floor are reported", () => {
  const problems = replay(logOf(utteranceEntry("1"), { ...utteranceEntry("2"), seq: 3 }));
  expect(problems.join("; ")).toMatch(/entry 3 follows 1.*c is gone/u);
  const log = logOf(utteranceEntry("1"));
  expect(replay({ ...log, loaded: emptyFloor("c"), atHead: emptyFloor("c") }).join()).toContain("another floor");
});

test("I3, I9: deliveries out of order, to another agent or unknown to the log are reported", () => {
  const log = logOf(sentTo("d1.0", bot), sentTo("d2.0", bot), sentTo("d3.0", ann));
  const check = (...deliveries: string[]) => wrongDeliveries(deliveries.map(received), [log], { isOneNode: true });
  expect(check("d1.0", "d2.0", "d1.0", "manifest7")).toEqual([]);
  expect(check("d2.0", "d1.0")).toHaveLength(1);
  expect(check("d3.0")).toHaveLength(1);
  expect(check("d9.0")).toHaveLength(1);
});

test("I3: repeated, reordered and missing events of a viewer are reported", () => {
  const log = logOf(utteranceEntry("1"), utteranceEntry("2"));
  for (const seen of [[1], [2, 1], [1, 1, 2]]) expect(wrongViews(seen.map(viewed), [log])).toHaveLength(1);
});

test("I4: an utterance or an answer that takes effect twice is reported", () => {
  const answer = { kind: "received", events: [], answers: "d1.0" };
  expect(duplicateEffects(logOf(utteranceEntry("1"), utteranceEntry("1"), answer, answer))).toHaveLength(2);
});

test("I5: a whisper that reaches another speaker is reported", () => {
  const secrets = [{ word: "secret-0-", mayKnow: [ann] }];
  expect(leakedWhispers(secrets, [{ speakerUri: ann, text: "secret-0-" }])).toEqual([]);
  expect(leakedWhispers(secrets, [{ speakerUri: bot, text: "secret-0-" }])).toHaveLength(1);
});

test("I10: more deliveries than the inputs allow are reported", () => {
  expect(amplification(logOf(sentTo("1", bot)))).toHaveLength(1);
});

test("I14: an empty mandatory text of a conversant is reported", () => {
  const texts = { speakerUri: bot, serviceUrl: "http://bot.example/", organization: "o", conversationalName: "n" };
  const sent = (identification: object) => {
    const conversation = { id: "c", conversants: [{ identification }] };
    return [{ speakerUri: ann, text: JSON.stringify({ openFloor: { conversation } }) }];
  };
  expect(emptyTexts(sent({ ...texts, synopsis: "s" }))).toEqual([]);
  expect(emptyTexts(sent({ ...texts, synopsis: " ", organization: "" }))).toHaveLength(2);
});

test("I11: a delivery that never ends or ends late is reported", () => {
  const row = { conversationId: "c", delivery: "d1.0", serviceUrl: "http://bot.example/", writtenAtMs: 0 };
  const check = (endedAtMs?: number) =>
    lateDeliveries(
      { rows: [{ ...row, ...(endedAtMs !== undefined && { endedAtMs }) }], outages: [], promised: new Set() },
      { deliveryMs: 1_000, promisedMs: 1_000 },
    );
  expect(check(1_000)).toEqual([]);
  expect(check(62_000)).toHaveLength(1);
  expect(check()).toHaveLength(1);
});

test("I13, D6, D11: late and repeated convener decisions, unanswered requests and slow receipts are reported", () => {
  const parked = {
    kind: "parked",
    event: { eventType: "bye" },
    rest: [],
    withheld: [],
    delivery: { id: "d1.0", to: bot },
  };
  const log = logOf(parked, { ...parked, causedBy: 1 }, { kind: "held", speakerUri: ann });
  expect(lateConvenerDecisions(log, { outages: [], wroteAtMs: new Map() })).toHaveLength(2);
  expect(repeatedDelegations(log)).toHaveLength(1);
  expect(unansweredRequests(log)).toHaveLength(1);
  expect(slowReceipts([{ conversationId: "c", sentAtMs: 0, answeredAtMs: 20_000 }])).toHaveLength(1);
});
