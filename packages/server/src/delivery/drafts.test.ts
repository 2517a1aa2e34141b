import { decide, defaultOptions, emptyFloor, type Floor } from "@plenary/floor";
import { envelope, type FloorEvent, invite, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createDraftListeners, createDraftRelay, type Draft } from "./drafts.ts";

const now = "2026-01-01T00:00:00.000Z";
const ann = "tag:people.example,2026:ann";
const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };

function by(floor: Floor, speakerUri: string, ...events: FloorEvent[]) {
  const conversation = { id: floor.id };
  const sent = envelope({ conversation, sender: { speakerUri }, events });
  return decide(floor, { kind: "envelope", envelope: sent }, now);
}

const utterance = (speakerUri: string, text: string, id = text) =>
  textUtterance(text, { speakerUri, id, startTime: now });

/** Ann invited the bot, the bot joined, and Ann has just said something. */
function floorWithBot(...before: FloorEvent[]): { floor: Floor; delivery: string } {
  const owner = { speakerUri: ann, serviceUrl: "", organization: "", conversationalName: "", synopsis: "" };
  const self = { speakerUri: "tag:floor.example,2026:f" };
  const open = { verb: "open", self, owner, options: defaultOptions } as const;
  let { floor } = decide(emptyFloor("c"), { kind: "command", command: open, by: "operator" }, now);
  ({ floor } = by(floor, ann, invite({ to: bot })));
  const invited = floor.open[0]?.id ?? "";
  const joined = envelope({ conversation: { id: "c" }, sender: bot, events: [{ eventType: "acceptInvite" }] });
  ({ floor } = decide(floor, { kind: "answer", delivery: invited, envelope: joined }, now));
  if (before.length > 0) ({ floor } = by(floor, ann, ...before));
  ({ floor } = by(floor, ann, utterance(ann, "hello")));
  return { floor, delivery: floor.open.at(-1)?.id ?? "" };
}

function relayIn({ floor, delivery }: ReturnType<typeof floorWithBot>, whisperer?: string, isRepeated = false) {
  const clock = createFakeClock();
  const seen: { draft: Draft; audience: readonly string[] }[] = [];
  const onDraft = (draft: Draft, audience: readonly string[]) => seen.push({ draft, audience });
  const relay = createDraftRelay(
    { floor, delivery, clock, onDraft, isRepeated, ...(whisperer !== undefined && { whisperer }) },
    bot.speakerUri,
  );
  return { relay, seen, clock };
}

test("D30: at most ten frames a second, no text is lost, and the last frame has the end", async () => {
  const start = floorWithBot();
  const { relay, seen, clock } = relayIn(start);
  relay.piece({ dialogEventId: "x" });
  for (const delta of ["a", "b", "c"]) relay.piece({ dialogEventId: "x", delta });
  await clock.advance(100);
  relay.piece({ dialogEventId: "x", delta: "d" });
  const answered = envelope({
    conversation: { id: "c" },
    sender: bot,
    events: [utterance(bot.speakerUri, "abcd", "x")],
  });
  const { entries } = decide(start.floor, { kind: "answer", delivery: start.delivery, envelope: answered }, now);
  relay.end(entries);
  expect(seen.map(({ draft }) => draft.delta ?? draft.end)).toEqual(["a", "bc", "d", "final"]);
  const first = { conversation: "c", speakerUri: bot.speakerUri, dialogEventId: "x", delta: "a", offset: 0 };
  expect(seen[0]?.draft).toEqual(first);
  expect(seen.map(({ draft }) => draft.offset)).toEqual([0, 1, 3, undefined]);
});

test("in the answer to a repeated delivery only a start frame gives the offset", () => {
  const pieces = [
    { dialogEventId: "x", delta: "words" },
    { dialogEventId: "y" },
    { dialogEventId: "y", delta: "words" },
  ];
  const offsets = (isRepeated: boolean) => {
    const { relay, seen } = relayIn(floorWithBot(), undefined, isRepeated);
    for (const piece of pieces) relay.piece(piece);
    return seen.map(({ draft }) => draft.offset);
  };
  expect(offsets(true)).toEqual([undefined, 0]);
  expect(offsets(false)).toEqual([0, 0]);
});

test("D30: a draft goes to the audience of its utterance", () => {
  const { relay, seen } = relayIn(floorWithBot());
  relay.piece({ dialogEventId: "public" });
  relay.piece({ dialogEventId: "public", delta: "to all" });
  relay.piece({ dialogEventId: "private", to: { speakerUri: ann, private: true } });
  relay.piece({ dialogEventId: "private", delta: "to ann" });
  relay.piece({ dialogEventId: "lost", to: { speakerUri: "tag:nobody.example,2026:x", private: true } });
  relay.piece({ dialogEventId: "lost", delta: "to nobody" });
  relay.end([]);
  const audiences = Object.fromEntries(seen.map(({ draft, audience }) => [draft.dialogEventId, audience]));
  expect(audiences).toEqual({ public: [ann, bot.speakerUri], private: [bot.speakerUri, ann] });
  expect(seen.filter(({ draft }) => draft.end === "dropped")).toHaveLength(2);
});

test("D30: without the right to speak there is no draft", () => {
  const { relay, seen } = relayIn(floorWithBot({ eventType: "revokeFloor", to: { speakerUri: bot.speakerUri } }));
  relay.piece({ dialogEventId: "x" });
  relay.piece({ dialogEventId: "x", delta: "psst" });
  relay.end([]);
  expect(seen).toEqual([]);
});

