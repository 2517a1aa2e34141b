// A speakerUri that is bound to one address is not trusted at another one until the owner or the operator allows it.
import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { apply } from "../apply.ts";
import { decide } from "../decide.ts";
import { type Floor, seatOf } from "../floor.ts";
import type { Facts } from "../input.ts";
import {
  after,
  ann,
  answer,
  chair,
  command,
  delegationOf,
  deliveryTo,
  effective,
  from,
  invites,
  kinds,
  names,
  now,
  owl,
  parrot,
  refused,
  room,
  says,
  self,
  urlOf,
} from "../testing/room.ts";

const elsewhere = "https://elsewhere.example/agent";
const facts: Facts = { boundElsewhere: [parrot] };
const alone = room({ agents: [owl] });
const spec = room({ agents: [owl], options: { policy: "spec" } });
const inviteThere: FloorEvent = { eventType: "invite", to: { speakerUri: parrot, serviceUrl: elsewhere } };
const byAddress: FloorEvent = { eventType: "invite", to: { serviceUrl: elsewhere } };
const rebind = { verb: "rebind", speakerUri: parrot, serviceUrl: elsewhere } as const;
const approve = command(rebind, "owner");
const move = command(rebind);

function inviting(floor: Floor, event: FloorEvent) {
  return decide(floor, { ...from(ann, event), facts }, now);
}

test("an invite of a name that is bound to another address is refused, and the problem names the remedy", () => {
  const decision = inviting(alone, inviteThere);
  expect(decision.refusals).toMatchObject([{ index: 0, because: "guard/bound-elsewhere", status: 403 }]);
  expect(decision.refusals[0]?.problem).toBe(
    "this speakerUri joined before from another address; the owner allows the new one on the page, with /allow in the terminal " +
      "or by POST .../move, and the operator re-binds it for every conversation by POST .../rebind",
  );
  expect(names(decision.floor)).toEqual([ann, owl]);
});

test("a bound name is found in other letter case too, and other names are not affected", () => {
  const loud = { ...inviteThere, to: { ...inviteThere.to, speakerUri: parrot.toUpperCase() } };
  expect(refused(inviting(alone, loud))).toEqual(["guard/bound-elsewhere"]);
  expect(refused(inviting(alone, invites("tag:new.example,2025:1")))).toEqual([]);
  expect(refused(inviting(alone, says(ann, "hello", inviteThere.to)))).toEqual([]);
});

test("after the owner has approved an address, the invite passes for that address only", () => {
  const approved = after(alone, approve);
  expect(approved.bindings).toEqual({ [parrot]: elsewhere });
  const decision = inviting(approved, inviteThere);
  expect(names(decision.floor)).toContain(parrot);
  const joining = { ...answer(deliveryTo(decision, parrot), parrot), facts };
  expect(seatOf(after(decision.floor, joining), parrot)?.state).toBe("joined");
  expect(refused(inviting(approved, invites(parrot)))).toEqual(["guard/bound-elsewhere"]);
});

test("an invite that waits for the convener is judged by the bindings at the time it takes effect", () => {
  const convened = room({ agents: [owl], convener: chair });
  expect(refused(inviting(convened, inviteThere))).toEqual(["guard/bound-elsewhere"]);
  const asking = decide(convened, { ...from(ann, byAddress, inviteThere), facts }, now);
  const returned = answer(delegationOf(asking), chair, byAddress);
  expect(refused(decide(asking.floor, returned, now))).toEqual(["guard/bound-elsewhere"]);
  const approved = after(asking.floor, approve);
  expect(refused(decide(approved, returned, now))).toEqual([]);
});

test("a conversant invited by address that answers under a bound name does not join, and everyone sees why", () => {
  const provisional = decide(alone, from(ann, byAddress), now);
  const joining = { ...answer(deliveryTo(provisional, elsewhere), parrot, says(parrot, "hello")), facts };
  const decision = decide(provisional.floor, joining, now);
  expect(kinds(decision)).toEqual(["missed", "event"]);
  expect(decision.entries).toMatchObject([
    { because: "guard/bound-elsewhere", failure: "refused" },
    { because: "guard/bound-elsewhere", audience: [ann, owl, elsewhere], event: { eventType: "declineInvite" } },
  ]);
  const [, declined] = decision.entries;
  const reason = declined?.kind === "event" ? declined.event.reason : "";
  expect(reason).toMatch(/^@error answered as tag:parrot.example,2025:1: this speakerUri joined before from another/);
  expect(names(decision.floor)).toEqual([ann, owl]);
});

