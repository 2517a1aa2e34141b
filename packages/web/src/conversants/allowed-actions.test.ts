import type { ConversationView } from "@plenary/client";
import { expect, test } from "vitest";
import { allowedActions, canConvene, conversantOf, isProtectedByOwner, rolesOf } from "./allowed-actions.ts";

const [ann, bob, bot, chair, guest] = ["tag:ann", "tag:bob", "tag:bot", "tag:chair", "tag:guest"] as const;

function conversant(speakerUri: string, kind: "person" | "agent", hasFloor: boolean, state: "invited" | "joined") {
  const openFloorRoles = { convener: true };
  const named = { speakerUri, serviceUrl: "", conversationalName: "", organization: "", synopsis: "" };
  const identification = { ...named, ...(kind === "agent" && { openFloorRoles }) };
  return { identification, kind, state, since: 1, misses: 0, hasFloor };
}

const view: ConversationView = {
  id: "c",
  seq: 9,
  isClosed: false,
  isPaused: false,
  owner: ann,
  floorRequested: [],
  assignedFloorRoles: { owner: [ann], convener: [chair] },
  floorGranted: [ann, bob, chair],
  options: {} as ConversationView["options"],
  conversants: [
    conversant(ann, "person", true, "joined"),
    conversant(bob, "person", true, "joined"),
    conversant(bot, "agent", false, "joined"),
    conversant(chair, "agent", true, "joined"),
    conversant(guest, "agent", true, "invited"),
  ],
};

test.each([
  ["the owner with a person", ann, bob, ["mention", "whisper", "revoke", "remove"]],
  ["the owner with an agent", ann, bot, ["mention", "whisper", "grant", "appoint", "remove"]],
  ["the owner with the convener", ann, chair, ["mention", "whisper", "revoke", "dismiss", "remove"]],
  ["the owner with an invited agent", ann, guest, ["remove"]],
  ["another person with the owner", bob, ann, ["mention", "whisper"]],
  ["another person with an agent", bob, bot, ["mention", "whisper", "grant", "remove"]],
  ["another person with the convener", bob, chair, ["mention", "whisper"]],
  ["a conversant with itself", bob, bob, []],
  ["an absent person", "tag:nobody", bot, []],
  ["the owner with an absent conversant", ann, "tag:nobody", []],
])("%s gets the actions that the floor allows", (_, me, other, offers) => {
  expect(allowedActions(view, me, other)).toEqual(offers);
});

test.each([
  ["the owner brought", ann, {}, false],
  ["the floor brought for the owner", "tag:floor", {}, false],
  ["was there from the start", undefined, {}, false],
  ["another person brought", bob, {}, true],
  ["the owner brought where guests may moderate", ann, { guestsMay: "moderate" }, true],
  ["the owner brought under the bare rules of the specification", ann, { policy: "spec" }, true],
] as const)("whether a guest may remove or silence an agent that %s", (_, invitedBy, options, isOffered) => {
  const brought = view.conversants.map((one) => ({ ...one, hasFloor: true, ...(invitedBy && { invitedBy }) }));
  const visited: ConversationView = { ...view, conversants: brought, options: { ...view.options, ...options } };
  const mayRemove = ["mention", "whisper", "revoke", "remove"];
  const offers = isOffered ? mayRemove : ["mention", "whisper"];
  expect(allowedActions(visited, bob, bot, true)).toEqual(offers);
  expect(isProtectedByOwner(visited, bob, bot, true)).toBe(!isOffered);
  // Who came without a link is no guest.
  expect(allowedActions(visited, bob, bot, false)).toEqual(mayRemove);
  expect(isProtectedByOwner(visited, bob, bot, false)).toBe(false);
});

test("people and the convener are not protected this way: only the owner removes them anyway", () => {
  for (const other of [ann, bob, chair, "tag:nobody"]) expect(isProtectedByOwner(view, bob, other, true)).toBe(false);
});

test("the owner appoints an agent that offers it as archivist, and dismisses it", () => {
  const willing = view.conversants.map((one) => {
    const { identification } = one;
    return one.kind === "agent"
      ? { ...one, identification: { ...identification, openFloorRoles: { archivist: true } } }
      : one;
  });
  const offered = { ...view, conversants: willing };
  expect(allowedActions(offered, ann, bot)).toContain("archive");
  expect(allowedActions(offered, bob, bot)).not.toContain("archive");
  expect(allowedActions(offered, ann, guest)).not.toContain("archive");
  const given = { ...offered, assignedFloorRoles: { ...view.assignedFloorRoles, archivist: [bot] } };
  expect(allowedActions(given, ann, bot)).toContain("unarchive");
  expect(allowedActions(given, ann, bot)).not.toContain("archive");
  expect(allowedActions(given, bob, bot)).not.toContain("unarchive");
  expect(rolesOf(given, bot)).toEqual(["archivist"]);
});

test("there are no actions after the conversation has ended", () => {
  expect(allowedActions({ ...view, isClosed: true }, ann, bot)).toEqual([]);
});

test("an agent that does not offer to convene cannot be appointed", () => {
  const seated = conversantOf(view, bot);
  if (seated === undefined) throw new Error("the bot is here");
  const { openFloorRoles, ...silent } = seated.identification;
  const refusing = { ...silent, openFloorRoles: { ...openFloorRoles, convener: false } };
  const each = [seated.identification, silent, refusing];
  expect(each.map((identification) => canConvene({ ...seated, identification }))).toEqual([true, false, false]);
});
