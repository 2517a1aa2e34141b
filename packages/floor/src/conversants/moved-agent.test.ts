// An agent that is trusted at one address answers from another: on one machine it is re-bound, elsewhere the owner is asked.
import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import { type Floor, seatOf } from "../floor.ts";
import type { Facts } from "../input.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  command,
  delegationOf,
  deliveryTo,
  effective,
  envelopesTo,
  from,
  kinds,
  names,
  now,
  owl,
  parrot,
  refused,
  room,
  says,
  seating,
  urlOf,
} from "../testing/room.ts";

const elsewhere = "http://127.0.0.1:8081/";
const byAddress: FloorEvent = { eventType: "invite", to: { serviceUrl: elsewhere } };
const byName: FloorEvent = { eventType: "invite", to: { speakerUri: parrot, serviceUrl: elsewhere } };
const moved: Facts = { moved: [parrot] };
const foreign: Facts = { boundElsewhere: [parrot] };
const alone = room({ agents: [owl] });

/** The invite is out, and the parrot answers from there. */
function answered(floor: Floor, event: FloorEvent, facts: Facts, ...said: FloorEvent[]) {
  const inviting = decide(floor, { ...from(ann, event), facts }, now);
  const target = inviting.floor.conversants.find(({ identification }) => identification.serviceUrl === elsewhere);
  const delivery = deliveryTo(inviting, target?.identification.speakerUri ?? "nobody");
  return decide(inviting.floor, { ...answer(delivery, parrot, ...said), facts }, now);
}

test("who has moved on this machine joins and is bound to where it answers, by a rule of its own", () => {
  for (const event of [byAddress, byName]) {
    const { entries, floor } = answered(alone, event, moved);
    const rebound = { kind: "rebound", because: "guard/moved-on-loopback", speakerUri: parrot, aborts: [] };
    expect(entries[0]).toMatchObject(rebound);
    expect(seatOf(floor, parrot)).toMatchObject({ state: "joined", identification: { serviceUrl: elsewhere } });
    expect(floor.bindings).toEqual({ [parrot]: elsewhere });
  }
});

test("a moved agent keeps its seat, and deliveries to the old address are aborted", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  for (const event of [byAddress, byName]) {
    const decision = answered(speaking.floor, event, moved, says(parrot, "hi"));
    expect(names(decision.floor)).toEqual([ann, parrot, owl]);
    expect(seatOf(decision.floor, parrot)?.identification.serviceUrl).toBe(elsewhere);
    expect(decision.effects).toContainEqual({ kind: "abort", delivery: deliveryTo(speaking, parrot) });
    expect(decision.effects).not.toContainEqual({ kind: "abort", delivery: deliveryTo(speaking, owl) });
    expect(effective(decision)).toEqual([[parrot, "utterance", "2.2/utterance/granted/no-convener"]]);
    expect(decision.floor.open.filter(({ to }) => to === parrot)).toEqual([]);
  }
});

test("an invite that names who is seated stays one for the seat where nothing was found to have moved", () => {
  const decision = decide(room(), from(ann, byName), now);
  expect(names(decision.floor)).toEqual([ann, parrot, owl]);
});

test("an invite that waits for the convener still goes to the new address", () => {
  const asking = decide(room({ convener: chair }), { ...from(ann, byName), facts: moved }, now);
  const passed = decide(asking.floor, answer(delegationOf(asking), chair, byName), now);
  expect(names(passed.floor)).toContain(elsewhere);
});

test("who declines, or answers under another name, has not moved", () => {
  const declined = answered(room(), byAddress, moved, { eventType: "declineInvite" });
  expect(kinds(declined)).not.toContain("rebound");
  expect(seatOf(declined.floor, parrot)?.identification.serviceUrl).not.toBe(elsewhere);
  const inviting = decide(alone, { ...from(ann, byName), facts: moved }, now);
  const other = { ...answer(deliveryTo(inviting, parrot), "tag:other.example,2025:1"), facts: moved };
  expect(decide(inviting.floor, other, now).entries[0]).toMatchObject({ because: "guard/bound-elsewhere" });
});

test("no conversant takes a person's seat by moving", () => {
  const floor = room({ people: [ann, ben], agents: [owl] });
  const inviting = decide(floor, from(ann, byAddress), now);
  for (const name of [ben, ben.toUpperCase()]) {
    for (const facts of [{ moved: [ben] }, { boundElsewhere: [ben] }]) {
      const decision = decide(inviting.floor, { ...answer(deliveryTo(inviting, elsewhere), name), facts }, now);
      expect(decision.entries[0]).toMatchObject({ because: "guard/impersonation" });
      expect(decision.floor.moves).toBeUndefined();
    }
  }
});

test("elsewhere the name and the address wait for the owner, for every inviter", () => {
  const { floor } = answered(alone, byAddress, foreign);
  expect(floor.moves).toEqual([{ speakerUri: parrot, serviceUrl: elsewhere }]);
});

test("a person's invite by name and address waits for the owner; an agent's does not, as it proves nothing", () => {
  const persons = decide(alone, { ...from(ann, byName), facts: foreign }, now);
  expect(persons.floor.moves).toEqual([{ speakerUri: parrot, serviceUrl: elsewhere }]);
  const agents = decide(alone, { ...from(owl, byName), facts: foreign }, now);
  expect(refused(agents)).toEqual(["guard/bound-elsewhere"]);
  expect(agents.floor.moves).toBeUndefined();
});

