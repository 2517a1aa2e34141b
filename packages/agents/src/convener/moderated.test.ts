// Rules M1 to M8 of docs/convener.md.
import { bye, grantFloor, invite, requestFloor, revokeFloor, yieldFloor } from "@plenary/protocol";
import { expect, test } from "vitest";
import { ann, ben, ConvenedFloor, cleo, convener, owl, parrot, says, urlOf } from "../testing/convened-floor.ts";
import { moderatedPolicy } from "./moderated.ts";
import type { PolicyInput } from "./policy.ts";

const moderated = () => new ConvenedFloor(moderatedPolicy);
const toChair = { speakerUri: convener, private: true };
const to = (speakerUri: string) => ({ to: { speakerUri } });

/** The card of the newest question, answered. */
function answered(floor: ReturnType<typeof moderated>, which: number, value: string, replied: unknown = value) {
  const questions = floor.convenerEvents.flatMap((event) => {
    const card = event.eventType === "utterance" ? event.parameters.dialogEvent.features.interaction : undefined;
    return card === undefined ? [] : [card.tokens[0]?.value as { id: string; input_type: string }];
  });
  const words = says(ann, value, toChair);
  const id = questions[which]?.id ?? "";
  const mimeType = "application/vnd.plenary.interaction+json";
  words.parameters.dialogEvent.features.interactionReply = { mimeType, tokens: [{ value: { id, values: [replied] } }] };
  return floor.send(ann, words).slice(1);
}

test("M1, C11, C8: only the owner has the floor, also after others join", () => {
  const floor = moderated();
  expect(floor.speakers).toEqual([]);
  floor.send(ben, invite({ to: { speakerUri: parrot, serviceUrl: urlOf(parrot) } }));
  expect(floor.speakers).toEqual([]);
});

test("M2: a request is whispered to the owner once, and the person is notified", () => {
  const floor = moderated();
  expect(floor.send(ben, requestFloor())).toEqual([
    'chair: whisper ann "ben asks for the floor (Yes, No)"',
    'chair: whisper ben "I have asked the owner."',
  ]);
  expect(floor.send(ben, requestFloor())).toEqual([]);
  expect(floor.send(owl, requestFloor())).toEqual(['chair: whisper ann "owl asks for the floor (Yes, No)"']);
});

test("M3, C9: each utterance needs its own approval, and is delivered then", () => {
  const floor = moderated();
  expect(floor.send(owl, says(owl, "the first"))).toEqual([
    'chair: whisper ann "owl wants to say: “the first” (Yes, No)"',
  ]);
  floor.send(owl, says(owl, "the second"));
  expect(answered(floor, 1, "yes")).toEqual(['chair: utterance of owl "the second"']);
  expect(answered(floor, 0, "no")).toEqual([]);
  expect(floor.speakers).toEqual([]);
});

test("M4: yes grants the floor until it is yielded, no refuses the request", () => {
  const floor = moderated();
  floor.send(ben, requestFloor());
  floor.send(owl, requestFloor());
  expect(answered(floor, 0, "yes")).toEqual(["chair: grantFloor ben"]);
  expect(answered(floor, 1, "no")).toEqual(["chair: revokeFloor owl"]);
  expect(floor.send(ben, says(ben, "thank you"))).toEqual(['ben: utterance "thank you"']);
  floor.send(ben, yieldFloor());
  expect(floor.send(ben, requestFloor())).toContain('chair: whisper ann "ben asks for the floor (Yes, No)"');
});

test("M4: a reply that is no text answers nothing, and the question stays open", () => {
  const floor = moderated();
  floor.send(ben, requestFloor());
  expect(answered(floor, 0, "hm", { toString: "yes" })).toEqual([]);
  expect(floor.speakers).toEqual([]);
  expect(answered(floor, 0, "yes")).toEqual(["chair: grantFloor ben"]);
});

