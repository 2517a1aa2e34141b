// Delegated events, and what the convener returns for them.
import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Decision } from "../decision-builder.ts";
import type { Floor } from "../floor.ts";
import {
  after,
  ann,
  answer,
  chair,
  command,
  deliveryTo,
  effective,
  envelopesTo,
  from,
  invites,
  kinds,
  names,
  now,
  owl,
  parrot,
  received,
  refused,
  room,
  says,
  self,
  to,
  urlOf,
  whispers,
} from "../testing/room.ts";

const newcomer = "tag:new.example,2025:1";
const convened = room({ convener: chair });
const silenced = after(convened, from(chair, { eventType: "revokeFloor", ...to(parrot) }));

function asked(floor: Floor, speakerUri: string, ...events: FloorEvent[]): Decision {
  return decide(floor, from(speakerUri, ...events), now);
}

function answered(asking: Decision, ...events: FloorEvent[]): Decision {
  return decide(asking.floor, answer(deliveryTo(asking, chair), chair, ...events), now);
}

function timer(decision: Decision): string {
  const effect = decision.effects.find((one) => one.kind === "timer");
  if (effect === undefined) throw new Error("no timer was set");
  return effect.id;
}

test("[floor-2.2-own-envelope] a delegated event goes to the convener only, in its own envelope, in its sender's name", () => {
  const decision = asked(convened, ann, says(ann, "one"), invites(newcomer), says(ann, "two"));
  expect(received(decision)).toEqual([
    `${parrot}: utterance`,
    `${owl}: utterance`,
    `${chair}: utterance`,
    `${chair}: invite`,
  ]);
  expect(envelopesTo(decision, chair)[1]).toMatchObject({
    isDelegation: true,
    isInvite: false,
    sender: { speakerUri: ann },
  });
  expect(decision.effects).toContainEqual({
    kind: "timer",
    id: `delegation:${envelopesTo(decision, chair)[1]?.delivery}`,
    at: "2025-05-02T09:00:10.000Z",
  });
  expect(decision.floor.parked).toMatchObject([{ sender: ann, until: "2025-05-02T09:00:10.000Z" }]);
});

test("[floor-2.2-head-of-list] events that the convener returns come before the rest of the envelope, in their order", () => {
  const asking = asked(convened, ann, invites(newcomer), says(ann, "after"));
  const decision = answered(asking, says(chair, "welcome"), { eventType: "grantFloor", ...to(owl) });
  expect(effective(decision)).toEqual([
    [chair, "utterance", "2.2/convener-own"],
    [chair, "grantFloor", "2.2/convener-own"],
    [ann, "utterance", "2.2/utterance/granted/convener"],
  ]);
});

test("[floor-2.2-delegate-returns] D10: a returned event is its sender's again and goes to all but sender and convener", () => {
  const asking = asked(convened, ann, invites(newcomer));
  const decision = answered(asking, invites(newcomer));
  expect(effective(decision)).toEqual([[ann, "invite", "2.2/convener-approved"]]);
  expect(received(decision)).toEqual([`${parrot}: invite`, `${owl}: invite`, `${newcomer}: invite`]);
  expect(decision.entries.at(-1)).toMatchObject({ approvedBy: chair });
});

test("D10: an approved utterance keeps the sender's text, whatever the convener returns under its id", () => {
  const spoken = says(parrot, "I said this");
  const forged = { ...says(parrot, "no, this"), parameters: { dialogEvent: { ...spoken.parameters.dialogEvent } } };
  forged.parameters.dialogEvent.features = says(parrot, "no, this").parameters.dialogEvent.features;
  const decision = answered(asked(silenced, parrot, spoken), forged, forged);
  expect(effective(decision)).toEqual([[parrot, "utterance", "2.2/convener-approved"]]);
  expect(envelopesTo(decision, owl)[0]?.events).toEqual([spoken]);
});

test("D10: a returned event of the same type to another addressee is the convener's own event", () => {
  const decision = answered(asked(convened, ann, { eventType: "uninvite", ...to(owl) }), {
    eventType: "uninvite",
    ...to(parrot),
  });
  expect(effective(decision)).toEqual([[chair, "uninvite", "2.2/convener-own"]]);
  expect(names(decision.floor)).toEqual([ann, owl, chair]);
});

test("D10: another event to the same addressee, or another utterance, is the convener's own event", () => {
  const removing = asked(convened, ann, { eventType: "uninvite", ...to(owl) });
  const instead = answered(removing, { eventType: "revokeFloor", ...to(owl) });
  expect(effective(instead)).toEqual([[chair, "revokeFloor", "2.2/convener-own"]]);
  const speaking = asked(silenced, parrot, says(parrot, "may I?"));
  expect(effective(answered(speaking, says(chair, "no")))).toEqual([[chair, "utterance", "2.2/convener-own"]]);
  const requesting = asked(silenced, parrot, { eventType: "requestFloor" });
  expect(effective(answered(requesting, { eventType: "yieldFloor" }))).toEqual([
    [chair, "yieldFloor", "2.2/convener-own"],
  ]);
});