const allow = { verb: "move", speakerUri: parrot, isAllowed: true } as const;

test("allowed, it is bound to the new address and invited there at once", () => {
  const asked = answered(alone, byAddress, foreign).floor;
  const decision = decide(asked, command(allow, "owner"), now);
  expect(kinds(decision)).toEqual(["rebound", "seated", "event"]);
  expect(decision.floor.moves).toEqual([]);
  const joining = { ...answer(deliveryTo(decision, parrot), parrot), facts: foreign };
  expect(seatOf(after(decision.floor, joining), parrot)?.state).toBe("joined");
});

test("after approval a seated agent keeps its seat at the new address", () => {
  const asked = answered(room(), byAddress, foreign).floor;
  const decision = decide(asked, command(allow, "owner"), now);
  expect(kinds(decision)).toEqual(["rebound", "event"]);
  expect(seatOf(decision.floor, parrot)?.identification.serviceUrl).toBe(elsewhere);
  expect(deliveryTo(decision, parrot)).toBeDefined();
});

test("allowed where no seat is free, it is refused", () => {
  const asked = answered(alone, byAddress, foreign).floor;
  const full = { ...asked, options: { ...asked.options, conversantsMax: asked.conversants.length } };
  expect(decide(full, command(allow, "owner"), now).refusals).toMatchObject([{ status: 422 }]);
});

test("after a refusal only the request is gone", () => {
  const asked = answered(alone, byAddress, foreign).floor;
  const decision = decide(asked, command({ ...allow, isAllowed: false }, "owner"), now);
  expect(decision.entries).toMatchObject([{ kind: "dismissed", speakerUri: parrot, serviceUrl: elsewhere }]);
  expect(decision.floor.moves).toEqual([]);
  expect(decision.floor.bindings).toEqual({});
});

test("a move that was not requested cannot be allowed", () => {
  expect(decide(alone, command(allow, "owner"), now).refusals).toMatchObject([
    { because: "command/move/unknown", status: 404 },
  ]);
});

test("a name asks once, for the newest address, and of many names the oldest give way", () => {
  let floor = alone;
  for (let count = 0; count < 20; count += 1) {
    const speakerUri = `tag:n${Math.max(count, 2)}.example,2025:1`;
    const to = { speakerUri, serviceUrl: `http://127.0.0.1:${count}/` };
    const inviting = { ...from(ann, { eventType: "invite", to }), facts: { boundElsewhere: [speakerUri] } };
    floor = after(floor, inviting);
  }
  expect(floor.moves).toHaveLength(16);
  expect(floor.moves?.at(-1)).toMatchObject({ serviceUrl: "http://127.0.0.1:19/" });
});

test("who has moved and has a seat is invited by the new address alone: what answers there proves its name", () => {
  const inviting = decide(room(), { ...from(ann, byName), facts: moved }, now);
  expect(envelopesTo(inviting, elsewhere)).toMatchObject([{ isInvite: true, events: [byAddress] }]);
  expect(envelopesTo(inviting, elsewhere)[0]?.events[0]?.to).not.toHaveProperty("speakerUri");
  expect(envelopesTo(inviting, parrot)).toMatchObject([{ isInvite: false }]);
  const here: FloorEvent = { eventType: "invite", to: { speakerUri: parrot, serviceUrl: urlOf(parrot) } };
  const again = decide(room(), { ...from(ann, here), facts: moved }, now);
  expect(envelopesTo(again, parrot)).toMatchObject([{ isInvite: true, events: [here] }]);
});

test("who has moved keeps its seat when it writes its name in other letters", () => {
  const inviting = decide(room(), { ...from(ann, byAddress), facts: moved }, now);
  const answering = { ...answer(deliveryTo(inviting, elsewhere), parrot.toUpperCase()), facts: moved };
  const { floor } = decide(inviting.floor, answering, now);
  expect(names(floor)).toEqual([ann, parrot, owl]);
  expect(seatOf(floor, parrot)?.identification.serviceUrl).toBe(elsewhere);
});

test("a joined agent has not moved, and under the policy `spec` no agent has", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const here = decide(speaking.floor, { ...answer(deliveryTo(speaking, parrot), parrot), facts: moved }, now);
  expect(kinds(here)).toEqual(["received"]);
  const strict = answered(room({ options: { policy: "spec" } }), byAddress, moved);
  expect(kinds(strict)).not.toContain("rebound");
  expect(seatOf(strict.floor, parrot)?.identification.serviceUrl).not.toBe(elsewhere);
});

test("a question that was forwarded to it before it came stays open when it moves", () => {
  const asks: FloorEvent = { eventType: "getManifests", to: { speakerUri: parrot, serviceUrl: urlOf(parrot) } };
  const asked = after(alone, from(owl, asks), seating(parrot, "agent"));
  const decision = answered(asked, byAddress, moved);
  expect(kinds(decision)).toContain("rebound");
  expect(decision.floor.open).toContainEqual(expect.objectContaining({ to: parrot, asker: owl }));
});
