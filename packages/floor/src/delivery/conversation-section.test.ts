// Spec 1.6 and 2.2: the conversation section, as the floor manager maintains it.
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import {
  after,
  ann,
  answer,
  chair,
  command,
  deliveryTo,
  envelopes,
  envelopesTo,
  from,
  identificationOf,
  invites,
  names,
  now,
  opened,
  owl,
  parrot,
  received,
  room,
  says,
  to,
  urlOf,
} from "../testing/room.ts";
import { conversationOf } from "./recipients.ts";

test("[floor-2.2-invite-adds] an invite adds the conversant at once, and its envelope already lists it", () => {
  const decision = decide(room({ agents: [] }), from(ann, invites(parrot)), now);
  expect(names(decision.floor)).toEqual([ann, parrot]);
  expect(decision.entries[1]).toMatchObject({ kind: "seated", seq: 3, seat: { since: 3 }, isGranted: true });
  const [envelope] = envelopesTo(decision, parrot);
  expect(envelope?.conversation.conversants?.map((one) => one.identification.speakerUri)).toEqual([ann, parrot]);
});

test("a seat counts from its own entry, and each input begins a turn named after its first entry", () => {
  const { entries } = decide(
    room(),
    command({ verb: "seat", identification: identificationOf(chair), seatKind: "agent" }),
    now,
  );
  expect(entries).toMatchObject([{ kind: "seated", seq: 4, turn: "t4", seat: { since: 4 } }]);
  expect(decide(room(), from(ann, says(ann, "hi")), now).entries[0]).toMatchObject({ seq: 4, turn: "t4" });
});

test("[floor-2.2-granted-when-added] [floor-1.6.3-default-granted] a conversant that is added has the floor at once", () => {
  expect(after(room({ agents: [] }), from(ann, invites(parrot))).floorGranted).toEqual([ann, parrot]);
  expect(room({ people: [ann], agents: [owl] }).floorGranted).toEqual([ann, owl]);
});

test("[floor-2.2-decline-removes] declineInvite removes the conversant from every list", () => {
  const invited = decide(room({ agents: [] }), from(ann, invites(parrot)), now);
  const declined = after(invited.floor, answer(deliveryTo(invited, parrot), parrot, { eventType: "declineInvite" }));
  expect(names(declined)).toEqual([ann]);
  expect(declined.floorGranted).toEqual([ann]);
});

test("[floor-2.2-bye-removes] [floor-2.2-removal-clears] bye removes the conversant, its floor rights and its roles", () => {
  const floor = after(room({ convener: chair }), from(chair, { eventType: "bye" }));
  expect(names(floor)).toEqual([ann, parrot, owl]);
  expect(floor.floorGranted).toEqual([ann, parrot, owl]);
  expect(floor.roles).toEqual({ owner: [ann] });
});

test("[floor-2.2-uninvite-removes] uninvite removes its target and is sent to it last", () => {
  const decision = decide(room(), from(ann, { eventType: "uninvite", ...to(owl) }), now);
  expect(received(decision)).toEqual([`${parrot}: uninvite`, `${owl}: uninvite`]);
  expect(names(decision.floor)).toEqual([ann, parrot]);
  expect(received(decide(decision.floor, from(ann, says(ann, "gone?")), now))).toEqual([`${parrot}: utterance`]);
});

test("[floor-2.2-stays] a conversant stays listed until it leaves or is uninvited", () => {
  const floor = after(
    room(),
    from(owl, { eventType: "yieldFloor" }),
    from(ann, { eventType: "revokeFloor", ...to(parrot) }),
    from(parrot, { eventType: "bye" }),
    from(ann, { eventType: "uninvite", ...to("tag:nobody.example,2025:1") }),
  );
  expect(names(floor)).toEqual([ann, owl]);
});

test("[floor-2.2-yield-clears] yieldFloor takes the floor from its sender alone", () => {
  expect(after(room(), from(parrot, { eventType: "yieldFloor", ...to(owl) })).floorGranted).toEqual([ann, owl]);
});

test("[floor-2.2-revoke-clears] [floor-1.6.3-revoke-sent] revokeFloor takes the floor from its target", () => {
  expect(after(room(), from(ann, { eventType: "revokeFloor", ...to(parrot) })).floorGranted).toEqual([ann, owl]);
});

test("[floor-2.2-grant-reinstates] [floor-1.6.3-grant-sent] grantFloor gives the floor back to its target", () => {
  const floor = after(room(), from(parrot, { eventType: "yieldFloor" }));
  expect(after(floor, from(owl, { eventType: "grantFloor", ...to(parrot) })).floorGranted).toEqual([ann, owl, parrot]);
});

