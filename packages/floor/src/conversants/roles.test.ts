// D41: roles that an invite names, and roles that the owner assigns and removes.
import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Decision } from "../decision-builder.ts";
import type { Floor } from "../floor.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  command,
  deliveryTo,
  from,
  invites,
  kinds,
  now,
  owl,
  parrot,
  room,
  says,
  to,
  urlOf,
} from "../testing/room.ts";

const newcomer = "tag:new.example,2025:1";
const accepts: FloorEvent = { eventType: "acceptInvite" };

const inviteFor = (speakerUri: string, ...expectedFloorRoles: string[]): FloorEvent => ({
  ...invites(speakerUri),
  parameters: { expectedFloorRoles },
});

function invited(roles: string[], { floor = room(), by = ann, one = newcomer } = {}): Decision {
  return decide(floor, from(by, inviteFor(one, ...roles)), now);
}

function replies(decision: Decision, ...events: FloorEvent[]): Floor {
  return after(decision.floor, answer(deliveryTo(decision, newcomer), newcomer, ...events));
}

const roles = ({ roles: { owner: _, ...others } }: Floor) => others;

test("an accepted invite assigns the roles it names, and any answer but a decline accepts", () => {
  for (const events of [[accepts], [], [says(newcomer, "hello")]]) {
    expect(roles(replies(invited(["archivist", "timekeeper"]), ...events))).toEqual({
      archivist: [newcomer],
      timekeeper: [newcomer],
    });
  }
  expect(roles(invited(["archivist"]).floor)).toEqual({});
});

test("an invite that is accepted by an envelope of its own assigns the roles too", () => {
  const floor = after(invited(["archivist"]).floor, from(newcomer, accepts));
  expect(roles(floor)).toEqual({ archivist: [newcomer] });
});

test("a declined invite assigns no role", () => {
  const floor = replies(invited(["archivist"]), { eventType: "declineInvite", reason: "@roleRejected" });
  expect(roles(floor)).toEqual({});
});

test("the agent that the owner invites as convener gets the role if no conversant has it", () => {
  expect(roles(replies(invited(["convener"]), accepts))).toEqual({ convener: [newcomer] });
  const taken = decide(room({ convener: chair }), from(ann, inviteFor(newcomer, "convener")), now);
  const passed = decide(taken.floor, answer(deliveryTo(taken, chair), chair, inviteFor(newcomer, "convener")), now);
  expect(roles(replies(passed, accepts))).toEqual({ convener: [chair] });
  const chosen = after(room(), command({ verb: "convener", serviceUrl: urlOf(chair) }));
  expect(roles(replies(invited(["convener"], { floor: chosen }), accepts))).toEqual({});
});

test("only the owner appoints a convener by an invite, and no invite makes an owner", () => {
  const floor = room({ people: [ann, ben] });
  for (const by of [parrot, ben]) {
    const decision = invited(["convener", "owner", "archivist"], { floor, by });
    const after = replies(decision, accepts);
    expect(after.roles).toEqual({ owner: [ann], archivist: [newcomer] });
  }
});

test("role names that are unsafe or invalid as keys are not assigned", () => {
  const strange = ["__proto__", "constructor", "", "two words", "x".repeat(65), "toString"];
  expect(roles(replies(invited(strange), accepts))).toEqual({ toString: [newcomer] });
});

test("a seated conversant that is invited again for a role gets it by acceptInvite", () => {
  const decision = invited(["archivist"], { one: owl });
  const silent = after(decision.floor, answer(deliveryTo(decision, owl), owl));
  expect(roles(silent)).toEqual({});
  expect(roles(after(decision.floor, answer(deliveryTo(decision, owl), owl, accepts)))).toEqual({ archivist: [owl] });
});

const change = (speakerUri: string, isAssigned = true, role = "archivist") =>
  command({ verb: "role", role, speakerUri, isAssigned }, "owner");

test("a second acceptInvite does not join again: no second role, no request for the manifest, no grant", () => {
  const again = invited(["archivist"], { one: parrot });
  const accepting = decide(again.floor, answer(deliveryTo(again, parrot), parrot, accepts), now);
  expect(accepting.entries.map(({ kind, because }) => `${kind} ${because}`)).toEqual([
    "received answer/in-time",
    "seated 1.12/expected-role",
    "role 1.12/expected-role",
    "event 2.2/acceptInvite/no-convener",
  ]);
  expect(accepting.effects.map(({ kind }) => kind)).not.toContain("askManifest");
  expect(kinds(decide(accepting.floor, from(parrot, accepts), now))).toEqual(["received", "event"]);
});

test("the owner assigns a role to several conversants and removes it from one; everyone sees it", () => {
  const both = after(room(), change(parrot), change(owl));
  expect(roles(both)).toEqual({ archivist: [parrot, owl] });
  const decision = decide(both, change(parrot, false), now);
  expect(decision.entries).toMatchObject([{ kind: "role", isRemoved: true, audience: [ann, parrot, owl] }]);
  expect(roles(decision.floor)).toEqual({ archivist: [owl] });
  expect(roles(after(decision.floor, change(owl, false)))).toEqual({});
  expect(kinds(decide(both, change(owl), now))).toEqual([]);
});

test("a conversant that leaves loses its roles", () => {
  const floor = after(room(), change(parrot), from(ann, { eventType: "uninvite", ...to(parrot) }));
  expect(roles(floor)).toEqual({});
});

test("the role command needs a joined conversant and a valid name, and refuses owner and convener", () => {
  const floor = after(room(), from(ann, invites(newcomer)));
  const refusal = (input: ReturnType<typeof change>) => decide(floor, input, now).refusals[0];
  expect(refusal(change(newcomer))).toMatchObject({ because: "command/role/invited", status: 409 });
  expect(refusal(change("tag:nobody.example,2025:1"))).toMatchObject({ because: "command/role/unknown", status: 404 });
  for (const role of ["owner", "convener"]) {
    expect(refusal(change(parrot, true, role))).toMatchObject({ because: "command/role/reserved", status: 422 });
  }
  expect(refusal(change(parrot, true, "__proto__"))).toMatchObject({ because: "command/role/name", status: 422 });
  const many = Array.from({ length: 15 }, (_, index) => change(parrot, true, `role${index}`));
  const full = decide(after(floor, ...many), change(parrot, true, "more"), now);
  expect(full.refusals).toMatchObject([{ because: "command/role/many" }]);
  const byAgent = command({ verb: "role", role: "archivist", speakerUri: owl, isAssigned: true }, "person", parrot);
  expect(decide(floor, byAgent, now).refusals).toMatchObject([{ status: 403 }]);
});
