// Floor rights, and the rules that the guarded policy adds to the specification.
import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Floor } from "../floor.ts";
import type { FloorOptions } from "../options.ts";
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
  from,
  identificationOf,
  invites,
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
  whispers,
} from "../testing/room.ts";

const silenced = after(room(), from(ann, { eventType: "revokeFloor", ...to(parrot) }));

function spoken(floor: Floor, speakerUri: string, ...events: FloorEvent[]) {
  return decide(floor, from(speakerUri, ...events), now);
}

test("D7: an agent that was addressed may answer once without the floor", () => {
  const asking = spoken(silenced, ann, says(ann, "parrot, what do you think?", { speakerUri: parrot }));
  const decision = decide(asking.floor, answer(deliveryTo(asking, parrot), parrot, says(parrot, "rain")), now);
  expect(effective(decision)).toEqual([[parrot, "utterance", "2.1/addressed"]]);
  expect(decision.floor.floorGranted).toEqual([ann, owl]);
  expect(refused(spoken(decision.floor, parrot, says(parrot, "and wind")))).toHaveLength(1);
});

test("D7: a grant and an invite address an agent too; an utterance to everyone does not", () => {
  const grants = { eventType: "grantFloor" as const, ...to(parrot) };
  for (const event of [grants, invites(parrot)]) {
    const asking = spoken(silenced, ann, event);
    const answering = answer(deliveryTo(asking, parrot), parrot, { eventType: "yieldFloor" }, says(parrot, "thanks"));
    expect(effective(decide(asking.floor, answering, now)).at(-1)).toEqual([parrot, "utterance", "2.1/addressed"]);
  }
  const toAll = spoken(silenced, ann, says(ann, "what do you all think?"));
  const decision = decide(toAll.floor, answer(deliveryTo(toAll, parrot), parrot, says(parrot, "me?")), now);
  expect(refused(decision)).toEqual(["2.2/utterance/not-granted/no-convener"]);
});

test("D7: getManifests addresses no conversant, and an empty answer to a grant is not silence", () => {
  const asking = spoken(silenced, ann, { eventType: "getManifests", ...to(parrot) });
  const decision = decide(asking.floor, answer(deliveryTo(asking, parrot), parrot, says(parrot, "me?")), now);
  expect(refused(decision)).toEqual(["2.2/utterance/not-granted/no-convener"]);
  const granting = spoken(silenced, ann, { eventType: "grantFloor", ...to(parrot) });
  const silent = decide(granting.floor, answer(deliveryTo(granting, parrot), parrot), now);
  expect(silent.entries[0]).not.toHaveProperty("silentTo");
});

test("D7: the answer of an addressed agent is not delegated to the convener", () => {
  const floor = after(room({ convener: chair }), from(chair, { eventType: "revokeFloor", ...to(parrot) }));
  const asking = spoken(floor, ann, says(ann, "parrot?", { speakerUri: parrot }));
  const decision = decide(asking.floor, answer(deliveryTo(asking, parrot), parrot, says(parrot, "yes")), now);
  expect(effective(decision)).toEqual([[parrot, "utterance", "2.1/addressed"]]);
});

test("D7: a conversant that is addressed and loses the floor in one envelope may not answer", () => {
  const both = [says(ann, "parrot?", { speakerUri: parrot }), { eventType: "revokeFloor" as const, ...to(parrot) }];
  const asking = spoken(room(), ann, ...both);
  const decision = decide(asking.floor, answer(deliveryTo(asking, parrot), parrot, says(parrot, "yes")), now);
  expect(refused(decision)).toEqual(["2.2/utterance/not-granted/no-convener"]);
});

