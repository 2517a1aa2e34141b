// A bound agent answers from another address: on the same machine it is re-bound, otherwise the owner is asked.
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

/** An invite to the new address, and the answer of parrot from there. */
function answered(floor: Floor, event: FloorEvent, facts: Facts, ...said: FloorEvent[]) {
  const inviting = decide(floor, { ...from(ann, event), facts }, now);
  const target = inviting.floor.conversants.find(({ identification }) => identification.serviceUrl === elsewhere);
  const delivery = deliveryTo(inviting, target?.identification.speakerUri ?? "nobody");
  return decide(inviting.floor, { ...answer(delivery, parrot, ...said), facts }, now);
}

test("an agent that moved on this machine joins and is bound to its new address, by its own rule", () => {
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

test("an invite by name of a seated conversant goes to its seat if no move was found", () => {
  const decision = decide(room(), from(ann, byName), now);
  expect(names(decision.floor)).toEqual([ann, parrot, owl]);
});

test("an invite that was delegated to the convener still goes to the new address", () => {
  const asking = decide(room({ convener: chair }), { ...from(ann, byName), facts: moved }, now);
  const passed = decide(asking.floor, answer(delegationOf(asking), chair, byName), now);
  expect(names(passed.floor)).toContain(elsewhere);
});

test("an agent that declines or answers under another name has not moved", () => {
  const declined = answered(room(), byAddress, moved, { eventType: "declineInvite" });
  expect(kinds(declined)).not.toContain("rebound");
  expect(seatOf(declined.floor, parrot)?.identification.serviceUrl).not.toBe(elsewhere);
  const inviting = decide(alone, { ...from(ann, byName), facts: moved }, now);
  const other = { ...answer(deliveryTo(inviting, parrot), "tag:other.example,2025:1"), facts: moved };
  expect(decide(inviting.floor, other, now).entries[0]).toMatchObject({ because: "guard/bound-elsewhere" });
});

test("an agent cannot take the seat of a person by a move", () => {
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

test("a move to another machine waits for the owner", () => {
  const { floor } = answered(alone, byAddress, foreign);
  expect(floor.moves).toEqual([{ speakerUri: parrot, serviceUrl: elsewhere }]);
});

test("a person's invite by name and address requests a move; an agent's invite does not, as it proves nothing", () => {
  const persons = decide(alone, { ...from(ann, byName), facts: foreign }, now);
  expect(persons.floor.moves).toEqual([{ speakerUri: parrot, serviceUrl: elsewhere }]);
  const agents = decide(alone, { ...from(owl, byName), facts: foreign }, now);
  expect(refused(agents)).toEqual(["guard/bound-elsewhere"]);
  expect(agents.floor.moves).toBeUndefined();
});

const allow = { verb: "move", speakerUri: parrot, isAllowed: true } as const;

test("an allowed move binds the agent to the new address and invites it there at once", () => {
  const asked = answered(alone, byAddress, foreign).floor;
  const decision = decide(asked, command(allow, "owner"), now);
  expect(kinds(decision)).toEqual(["rebound", "seated", "event"]);
  expect(decision.floor.moves).toEqual([]);
  const joining = { ...answer(deliveryTo(decision, parrot), parrot), facts: foreign };
  expect(seatOf(after(decision.floor, joining), parrot)?.state).toBe("joined");
});

test("an allowed move keeps the seat of a seated agent, with the new address", () => {
  const asked = answered(room(), byAddress, foreign).floor;
  const decision = decide(asked, command(allow, "owner"), now);
  expect(kinds(decision)).toEqual(["rebound", "event"]);
  expect(seatOf(decision.floor, parrot)?.identification.serviceUrl).toBe(elsewhere);
  expect(deliveryTo(decision, parrot)).toBeDefined();
});

test("a move cannot be allowed if no seat is free", () => {
  const asked = answered(alone, byAddress, foreign).floor;
  const full = { ...asked, options: { ...asked.options, conversantsMax: asked.conversants.length } };
  expect(decide(full, command(allow, "owner"), now).refusals).toMatchObject([{ status: 422 }]);
});

test("a refused move only removes the request", () => {
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

test("a name has one move request, for its newest address, and at most 16 requests are kept, the newest", () => {
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

test("a seated agent that moved is invited by its new address only, so that its answer proves its name", () => {
  const inviting = decide(room(), { ...from(ann, byName), facts: moved }, now);
  expect(envelopesTo(inviting, elsewhere)).toMatchObject([{ isInvite: true, events: [byAddress] }]);
  expect(envelopesTo(inviting, elsewhere)[0]?.events[0]?.to).not.toHaveProperty("speakerUri");
  expect(envelopesTo(inviting, parrot)).toMatchObject([{ isInvite: false }]);
  const here: FloorEvent = { eventType: "invite", to: { speakerUri: parrot, serviceUrl: urlOf(parrot) } };
  const again = decide(room(), { ...from(ann, here), facts: moved }, now);
  expect(envelopesTo(again, parrot)).toMatchObject([{ isInvite: true, events: [here] }]);
});

test("a moved agent keeps its seat if it writes its name in other letter case", () => {
  const inviting = decide(room(), { ...from(ann, byAddress), facts: moved }, now);
  const answering = { ...answer(deliveryTo(inviting, elsewhere), parrot.toUpperCase()), facts: moved };
  const { floor } = decide(inviting.floor, answering, now);
  expect(names(floor)).toEqual([ann, parrot, owl]);
  expect(seatOf(floor, parrot)?.identification.serviceUrl).toBe(elsewhere);
});

test("an answer of a joined agent is no move, and under the policy `spec` no answer is", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const here = decide(speaking.floor, { ...answer(deliveryTo(speaking, parrot), parrot), facts: moved }, now);
  expect(kinds(here)).toEqual(["received"]);
  const strict = answered(room({ options: { policy: "spec" } }), byAddress, moved);
  expect(kinds(strict)).not.toContain("rebound");
  expect(seatOf(strict.floor, parrot)?.identification.serviceUrl).not.toBe(elsewhere);
});

test("a getManifests forwarded to an agent before it joined stays open when the agent moves", () => {
  const asks: FloorEvent = { eventType: "getManifests", to: { speakerUri: parrot, serviceUrl: urlOf(parrot) } };
  const asked = after(alone, from(owl, asks), seating(parrot, "agent"));
  const decision = answered(asked, byAddress, moved);
  expect(kinds(decision)).toContain("rebound");
  expect(decision.floor.open).toContainEqual(expect.objectContaining({ to: parrot, asker: owl }));
});
