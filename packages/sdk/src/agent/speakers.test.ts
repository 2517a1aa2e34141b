import {
  acceptInvite,
  bye,
  type Conversation,
  declineInvite,
  type FloorEvent,
  invite,
  publishManifests,
  textUtterance,
  uninvite,
} from "@plenary/protocol";
import { describe, expect, test } from "vitest";
import { isPerson, ObservedSpeakers, speakerKind } from "./speakers.ts";

const jo = "tag:people.example,2026:jo";
const bot = "tag:bots.example,2026:1";
const texts = { organization: "Example", conversationalName: "One", synopsis: "Is here." };
const listed = (speakerUri: string, more: object = {}) => ({
  identification: { ...texts, speakerUri, serviceUrl: "https://one.example/", ...more },
});
const at = (...conversants: ReturnType<typeof listed>[]): Conversation => ({ id: "c1", conversants });

describe("where people are marked by their role", () => {
  test.each(["User", "user", " Person ", "human", "Customer", "guest", "End User", "Human user", "User Proxy"])(
    "%s is a person, and every other listed speaker is an agent",
    (role) => {
      const conversation = at(listed(jo, { role }), listed(bot));
      expect(speakerKind(jo, conversation)).toBe("person");
      expect(speakerKind(`${jo.toUpperCase()}/`, conversation)).toBe("person");
      expect(speakerKind(bot, conversation)).toBe("agent");
    },
  );

  test.each(["Customer Service", "Reservation Specialist", "user interface designer", ""])(
    "%j is no such role",
    (role) => {
      expect(speakerKind(jo, at(listed(jo, { role }), listed(bot)))).toBe("unknown");
    },
  );

  test("events of a marked person do not make it an agent", () => {
    const evidence = { hasActedAsAgent: () => true, inviter: undefined };
    expect(speakerKind(jo, at(listed(jo, { role: "User" })), evidence)).toBe("person");
  });

  test("a speaker that is not listed is unknown", () => {
    expect(speakerKind(bot, at(listed(jo, { role: "User" })))).toBe("unknown");
  });
});

describe("where no speaker is marked", () => {
  test("a speaker is unknown, and counts as a person", () => {
    expect(speakerKind(jo, { id: "c1" })).toBe("unknown");
    expect(speakerKind(jo, at(listed(jo), listed(bot)))).toBe("unknown");
    expect(isPerson(jo, at(listed(jo), listed(bot)))).toBe(true);
  });

  test.each(["convener", "archivist", "discovery"])("a %s is an agent", (role) => {
    expect(speakerKind(bot, { ...at(listed(jo), listed(bot)), assignedFloorRoles: { [role]: [bot] } })).toBe("agent");
  });

  test("a speaker that offers roles is an agent", () => {
    expect(speakerKind(bot, at(listed(bot, { openFloorRoles: { discovery: true } })))).toBe("agent");
    expect(speakerKind(bot, at(listed(bot, { openFloorRoles: { discovery: false } })))).toBe("unknown");
  });

  test("a speaker that has acted as an agent is one, the inviter too", () => {
    const evidence = { hasActedAsAgent: (uri: string) => uri === bot, inviter: bot };
    expect(speakerKind(bot, { id: "c1" }, evidence)).toBe("agent");
    expect(isPerson(bot, { id: "c1" }, evidence)).toBe(false);
  });

  test("the owner and the inviter are people", () => {
    expect(speakerKind(jo, { ...at(listed(jo)), assignedFloorRoles: { owner: [jo] } })).toBe("person");
    expect(speakerKind(jo, { id: "c1" }, { hasActedAsAgent: () => false, inviter: jo })).toBe("person");
  });

  test("a synopsis shows an agent where the owner or the inviter has none", () => {
    const conversation = at(listed(jo, { synopsis: "" }), listed(bot), listed("tag:new", { synopsis: " " }));
    const evidence = { hasActedAsAgent: () => false, inviter: jo };
    expect(speakerKind(bot, conversation)).toBe("unknown");
    expect(speakerKind(bot, conversation, evidence)).toBe("agent");
    expect(speakerKind("tag:new", conversation, evidence)).toBe("unknown");
    expect(speakerKind(bot, { ...conversation, assignedFloorRoles: { owner: [jo] } })).toBe("agent");
    // Here the inviter has a synopsis, so a synopsis shows nothing.
    expect(speakerKind(bot, at(listed(jo), listed(bot)), evidence)).toBe("unknown");
  });
});

let minted = 0;

function says(text: string, id = `de:${minted++}`): FloorEvent {
  return textUtterance(text, { speakerUri: bot, id, startTime: "2026-01-01T00:00:00Z" });
}

function noticed(sender: string, ...events: FloorEvent[]) {
  const voices = new ObservedSpeakers();
  for (const event of events) hear(voices, sender, event);
  return voices;
}

function hear(voices: ObservedSpeakers, sender: string, event: FloorEvent): void {
  voices.observe(event, sender);
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

test("a speaker that repeats a text four times in a row is an agent, until it says something else", () => {
  const voices = noticed(bot, says("I only know times."), says("I only know times."), says("I only know times."));
  expect(voices.hasActedAsAgent(bot)).toBe(false);
  hear(voices, bot, says("I only know times.", "de:last"));
  expect(voices.hasActedAsAgent(bot)).toBe(true);
  hear(voices, bot, says("What time is it?"));
  expect(voices.hasActedAsAgent(bot)).toBe(false);
});

test("utterances without text do not count as repetition", () => {
  const mute = () => says(" ");
  expect(noticed(bot, mute(), mute(), mute(), mute(), mute()).hasActedAsAgent(bot)).toBe(false);
});

test("an utterance that is delivered twice counts once", () => {
  const same = says("hello", "de:same");
  expect(noticed(bot, same, same, same, same).hasActedAsAgent(bot)).toBe(false);
});

test("`speakers` lists a speaker from its first utterance until it leaves", () => {
  const voices = noticed(bot, says("hello"));
  hear(voices, jo, says("hello"));
  expect(voices.speakers).toEqual([bot, jo]);
  hear(voices, jo, bye());
  expect(voices.speakers).toEqual([bot]);
  hear(voices, jo, uninvite({ to: { speakerUri: bot } }));
  expect(voices.speakers).toEqual([]);
});

test("the number of remembered speakers is bounded", () => {
  const voices = new ObservedSpeakers();
  for (let n = 0; n < 300; n += 1) {
    hear(voices, `tag:${n}`, says("hello"));
    hear(voices, `tag:${n}`, acceptInvite());
  }
  expect(voices.speakers).toHaveLength(128);
  expect(voices.speakers.at(-1)).toBe("tag:299");
  const agents = Array.from({ length: 300 }, (_, n) => `tag:${n}`).filter((uri) => voices.hasActedAsAgent(uri));
  expect(agents).toHaveLength(128);
});

test("the speaker that was silent for longest is dropped first", () => {
  const voices = noticed(jo, says("hello"));
  for (let n = 1; n < 128; n += 1) hear(voices, `tag:${n}`, says("hello"));
  hear(voices, jo, says("still here"));
  hear(voices, bot, says("hello"));
  expect(voices.speakers).toContain(jo);
  expect(voices.speakers).not.toContain("tag:1");
});
