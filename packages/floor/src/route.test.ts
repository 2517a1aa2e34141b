// Spec 2.2: who receives which event, and in which order.
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { relayUrlOf } from "./delivery/relay-address.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  command,
  deliveryTo,
  effective,
  envelopes,
  envelopesTo,
  from,
  identificationOf,
  invites,
  kinds,
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
} from "./testing/room.ts";
import { visibleTo } from "./visibility.ts";

test("[floor-2.2-pass-to-all] a public utterance reaches everyone but its speaker, with any addressee", () => {
  const decision = decide(room({ people: [ann, ben] }), from(parrot, says(parrot, "hi", { speakerUri: owl })), now);
  expect(received(decision)).toEqual([`${owl}: utterance`]);
  const [, entry] = decision.entries;
  expect(entry?.audience).toEqual([ann, ben, parrot, owl]);
  expect(decision.entries.map(({ seq, causedBy }) => [seq, causedBy])).toEqual([
    [5, undefined],
    [6, 5],
  ]);
});

test("[floor-2.2-private-utterance] a private utterance reaches only its addressee", () => {
  const decision = decide(room({ people: [ann, ben] }), from(ann, whispers(ann, "psst", { speakerUri: owl })), now);
  expect(received(decision)).toEqual([`${owl}: utterance`]);
  for (const entry of decision.entries) {
    expect([ben, parrot].filter((speakerUri) => visibleTo(entry, speakerUri))).toEqual([]);
  }
  expect(decision.entries.map((entry) => visibleTo(entry, owl))).toEqual([false, true]);
});

test("[floor-2.2-private-ignored-otherwise] `private` has no effect in any other event", () => {
  const event = { eventType: "yieldFloor" as const, to: { speakerUri: owl, private: true } };
  const decision = decide(room({ agents: [parrot, owl, chair] }), from(parrot, event), now);
  expect(received(decision)).toEqual([`${owl}: yieldFloor`, `${chair}: yieldFloor`]);
});

test("[floor-2.2-events-in-order] the events of an envelope take effect in the order listed", () => {
  const events = [
    says(parrot, "one"),
    { eventType: "yieldFloor" as const },
    says(parrot, "two"),
    { eventType: "requestFloor" as const },
    says(parrot, "three"),
  ];
  const decision = decide(room(), from(parrot, ...events), now);
  expect(effective(decision).map(([sender, eventType]) => `${sender} ${eventType}`)).toEqual([
    `${parrot} utterance`,
    `${parrot} yieldFloor`,
    `${self.speakerUri} revokeFloor`,
    `${parrot} requestFloor`,
    `${self.speakerUri} grantFloor`,
    `${parrot} utterance`,
  ]);
  expect(decision.refusals).toEqual([
    {
      index: 2,
      because: "2.2/utterance/not-granted/no-convener",
      status: 403,
      problem: "floor not granted: send requestFloor",
    },
  ]);
});

test("[floor-2.2-envelopes-in-order] an envelope waits for an earlier one of its sender, not for other senders", () => {
  const first = decide(room({ convener: chair }), from(ann, invites("tag:new.example,2025:1")), now);
  const second = decide(first.floor, from(ann, says(ann, "and then?")), now);
  expect(kinds(second)).toEqual(["received", "parked"]);
  const others = decide(second.floor, from(parrot, says(parrot, "meanwhile")), now);
  expect(received(others)).toEqual([`${owl}: utterance`, `${chair}: utterance`]);
  const third = decide(others.floor, answer(deliveryTo(first, chair), chair), now);
  expect(effective(third)).toEqual([[ann, "utterance", "2.2/utterance/granted/convener"]]);
  expect(third.floor.parked).toEqual([]);
});

test("[floor-1.8-to-absent] a public event to an absent conversant still passes to all", () => {
  const decision = decide(room(), from(ann, says(ann, "anyone?", { speakerUri: "tag:nobody.example,2025:1" })), now);
  expect(received(decision)).toEqual([`${parrot}: utterance`, `${owl}: utterance`]);
});

