import type { TranscriptEntry } from "@plenary/transcript";
import { expect, test } from "vitest";
import { addresseeOf, createParticipants, matchName } from "./participants.ts";

function seated(speakerUri: string, conversationalName: string, kind: "agent" | "person" = "agent"): TranscriptEntry {
  const identification = {
    speakerUri,
    serviceUrl: "https://x.example/",
    organization: "",
    conversationalName,
    synopsis: "",
  };
  return { seq: 1, at: "", kind: "seated", seat: { identification, kind, state: "joined" } };
}

test('names are sanitized, and "You" is reserved', () => {
  const participants = createParticipants("tag:me");
  participants.addEntry(seated("tag:me", "Ann", "person"));
  participants.addEntry(seated("tag:a", "You"));
  participants.addEntry(seated("tag:b", "Clo\u001b[2Jck\u202e"));
  expect(participants.nameOf("tag:me")).toBe("You");
  expect(participants.nameOf("tag:a")).toBe("You (2)");
  expect(participants.nameOf("tag:b")).toBe("Clo [2Jck");
});

test("of two similar names the later one gets a number", () => {
  const participants = createParticipants("tag:me");
  participants.addEntry(seated("tag:a", "Clock"));
  participants.addEntry(seated("tag:b", "clock\u200b"));
  expect([participants.nameOf("tag:a"), participants.nameOf("tag:b")]).toEqual(["Clock", "clock\u200b (2)"]);
});

test("a participant without a name is shown by its address, also under former speakerUris", () => {
  const participants = createParticipants("tag:me");
  participants.addEntry(seated("http://127.0.0.1:8080/bot", ""));
  expect(participants.nameOf("http://127.0.0.1:8080/bot")).toBe("127.0.0.1:8080/bot");
  expect(participants.isNamed("http://127.0.0.1:8080/bot")).toBe(false);
  const identification = {
    speakerUri: "tag:bot",
    serviceUrl: "http://127.0.0.1:8080/bot",
    organization: "",
    synopsis: "",
    conversationalName: "Bot",
  };
  participants.addEntry({
    seq: 2,
    at: "",
    kind: "renamed",
    from: "http://127.0.0.1:8080/bot",
    to: "tag:bot",
    identification,
  });
  expect(participants.nameOf("http://127.0.0.1:8080/bot")).toBe("Bot");
  expect(participants.isNamed("tag:bot")).toBe(true);
});

const echo = { speakerUri: "tag:echo", name: "Echo" };
const bot = { speakerUri: "tag:bot", name: "Echo Bot" };
const ann = { speakerUri: "tag:ann", name: "Ann" };
const participants = [echo, bot, ann];

test("the longest full name matches, ignoring case", () => {
  expect(matchName("echo bot psst", participants)).toEqual({ person: bot, rest: "psst" });
  expect(matchName("@Echo psst", participants)).toEqual({ person: echo, rest: "psst" });
});

test("a unique prefix of any word of a name matches", () => {
  expect(matchName("an psst", participants)).toEqual({ person: ann, rest: "psst" });
  expect(matchName("bo", participants)).toEqual({ person: bot, rest: "" });
  expect(matchName("ec psst", participants)).toEqual({
    problem: "ec matches Echo and Echo Bot: type more of the name.",
  });
});

test("an unknown name is reported with the participants", () => {
  expect(matchName("Zoe psst", participants)).toEqual({
    problem: "There is no participant Zoe. Participants: Echo, Echo Bot, Ann.",
  });
  expect(matchName("", participants)).toEqual({ problem: "Give a name: Echo, Echo Bot, Ann." });
  expect(matchName("Zoe", [])).toEqual({ problem: "There are no other participants: /invite adds an agent." });
});

test("@Name anywhere in the text addresses a participant publicly", () => {
  expect(addresseeOf("@Ann, are you there?", participants)).toBe(ann.speakerUri);
  expect(addresseeOf("what do you say, @echo bot?", participants)).toBe(bot.speakerUri);
  expect(addresseeOf("@Anna", participants)).toBeUndefined();
  expect(addresseeOf("mail me@Ann", participants)).toBeUndefined();
});
