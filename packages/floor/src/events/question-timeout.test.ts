// D31: what an agent receives if its question is not answered.
import type { FloorEvent } from "@plenary/protocol";
import { recordingOf } from "@plenary/transcript";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Decision } from "../decision-builder.ts";
import type { LapsedQuestion } from "../input.ts";
import {
  ann,
  answer,
  deliveryTo,
  envelopesTo,
  from,
  now,
  owl,
  parrot,
  room,
  says,
  self,
  whispers,
} from "../testing/room.ts";
import { visibleTo } from "../visibility.ts";

function asking(question: object, isPrivate = false): FloorEvent {
  const event = (isPrivate ? whispers : says)(parrot, "Which?", { speakerUri: ann });
  if (event.eventType !== "utterance") throw new Error("no utterance");
  const tokens = [{ value: { id: "q", input_type: "text", text: "Which?", ...question } }];
  const interaction = { mimeType: "application/vnd.plenary.interaction+json", tokens };
  event.parameters.dialogEvent.features.interaction = interaction;
  return event;
}

function asked(question: object, isPrivate = false): Decision {
  const before = room({ agents: [parrot, owl] });
  const said = decide(before, from(ann, says(ann, "hello", { speakerUri: parrot })), now);
  return decide(said.floor, answer(deliveryTo(said, parrot), parrot, asking(question, isPrivate)), now);
}

const timers = ({ effects }: Decision) => effects.filter(({ kind }) => kind === "timer");

test("a question with a timeout sets a timer; a question without one and a notification do not", () => {
  const decision = asked({ timeout: 30 });
  const seq = decision.entries.at(-1)?.seq;
  const at = new Date(Date.parse(now) + 30_000).toISOString();
  expect(timers(decision)).toEqual([{ kind: "timer", id: `question:${seq}`, at }]);
  for (const other of [{}, { timeout: 0 }, { timeout: 30, input_type: "notification" }]) {
    expect(timers(asked(other))).toEqual([]);
  }
});

function lapse(isPrivate: boolean, isAnswered = false): Decision {
  const { floor, entries } = asked({ timeout: 30 }, isPrivate);
  const { seq = 0, turn = "" } = entries.at(-1) ?? {};
  const question: LapsedQuestion = {
    seq,
    id: "q",
    sender: parrot,
    turn,
    depth: 1,
    ...(isPrivate && { whisperer: ann }),
  };
  return decide(floor, { kind: "timer", id: `question:${seq}`, ...(!isAnswered && { question }) }, now);
}

test("only the agent that asked is informed that its question lapsed", () => {
  const decision = lapse(false);
  const [{ events: [event] = [], sender } = { sender: undefined }] = envelopesTo(decision, parrot);
  expect(sender?.speakerUri).toBe(self.speakerUri);
  expect(event).toMatchObject({
    eventType: "utterance",
    to: { speakerUri: parrot },
    parameters: { dialogEvent: { features: { interactionReply: { tokens: [{ value: { id: "q", lapsed: true } }] } } } },
  });
  expect(envelopesTo(decision, owl)).toEqual([]);
  const [entry] = decision.entries;
  expect([ann, owl, parrot].map((reader) => entry && visibleTo(entry, reader, 1))).toEqual([false, false, true]);
});

test("after a private question has lapsed, the agent's next answer is private to the person that it asked", () => {
  const decision = lapse(true);
  const said = decide(
    decision.floor,
    answer(deliveryTo(decision, parrot), parrot, says(parrot, "I go on alone.")),
    now,
  );
  const spoken = said.entries.find(({ kind }) => kind === "event");
  expect([ann, owl].map((reader) => spoken && visibleTo(spoken, reader))).toEqual([true, false]);
  const open = decide(
    lapse(false).floor,
    answer(deliveryTo(lapse(false), parrot), parrot, says(parrot, "So be it.")),
    now,
  );
  const aloud = open.entries.find(({ kind }) => kind === "event");
  expect([ann, owl].map((reader) => aloud && visibleTo(aloud, reader))).toEqual([true, true]);
});

test("the timer of an answered question has no effect, nor that of an agent that has left", () => {
  expect(lapse(false, true).entries).toEqual([]);
  const { floor, entries } = asked({ timeout: 30 });
  const gone = decide(floor, from(parrot, { eventType: "bye" }), now);
  const { seq = 0, turn = "" } = entries.at(-1) ?? {};
  const question = { seq, id: "q", sender: parrot, turn, depth: 1 };
  expect(decide(gone.floor, { kind: "timer", id: `question:${seq}`, question }, now).entries).toEqual([]);
});

test("the log contains the lapsed question, so that a replay knows it", () => {
  const decision = lapse(true);
  const inputs = recordingOf("c", decision.entries).inputs;
  expect(inputs).toMatchObject([{ kind: "lapsed", question: { id: "q", sender: parrot, whisperer: ann, depth: 1 } }]);
});