test("D10: at most 32 events of a convener's answer take effect", () => {
  const many = Array.from({ length: 40 }, (_, index) => says(chair, `word ${index}`));
  const decision = answered(asked(convened, parrot, invites(newcomer)), ...many);
  expect(effective(decision)).toHaveLength(32);
  expect(refused(decision)).toEqual(["limit/convener-events"]);
});

test("D6: the convener's own events are not delegated, with or without the floor", () => {
  const floor = after(convened, from(chair, { eventType: "yieldFloor" }));
  const decision = asked(floor, chair, says(chair, "order!"), invites(newcomer), { eventType: "requestFloor" });
  expect(effective(decision)).toEqual([
    [chair, "utterance", "2.2/convener-own"],
    [chair, "invite", "2.2/convener-own"],
    [chair, "requestFloor", "2.2/convener-own"],
    [self.speakerUri, "grantFloor", "2.2/convener-own"],
  ]);
});

test("D6: an event that targets the convener is delegated like any other", () => {
  const asking = asked(convened, parrot, { eventType: "uninvite", ...to(chair) });
  expect(envelopesTo(asking, chair)[0]?.isDelegation).toBe(true);
  const agreed = answered(asking, { eventType: "uninvite", ...to(chair) });
  expect(names(agreed.floor)).toEqual([ann, parrot, owl]);
});

test("a parked entry contains the facts that were found, and no empty lists", () => {
  const facts = { withheld: [], whispered: [], boundElsewhere: [], moved: [], duplicates: [], clashes: [] };
  const parked = (found: object) => {
    const input = { ...from(ann, invites(newcomer)), facts: { ...facts, ...found } };
    return decide(convened, input, now).entries.find(({ kind }) => kind === "parked");
  };
  const names = ["whispered", "boundElsewhere", "moved"] as const;
  for (const name of names) {
    expect(parked({ [name]: [owl] })).toMatchObject({ [name]: [owl] });
    expect(parked({})).not.toHaveProperty(name);
  }
});

test("D9: a parked envelope delays later answers of its sender, and no other conversant", () => {
  const floor = asked(convened, ann, says(ann, "well?"));
  const asking = asked(floor.floor, parrot, { eventType: "requestFloor" });
  const early = decide(asking.floor, answer(deliveryTo(floor, parrot), parrot, says(parrot, "well!")), now);
  expect(kinds(early)).toEqual(["received", "parked"]);
  const other = decide(early.floor, answer(deliveryTo(floor, owl), owl, says(owl, "hoo")), now);
  expect(effective(other)).toHaveLength(1);
  const decision = decide(other.floor, answer(deliveryTo(asking, chair), chair), now);
  expect(effective(decision)).toEqual([[parrot, "utterance", "2.2/utterance/granted/convener"]]);
});

test("D9: parked envelopes are resumed one by one, and wait again behind a new delegation", () => {
  const first = asked(convened, ann, invites(newcomer));
  const waiting = after(first.floor, from(ann, invites(owl)), from(ann), from(ann, says(ann, "so?")));
  expect(waiting.parked).toHaveLength(3);
  const second = decide(waiting, answer(deliveryTo(first, chair), chair), now);
  expect(received(second)).toEqual([`${chair}: invite`]);
  expect(second.floor.parked).toHaveLength(2);
  const third = decide(second.floor, answer(deliveryTo(second, chair), chair), now);
  expect(effective(third)).toEqual([[ann, "utterance", "2.2/utterance/granted/convener"]]);
});

test("D9: all parked envelopes that need no convener are resumed at once, in order", () => {
  const first = asked(convened, ann, invites(newcomer));
  const waiting = after(first.floor, from(ann, says(ann, "one")), from(ann, says(ann, "two")));
  const decision = decide(waiting, answer(deliveryTo(first, chair), chair), now);
  expect(effective(decision)).toHaveLength(2);
  expect(decision.floor.parked).toEqual([]);
});

test("D9: a delegated event has an envelope of its own", () => {
  const decision = asked(convened, ann, { eventType: "grantFloor", ...to(owl) });
  const approved = answered(decision, { eventType: "grantFloor", ...to(owl) }, says(chair, "owl, please"));
  expect(envelopesTo(decision, chair)[0]?.events).toHaveLength(1);
  expect(received(approved)).toEqual([
    `${parrot}: grantFloor`,
    `${owl}: grantFloor`,
    `${parrot}: utterance`,
    `${owl}: utterance`,
  ]);
});

