import { answerWords, envelope, readEnvelope, replyFeature, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { missingAnswer, mostUrgent, promptStatus } from "./answer-status.ts";
import { type Prompt, promptsOf } from "./read-prompts.ts";

const nowMs = Date.parse("2026-11-16T10:00:00Z");
const base: Prompt = {
  id: "q1",
  seq: 4,
  at: "2026-11-16T10:00:00Z",
  sender: "tag:guide",
  to: "tag:ann",
  isWhisper: false,
  inputType: "radio",
  text: "Tea?",
  options: [
    { id: "1", label: "Green tea", value: "green" },
    { id: "2", label: "Black tea", value: "black" },
  ],
  isRequired: true,
};

test("a question that was dropped for newer ones is over", () => {
  expect(promptStatus({ ...base, isOver: true }, "tag:ann", nowMs)).toEqual({ kind: "expired" });
});

test("only the addressee may answer; a question to everyone is open to all but the asker", () => {
  const { to: _, ...everyone } = base;
  expect(promptStatus(base, "tag:ann", nowMs)).toEqual({ kind: "open" });
  expect(promptStatus(base, "tag:ben", nowMs)).toEqual({ kind: "watched" });
  expect(promptStatus(everyone, "tag:ben", nowMs)).toEqual({ kind: "open" });
  expect(promptStatus(everyone, "tag:guide", nowMs)).toEqual({ kind: "watched" });
});

test("a question expires at its deadline, unless it was answered", () => {
  const timed = { ...base, untilMs: nowMs };
  expect(promptStatus(timed, "tag:ann", nowMs - 1)).toEqual({ kind: "open" });
  expect(promptStatus(timed, "tag:ann", nowMs)).toEqual({ kind: "expired" });
  expect(promptStatus({ ...timed, reply: { by: "tag:ann", values: ["green"] } }, "tag:ann", nowMs)).toEqual({
    kind: "answered",
    by: "tag:ann",
    words: "Green tea",
  });
});

test("a required answer is missing until a value is chosen or written", () => {
  expect(missingAnswer(base, [])).toBe("Please choose one first.");
  expect(missingAnswer({ ...base, inputType: "text" }, ["  "])).toBe("Please write something first.");
  expect(missingAnswer({ ...base, inputType: "checkbox" }, [])).toBe("Please tick at least one.");
  expect(missingAnswer(base, ["green"])).toBeUndefined();
  expect(missingAnswer({ ...base, isRequired: false }, [])).toBeUndefined();
});

test("the answer is a valid envelope, and is read back as the reply to its question", () => {
  const features = { interactionReply: replyFeature(base.id, ["green", "black"]) };
  const event = textUtterance(answerWords(base.options, ["green", "black"]), {
    speakerUri: "tag:ann.example,2026:ann",
    id: "de-5",
    startTime: "2026-11-16T10:00:01Z",
    to: { speakerUri: "tag:guide.example,2026:guide" },
    private: true,
    features,
  });
  const sender = { speakerUri: "tag:ann.example,2026:ann", serviceUrl: "https://ann.example/" };
  const written = envelope({ conversation: { id: "c1" }, sender, events: [event] });
  const read = readEnvelope({ openFloor: written }, { now: "2026-11-16T10:00:02Z", newId: () => "minted" });
  expect(read).toMatchObject({ ok: true, issues: [] });
  const question = {
    mimeType: "application/vnd.plenary.interaction+json",
    tokens: [{ value: { id: "q1", input_type: "checkbox", text: "Tea?", options: ["green", "black"] } }],
  };
  const asked = textUtterance("Tea?", {
    speakerUri: "tag:guide.example,2026:guide",
    id: "de-4",
    startTime: "2026-11-16T10:00:00Z",
    features: { interaction: question },
  });
  const at = "2026-11-16T10:00:00Z";
  const [prompt] = promptsOf([
    { seq: 1, at, kind: "event", sender: "tag:guide.example,2026:guide", event: asked },
    { seq: 2, at, kind: "event", sender: "tag:ann.example,2026:ann", event },
  ]);
  expect(prompt?.reply).toEqual({ by: "tag:ann.example,2026:ann", values: ["green", "black"] });
});

test("the question that expires first is the most urgent, else the oldest", () => {
  const later = { ...base, id: "q2", untilMs: nowMs + 60_000 };
  const soon = { ...base, id: "q3", untilMs: nowMs + 10_000 };
  expect(mostUrgent([base, later, soon], "tag:ann", nowMs)?.id).toBe("q3");
  expect(mostUrgent([base, later, soon], "tag:ann", nowMs + 20_000)?.id).toBe("q2");
  expect(mostUrgent([base, { ...base, id: "q4" }], "tag:ann", nowMs)?.id).toBe("q1");
  expect(mostUrgent([base], "tag:ben", nowMs)).toBeUndefined();
  expect(mostUrgent([{ ...base, inputType: "notification" }], "tag:ann", nowMs)).toBeUndefined();
});
