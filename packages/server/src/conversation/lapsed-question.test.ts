import { apply, type Entry, emptyFloor, type Floor } from "@plenary/floor";
import { expect, test } from "vitest";
import type { ConversationLog } from "../ports/conversation-log.ts";
import { createMemoryStore } from "../store/memory.ts";
import { unansweredQuestion } from "./facts.ts";

const [ann, ben, bot] = ["tag:ann.example,2026:1", "tag:ben.example,2026:1", "tag:bot.example,2026:1"];
const at = "2026-01-01T00:00:00.000Z";

function utteranceEntry(sender: string, text: string, { to, features = {} }: { to?: object; features?: object } = {}) {
  const dialogEvent = {
    id: `d-${text}`,
    speakerUri: sender,
    span: { startTime: at },
    features: { text: { mimeType: "text/plain", tokens: [{ value: text }] }, ...features },
  };
  const event = { eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } };
  const target = to && "speakerUri" in to && { target: to.speakerUri };
  return { kind: "event", sender, turn: "t1", depth: 1, because: "", audience: [], deliveries: [], event, ...target };
}

const feature = (value: object) => ({ mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value }] });

const question = (more: object = {}, to?: object) => {
  const value = { id: "q", input_type: "text", text: "Which?", timeout: 30, ...more };
  return utteranceEntry(bot, "Which?", { features: { interaction: feature(value) }, ...(to && { to }) });
};

const toAnn = { speakerUri: ann, private: true };

async function questionAfter(...after: object[]) {
  const [log, floor] = await logOf(question({}, toAnn), ...after);
  return unansweredQuestion(log, floor, 4);
}

/** Ann, Ben and the bot have seats; then these entries. */
async function logOf(...utteranceEntry: object[]): Promise<[ConversationLog, Floor]> {
  const seat = (speakerUri: string, kind: string) => ({
    kind: "seated",
    turn: "t1",
    because: "",
    audience: [],
    seat: { identification: { speakerUri, serviceUrl: "" }, kind, state: "joined", since: 1, misses: 0 },
  });
  const written = [seat(ann, "person"), seat(ben, "person"), seat(bot, "agent"), ...utteranceEntry];
  const entries = written.map((entry, index) => ({ ...entry, seq: index + 1, at }) as unknown as Entry);
  const floor = entries.reduce(apply, emptyFloor("c"));
  const { log } = createMemoryStore();
  const nothing = { timers: [], deliveries: [], dedupe: [], settled: [], rung: [], dead: [] };
  await log.append("c", { ...nothing, floor, entries }, 0);
  return [log, floor];
}

test("an unanswered question is returned with its sender and its addressee", async () => {
  expect(await questionAfter()).toEqual({ seq: 4, id: "q", sender: bot, turn: "t1", depth: 1, whisperer: ann });
  expect(await questionAfter(utteranceEntry(ben, "I know"), utteranceEntry(ann, "something else"))).toBeDefined();
});

test.each([
  [
    "answered by its feature",
    utteranceEntry(ann, "Red", {
      to: { speakerUri: bot },
      features: { interactionReply: feature({ id: "q", values: ["Red"] }) },
    }),
  ],
  ["answered by an utterance to its sender", utteranceEntry(ann, "Red", { to: { speakerUri: bot } })],
  ["withdrawn", question({ input_type: "notification" }, toAnn)],
])("a question that was %s did not lapse", async (_, entry) => {
  expect(await questionAfter(entry)).toBeUndefined();
});

test("any person can answer a question to everyone", async () => {
  const [log, floor] = await logOf(question(), utteranceEntry(ben, "Red"));
  expect(await unansweredQuestion(log, floor, 4)).toBeUndefined();
  const [open, same] = await logOf(question());
  expect(await unansweredQuestion(open, same, 4)).toEqual({ seq: 4, id: "q", sender: bot, turn: "t1", depth: 1 });
});

test("an erased question does not lapse", async () => {
  const [log, floor] = await logOf(utteranceEntry(bot, "(erased)"));
  expect(await unansweredQuestion(log, floor, 4)).toBeUndefined();
});
