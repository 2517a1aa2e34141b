import {
  acceptInvite,
  bye,
  declineInvite,
  type FloorEvent,
  invite,
  publishManifests,
  textUtterance,
  uninvite,
} from "@plenary/protocol";
import { expect, test } from "vitest";
import { Voices } from "./voices.ts";

const jo = "tag:people.example,2026:jo";
const bot = "tag:bots.example,2026:1";
let minted = 0;

function says(text: string, id = `de:${minted++}`): FloorEvent {
  return textUtterance(text, { speakerUri: bot, id, startTime: "2026-01-01T00:00:00Z" });
}

function noticed(sender: string, ...events: FloorEvent[]) {
  const voices = new Voices();
  for (const event of events) hear(voices, sender, event);
  return voices;
}

function hear(voices: Voices, sender: string, event: FloorEvent): void {
  voices.notice(event, sender);
}

test.each([
  ["accepts an invite", acceptInvite({ to: { speakerUri: jo } })],
  ["declines one", declineInvite({ to: { speakerUri: jo }, reason: "@unavailable" })],
  ["publishes a manifest", publishManifests({ to: { speakerUri: jo }, servicingManifests: [] })],
])("a speaker that %s acts as an agent", (_what, event) => {
  expect(noticed(bot, event).hasActedAsAgent(bot)).toBe(true);
  expect(noticed(bot, event).hasActedAsAgent(jo)).toBe(false);
});

test("the target of an invite is an agent, by name or by address; the inviter is not", () => {
  const event = invite({ to: { speakerUri: bot, serviceUrl: "https://bots.example/1" } });
  expect(noticed(jo, event).hasActedAsAgent(`${bot}/`)).toBe(true);
  expect(noticed(jo, event).hasActedAsAgent("tag:other", "https://bots.example/1/")).toBe(true);
  expect(noticed(jo, event).hasActedAsAgent(jo)).toBe(false);
  const shouted = invite({ to: { speakerUri: `${bot.toUpperCase()}/`, serviceUrl: "https://bots.example/1" } });
  expect(noticed(jo, shouted).hasActedAsAgent(bot)).toBe(true);
});

test("the same words four times in a row are an agent's, until it says something else", () => {
  const voices = noticed(bot, says("I only know times."), says("I only know times."), says("I only know times."));
  expect(voices.hasActedAsAgent(bot)).toBe(false);
  hear(voices, bot, says("I only know times.", "de:last"));
  expect(voices.hasActedAsAgent(bot)).toBe(true);
  hear(voices, bot, says("What time is it?"));
  expect(voices.hasActedAsAgent(bot)).toBe(false);
});

test("utterances without text are no repetition", () => {
  const mute = () => says(" ");
  expect(noticed(bot, mute(), mute(), mute(), mute(), mute()).hasActedAsAgent(bot)).toBe(false);
});

test("one utterance that is delivered again is heard once", () => {
  const same = says("hello", "de:same");
  expect(noticed(bot, same, same, same, same).hasActedAsAgent(bot)).toBe(false);
});

test("speakers are there from their first words until they leave", () => {
  const voices = noticed(bot, says("hello"));
  hear(voices, jo, says("hello"));
  expect(voices.speakers).toEqual([bot, jo]);
  hear(voices, jo, bye());
  expect(voices.speakers).toEqual([bot]);
  hear(voices, jo, uninvite({ to: { speakerUri: bot } }));
  expect(voices.speakers).toEqual([]);
});

test("what is kept of many speakers is bounded", () => {
  const voices = new Voices();
  for (let n = 0; n < 300; n += 1) {
    hear(voices, `tag:${n}`, says("hello"));
    hear(voices, `tag:${n}`, acceptInvite());
  }
  expect(voices.speakers).toHaveLength(128);
  expect(voices.speakers.at(-1)).toBe("tag:299");
  const agents = Array.from({ length: 300 }, (_, n) => `tag:${n}`).filter((uri) => voices.hasActedAsAgent(uri));
  expect(agents).toHaveLength(128);
});

test("who speaks again is forgotten after those who have been silent for longer", () => {
  const voices = noticed(jo, says("hello"));
  for (let n = 1; n < 128; n += 1) hear(voices, `tag:${n}`, says("hello"));
  hear(voices, jo, says("still here"));
  hear(voices, bot, says("hello"));
  expect(voices.speakers).toContain(jo);
  expect(voices.speakers).not.toContain("tag:1");
});