test("an answer under the name of a present person does not request a move for that person", () => {
  const provisional = decide(alone, from(ann, byAddress), now);
  const joining = { ...answer(deliveryTo(provisional, elsewhere), ann), facts: { boundElsewhere: [ann] } };
  const decision = decide(provisional.floor, joining, now);
  expect(decision.entries[0]).toMatchObject({ kind: "missed", because: "guard/impersonation" });
  expect(decision.floor.moves ?? []).toEqual([]);
});

test("a conversant whose name is found to be bound after the invite does not join under any name", () => {
  const invited = decide(alone, from(ann, inviteThere), now);
  for (const claimed of [parrot, "tag:polly.example,2025:1"]) {
    const decision = decide(invited.floor, { ...answer(deliveryTo(invited, parrot), claimed), facts }, now);
    expect(effective(decision)).toEqual([[parrot, "declineInvite", "guard/bound-elsewhere"]]);
    expect(seatOf(decision.floor, parrot)).toBeUndefined();
  }
});

test("an invited conversant with a bound name is removed also when it answers another delivery than its invite", () => {
  const invited = after(alone, from(ann, inviteThere));
  const speaking = decide(invited, from(owl, says(owl, "who is there?")), now);
  const decision = decide(speaking.floor, { ...answer(deliveryTo(speaking, parrot), parrot), facts }, now);
  expect(seatOf(decision.floor, parrot)).toBeUndefined();
});

test("an invited conversant with a bound name does not join by an envelope of its own", () => {
  const invited = after(alone, from(ann, inviteThere));
  const decision = decide(invited, { ...from(parrot, says(parrot, "hello")), facts }, now);
  expect(decision).toMatchObject({ entries: [], refusals: [{ because: "guard/bound-elsewhere", status: 403 }] });
  expect(effective(decide(after(invited, approve), { ...from(parrot, says(parrot, "hi")), facts }, now))).toHaveLength(
    1,
  );
});

test("an answer of an invited convener from another address counts as missed", () => {
  const waiting = after(alone, from(ann, inviteThere));
  // Older logs contain this: an invited conversant could be appointed.
  const role = { kind: "role", role: "convener", speakerUri: parrot } as const;
  const entry = { ...role, seq: waiting.seq + 1, at: now, turn: "t1", because: "command/convener/owner", audience: [] };
  const invited = apply(waiting, entry);
  const asking = decide(invited, from(ann, invites("tag:new.example,2025:1")), now);
  const decision = decide(asking.floor, { ...answer(delegationOf(asking), parrot), facts }, now);
  expect(decision.entries[0]).toMatchObject({ kind: "missed", because: "guard/bound-elsewhere" });
  expect(seatOf(decision.floor, parrot)?.state).toBe("invited");
});

test("a joined conversant goes on when its name is found to be bound elsewhere", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const decision = decide(
    speaking.floor,
    { ...answer(deliveryTo(speaking, parrot), parrot, says(parrot, "hi")), facts },
    now,
  );
  expect(effective(decision)).toEqual([[parrot, "utterance", "2.2/utterance/granted/no-convener"]]);
});

test("the policy `spec` trusts every address", () => {
  expect(refused(inviting(spec, inviteThere))).toEqual([]);
  const provisional = decide(spec, from(ann, byAddress), now);
  const joining = { ...answer(deliveryTo(provisional, elsewhere), parrot), facts };
  expect(seatOf(after(provisional.floor, joining), parrot)?.state).toBe("joined");
});

test("an owner cannot rebind a joined conversant, as whispers would go to another address", () => {
  for (const named of [parrot, "tag:polly.example,2025:1"]) {
    const floor = { ...room(), aliases: { "tag:polly.example,2025:1": parrot } };
    const decision = decide(floor, command({ ...rebind, speakerUri: named }, "owner"), now);
    expect(decision).toMatchObject({ entries: [], refusals: [{ because: "command/rebind/joined", status: 409 }] });
  }
  const same = command({ ...rebind, serviceUrl: urlOf(parrot) }, "owner");
  expect(decide(room(), same, now).refusals).toEqual([]);
});

