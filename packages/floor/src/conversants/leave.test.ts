// revokeFloor, leaving, and the end of a conversation.
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import { ownerOf } from "../floor.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  command,
  deliveryTo,
  effective,
  envelopesTo,
  failing,
  from,
  invites,
  kinds,
  names,
  now,
  owl,
  parrot,
  received,
  room,
  says,
  seating,
  self,
  to,
  urlOf,
} from "../testing/room.ts";

test("D18: revokeFloor aborts deliveries to its target and is sent at once; a late answer has no effect", () => {
  const speaking = decide(room(), from(ann, says(ann, "parrot?", { speakerUri: parrot })), now);
  const stopping = decide(speaking.floor, from(ann, { eventType: "revokeFloor", ...to(parrot) }), now);
  expect(stopping.effects[0]).toEqual({ kind: "abort", delivery: deliveryTo(speaking, parrot) });
  expect(stopping.effects.filter(({ kind }) => kind === "abort")).toHaveLength(1);
  expect(received(stopping)).toEqual([`${parrot}: revokeFloor`, `${owl}: revokeFloor`]);
  const late = decide(stopping.floor, answer(deliveryTo(speaking, parrot), parrot, says(parrot, "I was about")), now);
  expect(kinds(late)).toEqual(["late"]);
  const other = decide(stopping.floor, answer(deliveryTo(speaking, owl), owl, says(owl, "hoo")), now);
  expect(effective(other)).toHaveLength(1);
});

test("D18: revoking the floor of the convener does not abort its delegations", () => {
  const asking = decide(room({ convener: chair }), from(parrot, invites("tag:new.example,2025:1")), now);
  const decision = decide(asking.floor, from(chair, { eventType: "revokeFloor", ...to(chair) }), now);
  expect(decision.effects.filter(({ kind }) => kind === "abort")).toEqual([]);
  expect(decision.floor.parked).toHaveLength(1);
});

test("D18: uninvite aborts deliveries to its target and still reaches it", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const decision = decide(speaking.floor, from(ann, { eventType: "uninvite", ...to(parrot) }), now);
  expect(decision.effects[0]).toEqual({ kind: "abort", delivery: deliveryTo(speaking, parrot) });
  expect(envelopesTo(decision, parrot)[0]?.events).toMatchObject([{ eventType: "uninvite" }]);
  expect(decision.floor.open.map((one) => one.to)).toEqual([owl, owl]);
});

test("D20: the owner's bye passes ownership to the person who joined first of those present", () => {
  const cem = "tag:cem.example,2025:1";
  const decision = decide(room({ people: [ann, ben, cem] }), from(ann, { eventType: "bye" }), now);
  expect(ownerOf(decision.floor)).toBe(ben);
  expect(decision.entries.at(-1)).toMatchObject({
    kind: "role",
    because: "owner/passed-on",
    audience: expect.arrayContaining([cem]),
  });
});

test("D20: when the last person leaves, every agent is uninvited and the conversation is closed", () => {
  const decision = decide(room(), from(ann, { eventType: "bye" }), now);
  expect(effective(decision)).toEqual([
    [ann, "bye", "2.2/bye/no-convener"],
    [self.speakerUri, "uninvite", "ending/nobody-left"],
    [self.speakerUri, "uninvite", "ending/nobody-left"],
  ]);
  expect(received(decision)).toEqual([`${parrot}: bye`, `${owl}: bye`, `${parrot}: uninvite`, `${owl}: uninvite`]);
  expect(decision.floor).toMatchObject({ isClosed: true, conversants: [], floorGranted: [], roles: {} });
});

test("D20: a closed conversation refuses every input with 409 and writes nothing", () => {
  const closed = after(room(), command({ verb: "close" }, "owner"));
  for (const input of [
    from(ann, says(ann, "hello?")),
    answer("d5.0", parrot),
    { kind: "timer" as const, id: "held:3" },
    seating(ben, "person"),
  ]) {
    expect(decide(closed, input, now)).toMatchObject({
      entries: [],
      effects: [],
      refusals: [{ because: "ending/closed", status: 409 }],
    });
  }
});