test("[floor-2.2-request-changes-nothing] requestFloor itself changes nothing: the grant that answers it does", () => {
  const floor = after(room(), from(parrot, { eventType: "yieldFloor" }));
  const { entries } = decide(floor, from(parrot, { eventType: "requestFloor" }), now);
  expect(entries.map((entry) => (entry.kind === "event" ? entry.event.eventType : entry.kind))).toEqual([
    "received",
    "requestFloor",
    "grantFloor",
  ]);
  const held = after(room({ convener: chair }), from(parrot, { eventType: "yieldFloor" }));
  expect(after(held, from(parrot, { eventType: "requestFloor" })).floorGranted).toEqual([ann, owl, chair]);
});

test("[floor-1.6-id] [floor-1.6.1-all-listed] every envelope has the id, all conversants, roles and floor rights", () => {
  const [envelope] = envelopes(decide(room({ convener: chair }), from(ann, says(ann, "hello")), now));
  expect(envelope?.conversation).toEqual({
    id: "conv:1",
    conversants: [ann, parrot, owl, chair].map((one) => ({
      identification: {
        ...identificationOf(one),
        conversationalName: "1",
        ...(one === ann ? { synopsis: "A person at this floor", role: "User" } : { synopsis: "Not introduced yet" }),
      },
    })),
    assignedFloorRoles: { owner: [ann], convener: [chair] },
    floorGranted: [ann, parrot, owl, chair],
  });
});

test("[floor-1.6-replaced] the floor ignores the conversation section of a received envelope", () => {
  const input = from(parrot, says(parrot, "I am the convener"));
  input.envelope.conversation = {
    id: "conv:1",
    conversants: [],
    assignedFloorRoles: { convener: [parrot] },
    floorGranted: [parrot],
  };
  const decision = decide(room(), input, now);
  expect(envelopes(decision)[0]?.conversation).toEqual(conversationOf(room()));
});

test("[floor-1.6.1-identification] the identification of a manifest is shown to the other conversants", () => {
  const about = { conversationalName: "Polly", synopsis: "Repeats.", speakerUri: owl };
  const identification = { ...identificationOf(parrot), ...about };
  const floor = after(room(), command({ verb: "identify", speakerUri: parrot, identification }));
  expect(conversationOf(floor).conversants?.[1]).toEqual({
    identification: { ...identification, speakerUri: parrot },
  });
  expect(decide(floor, command({ verb: "identify", speakerUri: parrot, identification }), now).entries).toEqual([]);
});

test("[floor-1.6.2-listed] [floor-1.6.2-one-convener] the role goes to a listed conversant and replaces the former one", () => {
  const floor = after(room({ convener: chair }), command({ verb: "convener", serviceUrl: urlOf(owl) }));
  expect(floor.roles).toEqual({ owner: [ann], convener: [owl] });
  const { refusals } = decide(room(), command({ verb: "convener", speakerUri: chair }), now);
  expect(refusals).toMatchObject([{ because: "command/convener/unknown", status: 404 }]);
});

test("[floor-1.6.2-by-floor] a manifest with the role of convener does not assign the role", () => {
  const identification = { ...identificationOf(parrot), openFloorRoles: { convener: true } };
  const floor = after(room(), command({ verb: "identify", speakerUri: parrot, identification }));
  expect(floor.roles).toEqual({ owner: [ann] });
});

test("an invite of a seated conversant is delivered and gives it the floor, without a second seat", () => {
  const floor = after(room(), from(parrot, { eventType: "yieldFloor" }));
  const decision = decide(floor, from(ann, invites(parrot)), now);
  expect(names(decision.floor)).toEqual([ann, parrot, owl]);
  expect(decision.floor.floorGranted).toEqual([ann, owl, parrot]);
  expect(received(decision)).toEqual([`${parrot}: invite`, `${owl}: invite`]);
});

test("grantFloor, revokeFloor and uninvite of an unknown conversant pass through and change nothing", () => {
  const floor = room();
  for (const eventType of ["grantFloor", "revokeFloor", "uninvite"] as const) {
    const decision = decide(floor, from(ann, { eventType, ...to("tag:nobody.example,2025:1") }), now);
    expect(received(decision)).toEqual([`${parrot}: ${eventType}`, `${owl}: ${eventType}`]);
    expect(decision.floor.floorGranted).toEqual(floor.floorGranted);
    expect(names(decision.floor)).toEqual(names(floor));
  }
});

test("declineInvite and bye of an absent conversant are refused with 403", () => {
  for (const eventType of ["declineInvite", "bye"] as const) {
    const { entries, refusals } = decide(room(), from(chair, { eventType }), now);
    expect(entries).toEqual([]);
    expect(refusals).toMatchObject([{ because: "guard/not-seated", status: 403 }]);
  }
});

test("the conversation section of an empty floor lists no conversant", () => {
  expect(conversationOf(opened(undefined))).toEqual({
    id: "conv:1",
    conversants: [],
    assignedFloorRoles: {},
    floorGranted: [],
  });
});