test("an owner cannot rebind a joined conversant by another spelling of its name", () => {
  const floor = after(room(), command({ ...rebind, speakerUri: parrot.toUpperCase() }, "owner"));
  expect(seatOf(floor, parrot)?.identification.serviceUrl).toBe(urlOf(parrot));
});

test("after the conversant was removed, the owner can approve its new address and invite it there", () => {
  const floor = after(room(), command({ verb: "remove", speakerUri: parrot }, "owner"), approve);
  const decision = inviting(floor, inviteThere);
  expect(seatOf(decision.floor, parrot)).toMatchObject({ state: "invited", identification: { serviceUrl: elsewhere } });
});

test("re-binding a seated conversant changes its address and aborts the deliveries to the old one", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const decision = decide(speaking.floor, move, now);
  const delivery = deliveryTo(speaking, parrot);
  expect(decision.entries).toMatchObject([
    {
      kind: "rebound",
      because: "command/rebind/operator",
      speakerUri: parrot,
      serviceUrl: elsewhere,
      aborts: [delivery],
    },
  ]);
  expect(decision.entries[0]?.audience).toEqual([ann, parrot, owl]);
  expect(decision.effects).toEqual([{ kind: "abort", delivery }]);
  expect(seatOf(decision.floor, parrot)?.identification.serviceUrl).toBe(elsewhere);
  expect(kinds(decide(decision.floor, answer(delivery, parrot, says(parrot, "hi")), now))).toEqual(["late"]);
  const again = decide(decision.floor, from(ann, says(ann, "hello")), now);
  expect(again.effects).toContainEqual(
    expect.objectContaining({ to: { speakerUri: parrot, serviceUrl: elsewhere }, delivery: deliveryTo(again, parrot) }),
  );
});

test("rebind to the present address aborts no delivery", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const same = command({ verb: "rebind", speakerUri: parrot, serviceUrl: urlOf(parrot) });
  const decision = decide(speaking.floor, same, now);
  expect(decision.effects).toEqual([]);
  expect(decision.floor.open).toEqual(speaking.floor.open);
});

test("a convener that is re-bound gets its open delegations again at the new address", () => {
  const asking = decide(room({ convener: chair }), from(ann, invites("tag:new.example,2025:1")), now);
  const moving = decide(asking.floor, command({ verb: "rebind", speakerUri: chair, serviceUrl: elsewhere }), now);
  expect(moving.effects).toContainEqual(
    expect.objectContaining({ isDelegation: true, to: { speakerUri: chair, serviceUrl: elsewhere } }),
  );
});

test("neither the name nor the address of the floor can be bound", () => {
  for (const part of [{ speakerUri: self.speakerUri }, { serviceUrl: self.serviceUrl }]) {
    const rebind = { verb: "rebind", speakerUri: parrot, serviceUrl: elsewhere, ...part } as const;
    expect(decide(alone, command(rebind), now).refusals).toMatchObject([{ because: "guard/self-invite", status: 422 }]);
  }
});

test("a name has only its newest approved address, and at most 256 names are kept, the newest", () => {
  const bind = (speakerUri: string, serviceUrl: string) => command({ verb: "rebind", speakerUri, serviceUrl });
  const twice = after(alone, bind(parrot, "https://a.example"), bind(parrot.toUpperCase(), "https://b.example"));
  expect(twice.bindings).toEqual({ [parrot.toUpperCase()]: "https://b.example" });
  let floor = alone;
  for (let count = 0; count < 260; count += 1) floor = after(floor, bind(`tag:n${count}.example,2025:1`, elsewhere));
  expect(Object.keys(floor.bindings)).toHaveLength(256);
  expect(Object.keys(floor.bindings)[0]).toBe("tag:n4.example,2025:1");
});

test("the name __proto__ is bound like any other name", () => {
  const floor = after(alone, command({ verb: "rebind", speakerUri: "__proto__", serviceUrl: elsewhere }));
  expect(Object.entries(floor.bindings)).toEqual([["__proto__", elsewhere]]);
  expect(Object.getPrototypeOf(floor.bindings)).toBe(Object.prototype);
});