test("D30: the draft of an answer to a whisper without an addressee goes only to the two parties", () => {
  const { relay, seen } = relayIn(
    floorWithBot({ eventType: "invite", to: { serviceUrl: "http://other.example/" } }),
    ann,
  );
  relay.piece({ dialogEventId: "x" });
  relay.piece({ dialogEventId: "x", delta: "your PIN is" });
  expect(seen.map(({ audience }) => audience)).toEqual([[bot.speakerUri, ann]]);
});

test("D30: a reader who may not see the utterance gets `dropped` for its draft", () => {
  const { floor } = floorWithBot({ eventType: "invite", to: { serviceUrl: "http://other.example/" } });
  const start = { floor, delivery: floor.open.findLast(({ to }) => to === bot.speakerUri)?.id ?? "" };
  const { relay, seen } = relayIn(start);
  relay.piece({ dialogEventId: "x", delta: "psst" });
  const whisper = { ...utterance(bot.speakerUri, "psst", "x"), to: { speakerUri: ann, private: true } };
  const answered = envelope({ conversation: { id: "c" }, sender: bot, events: [whisper] });
  const { entries } = decide(start.floor, { kind: "answer", delivery: start.delivery, envelope: answered }, now);
  relay.end(entries);
  const ends = seen.flatMap(({ draft, audience }) => (draft.end === undefined ? [] : [[draft.end, audience]]));
  expect(ends).toEqual([
    ["final", [ann, bot.speakerUri]],
    ["dropped", ["http://other.example/"]],
  ]);
});

const step = (id: string, more: object = {}) => ({ id, title: `Step ${id}`, state: "running" as const, ...more });

test("D43: steps have the rate limit of the text; the newest of each id is sent, and none is lost", async () => {
  const { relay, seen, clock } = relayIn(floorWithBot());
  relay.piece({ dialogEventId: "x", step: step("1") });
  relay.piece({ dialogEventId: "x", step: step("2") });
  relay.piece({ dialogEventId: "x", delta: "a" });
  relay.piece({ dialogEventId: "x", step: step("1", { state: "done", parent: "0" }) });
  relay.piece({ dialogEventId: "x", step: step("1", { state: "failed" }) });
  await clock.advance(100);
  relay.piece({ dialogEventId: "x", step: step("3") });
  relay.end([]);
  const frames = seen.map(({ draft: { delta, step: one, end } }) => one ?? delta ?? end);
  expect(frames).toEqual([step("1"), step("2"), step("1", { state: "failed" }), "a", step("3"), "dropped"]);
});

test("D43: a draft without steps has no step frames", () => {
  const { relay, seen } = relayIn(floorWithBot());
  relay.piece({ dialogEventId: "x", delta: "a" });
  expect(Object.keys(seen[0]?.draft ?? {})).toEqual(["conversation", "speakerUri", "dialogEventId", "delta", "offset"]);
});

test("D43: steps go to the audience of their draft, and to no reader without the right to speak", () => {
  const { relay, seen } = relayIn(
    floorWithBot({ eventType: "invite", to: { serviceUrl: "http://other.example/" } }),
    ann,
  );
  relay.piece({ dialogEventId: "x", step: step("1") });
  expect(seen.map(({ audience }) => audience)).toEqual([[bot.speakerUri, ann]]);
  const silent = relayIn(floorWithBot({ eventType: "revokeFloor", to: { speakerUri: bot.speakerUri } }));
  silent.relay.piece({ dialogEventId: "x", step: step("1") });
  silent.relay.end([]);
  expect(silent.seen).toEqual([]);
});

test("D43: long texts are cut, control characters are removed, and empty steps are dropped", () => {
  const { relay, seen } = relayIn(floorWithBot());
  const long = "é".repeat(5_000);
  relay.piece({ dialogEventId: "x", step: step(" \u0007 ", { title: "\u001b" }) });
  relay.piece({ dialogEventId: "x", step: { ...step(long, { parent: long, detail: long }), title: long } });
  relay.piece({
    dialogEventId: "y",
    step: step("a\nb", { title: "Go\u001b[31m \u202eon\n now", detail: "1\n\u00002" }),
  });
  const [first, second] = seen.flatMap(({ draft }) => draft.step ?? []);
  expect(first).toEqual({ ...step("é".repeat(128)), title: `${"é".repeat(199)}…`, detail: "é".repeat(4_096) });
  expect(second).toEqual(step("ab", { title: "Go[31m on now", detail: "1\n2" }));
});

test("D43: of thousands of steps 200 different ones are shown, and their updates continue", async () => {
  const { relay, seen, clock } = relayIn(floorWithBot());
  for (let number = 0; number < 5_000; number += 1) relay.piece({ dialogEventId: "x", step: step(`${number}`) });
  relay.piece({ dialogEventId: "x", step: step("7", { state: "done" }) });
  await clock.advance(100);
  expect(seen.length).toBeLessThan(30);
  await clock.advance(1_000);
  const shown = seen.flatMap(({ draft }) => draft.step ?? []);
  expect(shown).toHaveLength(200);
  expect(shown.find(({ id }) => id === "7")?.state).toBe("done");
});

test("a listener to one conversation gets no drafts of others, and none after it is removed", () => {
  const listeners = createDraftListeners();
  const received: string[] = [];
  const recordAs = (who: string) => (draft: Draft) => received.push(`${who}: ${draft.conversation}`);
  const draftIn = (conversation: string) => ({
    conversation,
    speakerUri: bot.speakerUri,
    dialogEventId: "x",
    delta: "a",
  });
  listeners.add(undefined, recordAs("all"));
  const stop = listeners.add("one", recordAs("one"));
  listeners.publish(draftIn("one"), [ann]);
  listeners.publish(draftIn("two"), [ann]);
  stop();
  listeners.publish(draftIn("one"), [ann]);
  expect(received).toEqual(["all: one", "one: one", "all: two", "all: one"]);
});