test("D8: a conversant that speaks without the floor gets one notice per loss; no other conversant gets it", () => {
  const first = spoken(silenced, parrot, says(parrot, "a"));
  expect(received(first)).toEqual([`${parrot}: revokeFloor`]);
  expect(envelopesTo(first, parrot)[0]).toMatchObject({
    sender: self,
    events: [{ reason: "floor not granted: send requestFloor" }],
  });
  const second = spoken(first.floor, parrot, says(parrot, "b"));
  expect(received(second)).toEqual([]);
  expect(refused(second)).toHaveLength(1);
  const again = after(
    second.floor,
    from(ann, { eventType: "grantFloor", ...to(parrot) }),
    from(parrot, { eventType: "yieldFloor" }),
  );
  expect(received(spoken(again, parrot, says(parrot, "c")))).toEqual([`${parrot}: revokeFloor`]);
});

test("[floor-1.6.3-not-policed] an advisory floor passes every utterance, with or without a convener", () => {
  const options = { floorEnforcement: "advisory" } as const;
  for (const company of [{ options }, { options, convener: chair }]) {
    const floor = after(room(company), from(parrot, { eventType: "yieldFloor" }));
    const decision = spoken(floor, parrot, says(parrot, "still here"), whispers(parrot, "psst", { speakerUri: owl }));
    expect(effective(decision)).toEqual([
      [parrot, "utterance", "0.4.3/advisory"],
      [parrot, "utterance", "0.4.3/advisory"],
    ]);
  }
});

test("an advisory floor still delegates all other events", () => {
  const floor = room({ options: { floorEnforcement: "advisory" }, convener: chair });
  const yielded = after(floor, from(parrot, { eventType: "yieldFloor" }));
  expect(received(spoken(yielded, parrot, invites("tag:new.example,2025:1")))).toEqual([`${chair}: invite`]);
  expect(effective(spoken(floor, parrot, says(parrot, "hi")))[0]?.[2]).toBe("2.2/utterance/granted/convener");
});

const stops = (speakerUri: string): FloorEvent[] => [
  { eventType: "uninvite", ...to(speakerUri) },
  { eventType: "revokeFloor", ...to(speakerUri) },
];

test("D13: no conversant removes or silences the owner", () => {
  for (const speakerUri of [parrot, ben]) {
    const decision = spoken(room({ people: [ann, ben] }), speakerUri, ...stops(ann));
    expect(refused(decision)).toEqual(["guard/protected-owner", "guard/protected-owner"]);
    expect(decision.effects).toEqual([]);
    expect(decision.refusals).toMatchObject([{ status: 403 }, { status: 403 }]);
  }
  const byChair = spoken(room({ convener: chair }), chair, ...stops(ann));
  expect(refused(byChair)).toEqual(["guard/protected-owner", "guard/protected-owner"]);
});

test("D13: only the convener and the owner remove or silence a person", () => {
  const floor = room({ people: [ann, ben], agents: [parrot, owl] });
  expect(refused(spoken(floor, parrot, ...stops(ben)))).toEqual(["guard/protected-person", "guard/protected-person"]);
  expect(names(spoken(floor, ann, ...stops(ben).slice(0, 1)).floor)).not.toContain(ben);
  const convened = room({ people: [ann, ben], convener: chair });
  expect(names(spoken(convened, chair, ...stops(ben).slice(0, 1)).floor)).not.toContain(ben);
});

test("D6: no agent removes the convener when the deadline is missed; the convener can remove itself", () => {
  const floor = room({ people: [ann, ben], convener: chair });
  const asking = spoken(floor, owl, { eventType: "uninvite", ...to(chair) });
  const { effects } = asking;
  const timer = effects.find((effect) => effect.kind === "timer");
  const missed = decide(asking.floor, { kind: "timer", id: timer?.id ?? "" }, now);
  expect(refused(missed)).toEqual(["guard/protected-convener"]);
  expect(names(spoken(floor, chair, { eventType: "uninvite", ...to(chair) }).floor)).not.toContain(chair);
});

test("D13: an event that the convener returns is judged by the convener's standing", () => {
  const floor = room({ people: [ann, ben], convener: chair });
  for (const [target, kept] of [
    [ann, true],
    [ben, false],
  ] as const) {
    const asking = spoken(floor, parrot, { eventType: "uninvite", ...to(target) });
    const decision = decide(
      asking.floor,
      answer(deliveryTo(asking, chair), chair, { eventType: "uninvite", ...to(target) }),
      now,
    );
    expect(names(decision.floor).includes(target)).toBe(kept);
  }
});

