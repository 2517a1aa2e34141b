import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import type { Decision } from "./decision-builder.ts";
import type { Floor } from "./floor.ts";
import { becauseIds } from "./rules.ts";
import { type Action, table, verdictOf } from "./table.ts";
import { after, ann, chair, from, invites, names, now, owl, parrot, room, says, to } from "./testing/room.ts";

const newcomer = "tag:newcomer.example,2025:1";

type Case = { id: string; event: FloorEvent; lacksFloor?: true; withConvener: Action; withoutConvener: Action };

// Written from the text of section 2.2 (1.1.1 for utterances), not from table.ts.
const cases: readonly Case[] = [
  {
    id: "[floor-2.2-row-utterance-granted] utterance, sender with the floor",
    event: says(parrot, "hello"),
    withConvener: "pass",
    withoutConvener: "pass",
  },
  {
    id: "[floor-2.2-row-utterance-not-granted] utterance, sender without the floor",
    event: says(parrot, "hello"),
    lacksFloor: true,
    withConvener: "delegate",
    withoutConvener: "ignore",
  },
  {
    id: "[floor-2.2-row-invite] invite",
    event: invites(newcomer),
    withConvener: "delegate",
    withoutConvener: "pass",
  },
  {
    id: "[floor-2.2-row-uninvite] uninvite",
    event: { eventType: "uninvite", ...to(owl) },
    withConvener: "delegate",
    withoutConvener: "pass",
  },
  {
    id: "[floor-2.2-row-decline-invite] declineInvite",
    event: { eventType: "declineInvite" },
    withConvener: "pass",
    withoutConvener: "pass",
  },
  {
    id: "[floor-2.2-row-accept-invite] acceptInvite",
    event: { eventType: "acceptInvite" },
    withConvener: "pass",
    withoutConvener: "pass",
  },
  { id: "[floor-2.2-row-bye] bye", event: { eventType: "bye" }, withConvener: "pass", withoutConvener: "pass" },
  {
    id: "[floor-2.2-row-get-manifests] getManifests",
    event: { eventType: "getManifests" },
    withConvener: "pass",
    withoutConvener: "pass",
  },
  {
    id: "[floor-2.2-row-publish-manifests] publishManifests",
    event: { eventType: "publishManifests" },
    withConvener: "pass",
    withoutConvener: "pass",
  },
  {
    id: "[floor-2.2-row-request-floor] requestFloor",
    event: { eventType: "requestFloor" },
    withConvener: "delegate",
    withoutConvener: "grant",
  },
  {
    id: "[floor-2.2-row-grant-floor] grantFloor",
    event: { eventType: "grantFloor", ...to(owl) },
    withConvener: "delegate",
    withoutConvener: "pass",
  },
  {
    id: "[floor-2.2-row-yield-floor] yieldFloor",
    event: { eventType: "yieldFloor" },
    withConvener: "pass",
    withoutConvener: "pass",
  },
  {
    id: "[floor-2.2-row-revoke-floor] revokeFloor",
    event: { eventType: "revokeFloor", ...to(owl) },
    withConvener: "delegate",
    withoutConvener: "pass",
  },
];

/** The outcome of parrot's event, from entries and effects. */
function outcome({ entries, effects }: Decision, { eventType }: FloorEvent): Action | "nothing" {
  const outgoingContext = effects.filter((effect) => effect.kind === "deliver");
  if (outgoingContext.some(({ isDelegation, events: [only] }) => isDelegation && only?.eventType === eventType)) {
    return entries.some(({ kind }) => kind === "event") ? "nothing" : "delegate";
  }
  const passed = outgoingContext.filter((envelope) => envelope.events.some((event) => event.eventType === eventType));
  if (passed.some(({ sender, to: { speakerUri } }) => sender.speakerUri === parrot && speakerUri === owl))
    return "pass";
  const granted = entries.some((entry) => entry.kind === "event" && entry.event.eventType === "grantFloor");
  if (granted) return "grant";
  return entries.some(({ kind }) => kind === "refused") ? "ignore" : "nothing";
}

function floorFor({ lacksFloor }: Case, convener: string | undefined): Floor {
  const floor = room(convener === undefined ? {} : { convener });
  return lacksFloor === true ? after(floor, from(parrot, { eventType: "yieldFloor" })) : floor;
}

for (const row of cases) {
  const { id, event, withConvener, withoutConvener } = row;

  test(`${id}, with a convener: ${withConvener}`, () => {
    expect(outcome(decide(floorFor(row, chair), from(parrot, event), now), event)).toBe(withConvener);
  });

  test(`${id}, without a convener: ${withoutConvener}`, () => {
    expect(outcome(decide(floorFor(row, undefined), from(parrot, event), now), event)).toBe(withoutConvener);
  });
}

test("[floor-2.2-all-event-types] the table has a row for every event, two for utterances, and no other", () => {
  const rows = table.map(({ event, granted }) => ({ event, lacksFloor: granted === false }));
  const expected = cases.map(({ event, lacksFloor = false }) => ({ event: event.eventType, lacksFloor }));
  expect(rows).toEqual(expect.arrayContaining(expected));
  expect(rows).toHaveLength(13);
  expect(new Set(rows.map(({ event }) => event)).size).toBe(12);
});

test("every cell gives its own rule id, and each has a description", () => {
  expect(verdictOf("utterance", false, false).because).toBe("2.2/utterance/not-granted/no-convener");
  expect(verdictOf("utterance", true, true).because).toBe("2.2/utterance/granted/convener");
  expect(verdictOf("invite", false, true).because).toBe("2.2/invite/convener");
  expect(verdictOf("invite", true, true)).toEqual(verdictOf("invite", false, true));
  for (const { event, granted = true } of table) {
    const [convened, free] = [verdictOf(event, granted, true), verdictOf(event, granted, false)];
    expect(becauseIds.get(convened.because)).toBe(`the table of 2.2, with a convener: ${convened.action}`);
    expect(becauseIds.get(free.because)).toBe(`the table of 2.2, without a convener: ${free.action}`);
  }
});

test("a delegated event has no effect before the convener answers", () => {
  const floor = room({ convener: chair });
  const { floor: next } = decide(floor, from(parrot, { eventType: "uninvite", ...to(owl) }), now);
  expect(names(next)).toEqual([ann, parrot, owl, chair]);
  expect(next.floorGranted).toEqual([ann, parrot, owl, chair]);
});
