// What a peer says beside an error may quote the request: of what only some may know, nothing is taken.
import { envelope, type FloorEvent, invite, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import type { Letter } from "../ports.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { excerptOf } from "./excerpt.ts";

const ann = "tag:ann.example,2026:ann";
const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
const said = textUtterance("hello", { speakerUri: ann, id: "u1", startTime: "2026-01-01T00:00:00Z" });

function excerpt(event: FloorEvent, body = "{}", answer = '{"error":"The key has expired"}') {
  const events = [event];
  const letter = {
    envelope: envelope({ conversation: { id: "c" }, sender: { speakerUri: ann }, events }),
  } as unknown as Letter;
  async function* words() {
    yield new TextEncoder().encode(answer);
  }
  return excerptOf({ status: 401, headers: new Headers(), body: words() }, { letter, body }, createFakeClock());
}

test("the words beside an error are taken, of public words and of an invite without a history", async () => {
  expect(await excerpt(said)).toBe("The key has expired");
  expect(await excerpt(invite({ to: bot }))).toBe("The key has expired");
});

test("nothing is taken of the answer to a whisper, whatever it says", async () => {
  expect(await excerpt({ ...said, to: { ...bot, private: true } })).toBeUndefined();
});

test("nothing is taken of the answer to an invite with a history", async () => {
  const dialogHistory = said.eventType === "utterance" ? [said.parameters.dialogEvent] : [];
  expect(await excerpt(invite({ to: bot, dialogHistory }))).toBeUndefined();
});

test("nothing is taken where the state of older peers went along, and the empty state is none", async () => {
  expect(await excerpt(said, '{"ovon":{"conversation":{"persistentState":{"k":"secret"}}}}')).toBeUndefined();
  expect(await excerpt(said, '{"ovon":{"conversation":{"persistentState":{}}}}')).toBe("The key has expired");
});

test("each error of a list is taken, with its place", async () => {
  const answer = '{"detail":[{"loc":["body","name"],"msg":"field required"},{"msg":"too short"}]}';
  expect(await excerpt(said, "{}", answer)).toBe("body.name: field required; too short");
});

test("nothing is taken that repeats a word of what was said, in either direction and in any case", async () => {
  const spoken = textUtterance("the Password is swordfish", {
    speakerUri: ann,
    id: "u2",
    startTime: "2026-01-01T00:00:00Z",
  });
  const answered = (error: string) => excerpt(spoken, "{}", JSON.stringify({ error }));
  expect(await answered("I do not know SWORDFISH")).toBeUndefined();
  expect(await answered("sword is no key")).toBeUndefined();
  expect(await answered("passwords are secret")).toBeUndefined();
  expect(await answered("The key has expired")).toBe("The key has expired");
});
