import type { Conversation } from "@plenary/protocol";
import { describe, expect, test } from "vitest";
import { isPerson, speakerKind } from "./people.ts";

const jo = "tag:people.example,2026:jo";
const bot = "tag:bots.example,2026:1";
const texts = { organization: "Example", conversationalName: "One", synopsis: "Is here." };
const listed = (speakerUri: string, more: object = {}) => ({
  identification: { ...texts, speakerUri, serviceUrl: "https://one.example/", ...more },
});
const at = (...conversants: ReturnType<typeof listed>[]): Conversation => ({ id: "c1", conversants });

describe("where people are marked by their role", () => {
  test.each(["User", "user", " Person ", "human", "Customer", "guest", "End User", "Human user", "User Proxy"])(
    "%s is a person, and everybody else on the list is an agent",
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

  test("what a marked person does makes it no agent", () => {
    const evidence = { hasActedAsAgent: () => true, inviter: undefined };
    expect(speakerKind(jo, at(listed(jo, { role: "User" })), evidence)).toBe("person");
  });

  test("a speaker that is not on the list is not known", () => {
    expect(speakerKind(bot, at(listed(jo, { role: "User" })))).toBe("unknown");
  });
});

describe("where nobody is marked", () => {
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
    // Here the inviter has a synopsis, so a synopsis tells nothing.
    expect(speakerKind(bot, at(listed(jo), listed(bot)), evidence)).toBe("unknown");
  });
});