test("at most 64 envelopes of one sender are parked", () => {
  let { floor } = asked(convened, parrot, { eventType: "requestFloor" });
  for (let count = 1; count < 64; count += 1) floor = after(floor, from(parrot, says(parrot, `word ${count}`)));
  const decision = asked(floor, parrot, says(parrot, "too much"));
  expect(refused(decision)).toEqual(["limit/parked"]);
  expect(decision.floor.parked).toHaveLength(64);
});

test("D11: an event that the convener returns nothing for is dropped, and its sender sees it", () => {
  const decision = answered(asked(convened, ann, invites(newcomer), says(ann, "and on")));
  expect(refused(decision)).toEqual(["2.2/convener-dropped"]);
  expect(effective(decision)).toHaveLength(1);
  expect(decision.refusals).toEqual([]);
});

test("D11: a requestFloor that the convener answers with nothing is held; after a minute the floor answers it", () => {
  const held = answered(asked(silenced, parrot, { eventType: "requestFloor" }));
  expect(kinds(held)).toEqual(["received", "unparked", "held"]);
  expect(held.effects).toContainEqual({ kind: "timer", id: timer(held), at: "2025-05-02T09:01:00.000Z" });
  const decision = decide(held.floor, { kind: "timer", id: timer(held) }, now);
  expect(effective(decision)).toEqual([[self.speakerUri, "revokeFloor", "2.2/requestFloor/timed-out"]]);
  expect(envelopesTo(decision, parrot)[0]?.events[0]?.reason).toMatch(/^@timedOut/);
  expect(decide(decision.floor, { kind: "timer", id: timer(held) }, now).entries).toEqual([]);
});

test("D11: a held request that was granted or refused meanwhile is not answered again", () => {
  const held = answered(asked(silenced, parrot, { eventType: "requestFloor" }));
  for (const eventType of ["grantFloor", "revokeFloor"] as const) {
    const floor = after(held.floor, from(chair, { eventType, ...to(parrot) }));
    expect(decide(floor, { kind: "timer", id: timer(held) }, now).entries).toEqual([]);
  }
});

test("D11: a request that the convener refuses, or whose sender has the floor, is not held", () => {
  const refusing = answered(asked(silenced, parrot, { eventType: "requestFloor" }), {
    eventType: "revokeFloor",
    ...to(parrot),
  });
  expect(refusing.floor.held).toEqual([]);
  expect(answered(asked(convened, parrot, { eventType: "requestFloor" })).floor.held).toEqual([]);
});

test("D11: an answer that does not decide a request leaves it held for the conversant that it names", () => {
  const held = answered(asked(silenced, owl, { eventType: "requestFloor", ...to(parrot) }), says(chair, "patience"));
  expect(held.floor.held).toMatchObject([{ speakerUri: parrot }]);
  const other = answered(asked(silenced, parrot, { eventType: "requestFloor" }), {
    eventType: "grantFloor",
    ...to(owl),
  });
  expect(other.floor.held).toMatchObject([{ speakerUri: parrot }]);
});

test("[floor-1.19-request-answered] a convener that returns requestFloor itself grants it", () => {
  const decision = answered(asked(silenced, parrot, { eventType: "requestFloor" }), { eventType: "requestFloor" });
  expect(decision.floor.floorGranted).toContain(parrot);
  expect(decision.floor.held).toEqual([]);
});

test("D12: a convener named at the opening is invited at once, and has the role from its first answer", () => {
  const opening = room({ agents: [], options: { convener: "https://chair.example" } });
  expect(opening.conversants[1]).toMatchObject({ state: "invited", isProvisional: true });
  const [delivery] = opening.open;
  const decision = decide(opening, answer(delivery?.id, chair, { eventType: "acceptInvite" }, invites(owl)), now);
  expect(decision.floor.roles).toEqual({ owner: [ann], convener: [chair] });
  // Its first envelope already counts as one of the convener.
  expect(effective(decision)).toContainEqual([chair, "invite", "2.2/convener-own"]);
});

test("D12: no other conversant gets the role by joining, and the named agent does not replace a convener", () => {
  const floor = room({ agents: [parrot], options: { convener: "https://chair.example" } });
  const inviting = asked(floor, ann, invites(owl));
  expect(after(inviting.floor, answer(deliveryTo(inviting, owl), owl)).roles).toEqual({ owner: [ann] });
  const appointed = after(inviting.floor, command({ verb: "convener", serviceUrl: urlOf(parrot) }));
  const [delivery] = appointed.open;
  expect(after(appointed, answer(delivery?.id, chair)).roles.convener).toEqual([parrot]);
});

test("the convener sees neither a parked envelope in the log nor the whispers in it", () => {
  const asking = asked(convened, ann, invites(newcomer), whispers(ann, "psst", { speakerUri: owl }));
  for (const entry of asking.entries) expect(entry.audience).toEqual([ann]);
});
