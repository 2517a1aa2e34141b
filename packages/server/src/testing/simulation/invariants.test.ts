// A judge that never says no is none: each invariant is shown what it forbids.
import { type Entry, emptyFloor } from "@plenary/floor";
import { expect, test } from "vitest";
import { emptyTexts } from "./empty-texts.ts";
import type { Log } from "./evidence.ts";
import {
  amplified,
  delegatedTwice,
  effectsTwice,
  endlessRows,
  heldForEver,
  lostAcknowledgements,
  overdue,
  overheard,
  replay,
  slowAnswers,
  wrongDeliveries,
  wrongViews,
} from "./invariants.ts";
import { utterance } from "./wire.ts";

const ann = "tag:people.example,2026:ann";
const bot = "tag:agents.example,2026:bot";
const about = {
  at: "2026-01-01T00:00:00.000Z",
  turn: "t1",
  because: "door/accepted",
  audience: [ann],
  sender: ann,
  depth: 0,
};

/** Entries as far as the invariant in question looks at them. */
const logOf = (...parts: object[]): Log => {
  const entries = parts.map((part, index) => ({ ...about, seq: index + 1, ...part })) as unknown as Entry[];
  return { conversationId: "c", entries, loaded: undefined, atHead: undefined };
};
const said = (id: string) => ({ kind: "event", event: utterance(ann, id, id), deliveries: [] });
const sentTo = (id: string, to: string) => ({ ...said(id), deliveries: [{ id, to }] });
const heard = (delivery: string) => {
  return { speakerUri: bot, serviceUrl: "http://bot.example/", conversationId: "c", delivery, by: "n1.1", text: "" };
};
const viewed = (seq: number) => ({ speakerUri: ann, conversationId: "c", seq, text: "" });

test("I1: what was acknowledged and is not in the log", () => {
  const log = logOf({ kind: "received", events: [utterance(ann, "1", "one")] });
  const acknowledged = [{ conversationId: "c", entries: [], utteranceIds: ["1", "2"] }];
  expect(lostAcknowledgements(acknowledged, [log])).toEqual(["I1: c acknowledged utterance 2 and lost it"]);
});

test("I2, I12: a log with a gap, and a floor that is gone", () => {
  const problems = replay(logOf(said("1"), { ...said("2"), seq: 3 }));
  expect(problems.join("; ")).toMatch(/entry 3 follows 1.*c is gone/u);
  const log = logOf(said("1"));
  expect(replay({ ...log, loaded: emptyFloor("c"), atHead: emptyFloor("c") }).join()).toContain("another floor");
});

test("I3, I9: deliveries in another order, to somebody else, or of nobody", () => {
  const log = logOf(sentTo("d1.0", bot), sentTo("d2.0", bot), sentTo("d3.0", ann));
  const judge = (...deliveries: string[]) => wrongDeliveries(deliveries.map(heard), [log], { isOneNode: true });
  expect(judge("d1.0", "d2.0", "d1.0", "manifest7")).toEqual([]);
  expect(judge("d2.0", "d1.0")).toHaveLength(1);
  expect(judge("d3.0")).toHaveLength(1);
  expect(judge("d9.0")).toHaveLength(1);
});

test("I3: a viewer that sees something twice, too late or not at all", () => {
  const log = logOf(said("1"), said("2"));
  for (const seen of [[1], [2, 1], [1, 1, 2]]) expect(wrongViews(seen.map(viewed), [log])).toHaveLength(1);
});

test("I4: an utterance or an answer with two effects", () => {
  const answer = { kind: "received", events: [], answers: "d1.0" };
  expect(effectsTwice(logOf(said("1"), said("1"), answer, answer))).toHaveLength(2);
});

test("I5: a whisper that somebody else reads", () => {
  const secrets = [{ word: "secret-0-", mayKnow: [ann] }];
  expect(overheard(secrets, [{ speakerUri: ann, text: "secret-0-" }])).toEqual([]);
  expect(overheard(secrets, [{ speakerUri: bot, text: "secret-0-" }])).toHaveLength(1);
});

test("I10: more goes out than came in", () => {
  expect(amplified(logOf(sentTo("1", bot)))).toHaveLength(1);
});

test("I14: a conversant without a mandatory text", () => {
  const texts = { speakerUri: bot, serviceUrl: "http://bot.example/", organization: "o", conversationalName: "n" };
  const sent = (identification: object) => {
    const conversation = { id: "c", conversants: [{ identification }] };
    return [{ speakerUri: ann, text: JSON.stringify({ openFloor: { conversation } }) }];
  };
  expect(emptyTexts(sent({ ...texts, synopsis: "s" }))).toEqual([]);
  expect(emptyTexts(sent({ ...texts, synopsis: " ", organization: "" }))).toHaveLength(2);
});

test("I11: a delivery that never ends, or too late", () => {
  const row = { conversationId: "c", delivery: "d1.0", serviceUrl: "http://bot.example/", writtenAtMs: 0 };
  const judge = (endedAtMs?: number) =>
    endlessRows(
      { rows: [{ ...row, ...(endedAtMs !== undefined && { endedAtMs }) }], outages: [], promised: new Set() },
      { deliveryMs: 1_000, promisedMs: 1_000 },
    );
  expect(judge(1_000)).toEqual([]);
  expect(judge(62_000)).toHaveLength(1);
  expect(judge()).toHaveLength(1);
});

test("I13, D6, D11: what waits for ever, is asked twice or is answered late", () => {
  const parked = {
    kind: "parked",
    event: { eventType: "bye" },
    rest: [],
    withheld: [],
    delivery: { id: "d1.0", to: bot },
  };
  const log = logOf(parked, { ...parked, causedBy: 1 }, { kind: "held", speakerUri: ann });
  expect(overdue(log, { outages: [], wroteAtMs: new Map() })).toHaveLength(2);
  expect(delegatedTwice(log)).toHaveLength(1);
  expect(heldForEver(log)).toHaveLength(1);
  expect(slowAnswers([{ conversationId: "c", askedAtMs: 0, answeredAtMs: 20_000 }])).toHaveLength(1);
});