test("D20: close sends the reason to every agent, aborts its deliveries, and keeps the seats of people", () => {
  const speaking = decide(room({ people: [ann, ben] }), from(ann, says(ann, "hello")), now);
  const decision = decide(speaking.floor, command({ verb: "close", reason: "@timedOut" }, "operator"), now);
  expect(decision.effects.filter(({ kind }) => kind === "abort")).toHaveLength(2);
  expect(envelopesTo(decision, owl)[0]?.events).toMatchObject([{ eventType: "uninvite", reason: "@timedOut" }]);
  expect(names(decision.floor)).toEqual([ann, ben]);
  expect(decision.floor.open).toEqual([]);
  expect(decision.entries.at(-1)).toMatchObject({
    kind: "closed",
    because: "command/close/operator",
    audience: [ann, ben],
  });
});

test("D20: an event after the one that closed the conversation has no effect", () => {
  const decision = decide(room(), from(ann, { eventType: "bye" }, says(ann, "one more thing")), now);
  expect(decision.entries.at(-1)?.kind).toBe("closed");
});

test("D20: the entry `closed` is the last one, also when events were parked", () => {
  const floor = room({ convener: chair, options: { policy: "spec" } });
  const asking = decide(floor, from(ann, invites("tag:new.example,2025:1"), says(ann, "so?")), now);
  const ending = answer(deliveryTo(asking, chair), chair, { eventType: "uninvite", ...to(ann) }, says(chair, "done"));
  const decision = decide(asking.floor, ending, now);
  expect(decision.entries.at(-1)?.kind).toBe("closed");
  expect(decision.floor.isClosed).toBe(true);
});

test("D20: a conversation of agents only goes on until the last agent has left", () => {
  const floor = after(room({ people: [], agents: [parrot, owl] }), from(parrot, { eventType: "bye" }));
  expect(floor.isClosed).toBe(false);
  expect(after(floor, from(owl, { eventType: "bye" })).isClosed).toBe(true);
});

const favoriteAgent = urlOf(owl);

test("D20: the favourite agent is invited when the last agent leaves while a person is present", () => {
  const floor = room({ agents: [parrot], options: { favoriteAgent } });
  const decision = decide(floor, from(parrot, { eventType: "bye" }), now);
  expect(effective(decision).at(-1)).toEqual([self.speakerUri, "invite", "ending/favorite-agent"]);
  expect(names(decision.floor)).toEqual([ann, favoriteAgent]);
});

test("D20: the favourite agent is not invited if it left itself, was unreachable, or another agent is present", () => {
  const options = { favoriteAgent: "https://OWL.example" };
  expect(names(after(room({ agents: [owl], options }), from(owl, { eventType: "bye" })))).toEqual([ann]);
  expect(names(after(room({ agents: [parrot, chair], options }), from(parrot, { eventType: "bye" })))).toEqual([
    ann,
    chair,
  ]);
  const back = decide(room({ agents: [parrot], options }), from(parrot, { eventType: "bye" }), now);
  const [invite] = back.effects.filter((effect) => effect.kind === "deliver");
  expect(names(after(back.floor, failing(invite?.delivery, "unreachable")))).toEqual([ann]);
});

test("the owner and the operator can remove any conversant, and the reason is sent to the others", () => {
  const decision = decide(
    room({ convener: chair }),
    command({ verb: "remove", speakerUri: chair, reason: "@error" }, "owner"),
    now,
  );
  expect(effective(decision)).toEqual([[self.speakerUri, "uninvite", "command/remove/owner"]]);
  expect(envelopesTo(decision, parrot)[0]?.events[0]?.reason).toBe("@error");
  const owner = decide(room({ people: [ann, ben] }), command({ verb: "remove", speakerUri: ann }), now);
  expect(ownerOf(owner.floor)).toBe(ben);
  expect(decide(room(), command({ verb: "remove", speakerUri: ben }), now).refusals).toMatchObject([{ status: 404 }]);
});
