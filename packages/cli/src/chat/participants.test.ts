import { expect, test } from "vitest";
import type { Entry } from "../floor/conversation-client.ts";
import { addresseeOf, createPeople, namedIn } from "./participants.ts";

function seated(speakerUri: string, conversationalName: string, kind: "agent" | "person" = "agent"): Entry {
  const identification = {
    speakerUri,
    serviceUrl: "https://x.example/",
    organization: "",
    conversationalName,
    synopsis: "",
  };
  return { seq: 1, at: "", kind: "seated", seat: { identification, kind, state: "joined" } };
}

test("names are legible, and nobody else is You", () => {
  const people = createPeople("tag:me");
  people.hear(seated("tag:me", "Ann", "person"));
  people.hear(seated("tag:a", "You"));
  people.hear(seated("tag:b", "Clo\u001b[2Jck\u202e"));
  expect(people.nameOf("tag:me")).toBe("You");
  expect(people.nameOf("tag:a")).toBe("You (2)");
  expect(people.nameOf("tag:b")).toBe("Clo [2Jck");
});

test("of two who look alike the later one has a number", () => {
  const people = createPeople("tag:me");
  people.hear(seated("tag:a", "Clock"));
  people.hear(seated("tag:b", "clock\u200b"));
  expect([people.nameOf("tag:a"), people.nameOf("tag:b")]).toEqual(["Clock", "clock\u200b (2)"]);
});

test("who has no name yet is known by the address, and waits to be named under every name it had", () => {
  const people = createPeople("tag:me");
  people.hear(seated("http://127.0.0.1:8080/bot", ""));
  expect(people.nameOf("http://127.0.0.1:8080/bot")).toBe("127.0.0.1:8080/bot");
  expect(people.isNamed("http://127.0.0.1:8080/bot")).toBe(false);
  const identification = {
    ...{ speakerUri: "tag:bot", serviceUrl: "http://127.0.0.1:8080/bot", organization: "", synopsis: "" },
    conversationalName: "Bot",
  };
  people.hear({ seq: 2, at: "", kind: "renamed", from: "http://127.0.0.1:8080/bot", to: "tag:bot", identification });
  expect(people.nameOf("http://127.0.0.1:8080/bot")).toBe("Bot");
  expect(people.isNamed("tag:bot")).toBe(true);
});

const echo = { speakerUri: "tag:echo", name: "Echo" };
const bot = { speakerUri: "tag:bot", name: "Echo Bot" };
const ann = { speakerUri: "tag:ann", name: "Ann" };
const people = [echo, bot, ann];

test("a whole name is meant, the longer of two, whatever its case", () => {
  expect(namedIn("echo bot psst", people)).toEqual({ person: bot, rest: "psst" });
  expect(namedIn("@Echo psst", people)).toEqual({ person: echo, rest: "psst" });
});

test("the beginning of a name does, of any of its words, if only one begins so", () => {
  expect(namedIn("an psst", people)).toEqual({ person: ann, rest: "psst" });
  expect(namedIn("bo", people)).toEqual({ person: bot, rest: "" });
  expect(namedIn("ec psst", people)).toEqual({ problem: "ec may be Echo or Echo Bot: write more of it." });
});

test("whoever is not here is told with those who are", () => {
  expect(namedIn("Zoe psst", people)).toEqual({ problem: "Nobody here is called Zoe. Here are Echo, Echo Bot, Ann." });
  expect(namedIn("", people)).toEqual({ problem: "Say whom: Echo, Echo Bot, Ann." });
  expect(namedIn("Zoe", [])).toEqual({ problem: "Nobody else is here: /invite brings somebody." });
});

test("a whole name after an @ speaks to somebody in public, wherever it stands", () => {
  expect(addresseeOf("@Ann, are you there?", people)).toBe(ann.speakerUri);
  expect(addresseeOf("what do you say, @echo bot?", people)).toBe(bot.speakerUri);
  expect(addresseeOf("@Anna", people)).toBeUndefined();
  expect(addresseeOf("mail me@Ann", people)).toBeUndefined();
});