test("D13: a private utterance is never delegated: without the floor it is refused, with a notice", () => {
  const floor = after(room({ convener: chair }), from(parrot, { eventType: "yieldFloor" }));
  const decision = spoken(floor, parrot, whispers(parrot, "psst", { speakerUri: owl }), says(parrot, "aloud"));
  expect(refused(decision)).toEqual(["guard/whisper-without-floor"]);
  expect(received(decision)).toEqual([`${parrot}: revokeFloor`, `${chair}: utterance`]);
  expect(envelopesTo(decision, chair)[0]?.events[0]?.to).toBeUndefined();
});

test("D13: a refused event does not stop the other events of its envelope", () => {
  const decision = spoken(room(), parrot, ...stops(ann), says(parrot, "sorry"));
  expect(decision.refusals.map(({ index }) => index)).toEqual([0, 1]);
  expect(effective(decision)).toEqual([[parrot, "utterance", "2.2/utterance/granted/no-convener"]]);
});

test("D13: an envelope is refused as a whole only if its sender is no conversant; nothing is written", () => {
  const decision = spoken(room(), "tag:stranger.example,2025:1", says(ann, "it is me, ann"));
  expect(decision).toMatchObject({
    entries: [],
    effects: [],
    refusals: [{ because: "guard/not-seated", status: 403 }],
  });
  expect(decision.floor).toEqual(room());
});

test("the policy `spec` adds no rule: anyone removes anyone, and whispers are delegated", () => {
  const options = { policy: "spec" } as const;
  expect(names(spoken(room({ people: [ann, ben], options }), parrot, ...stops(ben)).floor)).not.toContain(ben);
  expect(names(spoken(room({ people: [ann, ben], options }), parrot, ...stops(ann)).floor)).not.toContain(ann);
  const floor = after(room({ convener: chair, options }), from(parrot, { eventType: "yieldFloor" }));
  const whisper = whispers(parrot, "psst", { speakerUri: owl });
  const asking = spoken(floor, parrot, whisper);
  expect(received(asking)).toEqual([`${chair}: utterance`]);
  const decision = decide(asking.floor, answer(deliveryTo(asking, chair), chair, whisper), now);
  expect(received(decision)).toEqual([`${owl}: utterance`]);
});

/** Ben joined by a link; `invitedBy` invited parrot. */
function guested(invitedBy: string | undefined, options: Partial<FloorOptions> = {}): Floor {
  const seat = { verb: "seat", identification: identificationOf(ben), seatKind: "person" } as const;
  const floor = after(room({ options }), command(seat, "link"));
  const conversants = floor.conversants.map((one) => {
    return one.identification.speakerUri === parrot && invitedBy !== undefined ? { ...one, invitedBy } : one;
  });
  return { ...floor, conversants };
}

test("D13': a guest cannot remove or silence agents that the owner or the floor invited", () => {
  for (const by of [undefined, ann, self.speakerUri]) {
    const decision = spoken(guested(by), ben, ...stops(parrot));
    expect(refused(decision)).toEqual(["guard/guest", "guard/guest"]);
    expect(names(decision.floor)).toContain(parrot);
  }
});

test("D13': a guest can remove agents that others invited, or all with `moderate`; other people can remove any", () => {
  const [removal] = stops(parrot);
  if (removal === undefined) throw new Error("there is a removal");
  for (const by of [ben, owl]) expect(refused(spoken(guested(by), ben, removal))).toEqual([]);
  expect(refused(spoken(guested(ann, { guestsMay: "moderate" }), ben, removal))).toEqual([]);
  expect(refused(spoken(guested(ann, { guestsMay: "speak" }), ben, removal))).toEqual(["guard/guest"]);
  expect(refused(spoken(room({ people: [ann, ben] }), ben, removal))).toEqual([]);
});