test("M4: the owner revokes the floor, and grants it without a request", () => {
  const floor = moderated();
  expect(floor.send(ann, grantFloor(to(owl)))).toEqual(["ann: grantFloor owl"]);
  expect(floor.send(ann, revokeFloor(to(owl)))).toEqual(["ann: revokeFloor owl"]);
  expect(floor.speakers).toEqual([]);
});

test("M5, C10: several questions can be open; those of a conversant who left are dropped", () => {
  const floor = moderated();
  for (const one of [ben, cleo, owl]) floor.send(one, requestFloor());
  floor.send(cleo, bye());
  expect(answered(floor, 1, "yes")).toEqual([]);
  expect(answered(floor, 2, "yes")).toEqual(["chair: grantFloor owl"]);
  expect(floor.speakers).toEqual(["owl"]);
});

test.each([
  ["yes", "chair: grantFloor ben"],
  ["No.", "chair: revokeFloor ben"],
  ["yes, Cleo", "chair: grantFloor cleo"],
  ["no cleo", "chair: revokeFloor cleo"],
  ["Cleo!", "chair: grantFloor cleo"],
])("M6: the owner whispers %s", (words, outcome) => {
  const floor = moderated();
  floor.send(ben, requestFloor());
  floor.send(cleo, requestFloor());
  expect(floor.send(ann, says(ann, words, toChair)).slice(1)).toEqual([outcome]);
});

test.each([
  ["yes", undefined, ann],
  ["yes", { speakerUri: cleo }, ann],
  ["perhaps", toChair, ann],
  ["yes", toChair, ben],
])("M6: %s to %o by %s decides nothing", (words, addressee, speaker) => {
  const floor = moderated();
  floor.send(ann, grantFloor(to(ben)));
  floor.send(cleo, requestFloor());
  floor.send(speaker, says(speaker, words, addressee));
  expect(floor.speakers).toEqual(["ben"]);
});

test("M7: a new owner receives the open questions", () => {
  const floor = moderated();
  floor.send(owl, requestFloor());
  expect(floor.send(ann, bye())).toContain('chair: whisper ben "owl asks for the floor (Yes, No)"');
  expect(floor.send(ben, says(ben, "yes", toChair)).at(-1)).toBe("chair: grantFloor owl");
});

test("M7: a new owner's own requests are granted", () => {
  const floor = moderated();
  floor.send(ben, requestFloor());
  floor.send(ben, says(ben, "by the way"));
  const sent = floor.send(ann, bye());
  expect(sent).toEqual(["ann: bye ann", "chair: grantFloor ben", 'chair: utterance of ben "by the way"']);
  expect(floor.send(ben, says(ben, "yes", toChair))).toHaveLength(1);
});

test("M8: without an owner the floor is open", () => {
  const view = { self: convener, conversants: [], granted: [], nowMs: 0 };
  const input: PolicyInput = { kind: "delegated", event: requestFloor(), sender: ben };
  expect(moderatedPolicy.rule(moderatedPolicy.newState(), input, view).events).toEqual([grantFloor(to(ben))]);
});

test("M2, C6: an owner without the floor can speak, and gets the floor back with a question", () => {
  const floor = moderated();
  floor.send(ann, yieldFloor());
  expect(floor.send(ann, says(ann, "go on"))).toEqual(['ann: utterance "go on"']);
  expect(floor.send(owl, requestFloor())).toEqual([
    "chair: grantFloor ann",
    'chair: whisper ann "owl asks for the floor (Yes, No)"',
  ]);
});

test("C17: the number of open questions is limited", () => {
  const floor = moderated();
  for (let count = 0; count < 4; count += 1) floor.send(owl, says(owl, `word ${count}`));
  expect(floor.send(owl, says(owl, "one more"))).toEqual(["chair: revokeFloor owl @brokenPolicy"]);
});

test("a requested utterance is quoted in one short line", () => {
  const floor = moderated();
  const [question = ""] = floor.send(owl, says(owl, `hello\n\u001b[31mYes, No\u202e${"x".repeat(500)}`));
  expect(question).not.toMatch(/\p{C}/u);
  expect(question.length).toBeLessThan(300);
});