test("D24: people read the log; no delivery is sent to them", () => {
  const decision = decide(room({ people: [ann, ben], agents: [] }), from(ann, says(ann, "just us")), now);
  expect(decision.effects).toEqual([]);
  expect(decision.entries.map((entry) => visibleTo(entry, ben))).toEqual([false, true]);
});

test("every envelope carries its sender's address, because some agents take one without it for their own", () => {
  const [envelope] = envelopes(decide(room(), from(ann, says(ann, "hello")), now));
  expect(envelope?.sender).toEqual({ speakerUri: ann, serviceUrl: urlOf(ann) });
  const homeless = command({
    verb: "seat",
    identification: { ...identificationOf(ben), serviceUrl: "" },
    seatKind: "person",
  });
  expect(envelopes(decide(after(room(), homeless), from(ben, says(ben, "hi")), now))[0]?.sender).toEqual({
    speakerUri: ben,
    serviceUrl: relayUrlOf(self.serviceUrl, ben),
  });
  const asked = after(room(), from(parrot, { eventType: "yieldFloor" }));
  const [grant] = envelopesTo(decide(asked, from(parrot, { eventType: "requestFloor" }), now), parrot);
  expect(grant?.sender).toEqual(self);
});

test("requestFloor asks for the conversant in `to`; addressed to the floor it asks for its sender", () => {
  const floor = after(room(), from(parrot, { eventType: "yieldFloor" }), from(owl, { eventType: "yieldFloor" }));
  expect(after(floor, from(parrot, { eventType: "requestFloor", ...to(owl) })).floorGranted).toEqual([ann, owl]);
  const toFloor = from(parrot, { eventType: "requestFloor", ...to(self.speakerUri) });
  expect(after(floor, toFloor).floorGranted).toEqual([ann, parrot]);
});

test("an event that changes a conversant's standing is refused without an addressee", () => {
  for (const eventType of ["invite", "uninvite", "grantFloor", "revokeFloor"] as const) {
    const decision = decide(room(), from(ann, { eventType }), now);
    expect(refused(decision)).toEqual(["1.8/no-addressee"]);
    expect(decision.effects).toEqual([]);
  }
});

test("an event that changes standing is refused if it names only an address that several conversants share", () => {
  const twin = "tag:parrot.example,2025:2";
  const floor = room({ agents: [parrot, twin] });
  const byAddress = { eventType: "uninvite" as const, to: { serviceUrl: urlOf(parrot) } };
  expect(refused(decide(floor, from(ann, byAddress), now))).toEqual(["1.8/ambiguous-addressee"]);
  const invite = { ...byAddress, eventType: "invite" as const };
  expect(refused(decide(floor, from(ann, invite), now))).toEqual(["1.8/ambiguous-addressee"]);
  expect(after(floor, from(ann, { eventType: "uninvite", ...to(twin) })).conversants).toHaveLength(2);
});

test("names are compared without letter case and final slash if no conversant has the exact name", () => {
  const floor = after(room(), from(ann, { eventType: "uninvite", to: { speakerUri: parrot.toUpperCase() } }));
  expect(floor.conversants.map((one) => one.identification.speakerUri)).toEqual([ann, owl]);
  expect(
    after(room(), from(ann, { eventType: "uninvite", to: { serviceUrl: "https://OWL.example" } })).floorGranted,
  ).toEqual([ann, parrot]);
});

test("events after a bye in the same envelope are refused, and events before it take effect", () => {
  const decision = decide(room(), from(parrot, says(parrot, "bye"), { eventType: "bye" }, says(parrot, "wait")), now);
  expect(effective(decision).map(([, eventType]) => eventType)).toEqual(["utterance", "bye"]);
  expect(refused(decision)).toEqual(["guard/not-seated"]);
});
