// The convener does not answer, leaves or is replaced; or the sender of a delegated event leaves.
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
  failing,
  from,
  invites,
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

test("D11: on the first missed deadline the column without a convener decides about this event", () => {
  const asking = asked(convened, ann, invites(newcomer), says(ann, "and on"));
  const decision = decide(asking.floor, { kind: "timer", id: timer(asking) }, now);
  expect(decision.effects[0]).toEqual({ kind: "abort", delivery: deliveryTo(asking, chair) });
  expect(effective(decision)).toEqual([
    [ann, "invite", "2.2/invite/no-convener"],
    [ann, "utterance", "2.2/utterance/granted/convener"],
  ]);
  expect(decision.floor.roles.convener).toEqual([chair]);
});

test("D11: when the convener misses its deadline, an utterance without the floor is ignored and its sender notified", () => {
  const asking = asked(silenced, parrot, says(parrot, "hello?"));
  const decision = decide(asking.floor, failing(deliveryTo(asking, chair), "unreachable"), now);
  expect(refused(decision)).toEqual(["2.2/utterance/not-granted/no-convener"]);
  expect(effective(decision)).toEqual([[self.speakerUri, "revokeFloor", "2.2/told"]]);
});

test("D11: with `closed` the event is dropped and its sender notified", () => {
  const options = { onConvenerFailure: "closed" } as const;
  const floor = after(room({ convener: chair, options }), from(parrot, { eventType: "yieldFloor" }));
  const asking = asked(floor, parrot, { eventType: "requestFloor" });
  const decision = decide(asking.floor, { kind: "timer", id: timer(asking) }, now);
  expect(refused(decision)).toEqual(["convener/closed"]);
  expect(received(decision)).toContain(`${parrot}: revokeFloor`);
  const spoken = asked(decision.floor, parrot, says(parrot, "hello?"));
  expect(received(decide(spoken.floor, { kind: "timer", id: timer(spoken) }, now))).toEqual([`${parrot}: revokeFloor`]);
});

test("D11: after two missed deadlines in a row the role lapses, and no event waits for the convener", () => {
  const first = asked(convened, ann, invites(newcomer));
  const second = asked(after(first.floor, { kind: "timer", id: timer(first) }), ann, {
    eventType: "uninvite",
    ...to(owl),
  });
  const other = asked(second.floor, parrot, invites("tag:other.example,2025:1"), says(parrot, "so?"));
  const decision = decide(other.floor, { kind: "timer", id: timer(second) }, now);
  expect(decision.entries).toContainEqual(expect.objectContaining({ kind: "role", because: "convener/lapsed" }));
  expect(effective(decision)).toEqual([
    [ann, "uninvite", "2.2/uninvite/no-convener"],
    [parrot, "invite", "2.2/invite/no-convener"],
    [parrot, "utterance", "2.2/utterance/granted/no-convener"],
  ]);
  expect(decision.floor.parked).toEqual([]);
  expect(decision.floor.open.filter(({ isDelegation }) => isDelegation)).toEqual([]);
});

test("D11: an answer resets the count of missed deadlines", () => {
  const first = asked(convened, ann, invites(newcomer));
  const second = asked(after(first.floor, { kind: "timer", id: timer(first) }), ann, {
    eventType: "uninvite",
    ...to(owl),
  });
  const third = asked(answered(second).floor, ann, { eventType: "uninvite", ...to(owl) });
  const floor = after(third.floor, { kind: "timer", id: timer(third) });
  expect(floor.roles.convener).toEqual([chair]);
});

test("D2: of answer and deadline, the second one has no effect", () => {
  const asking = asked(convened, ann, invites(newcomer));
  const inTime = answered(asking, invites(newcomer));
  expect(decide(inTime.floor, { kind: "timer", id: timer(asking) }, now).entries).toEqual([]);
  const late = decide(
    after(asking.floor, { kind: "timer", id: timer(asking) }),
    { ...answer(deliveryTo(asking, chair), chair, says(chair, "late")), turn: "t9" },
    now,
  );
  expect(late.entries).toMatchObject([{ kind: "late", because: "answer/late", turn: "t9" }]);
  expect(late.effects).toEqual([]);
});

test("after the convener leaves, its delegations are decided again and held requests are granted", () => {
  const held = answered(asked(silenced, parrot, { eventType: "requestFloor" }));
  const asking = asked(held.floor, ann, invites(newcomer), says(ann, "so?"));
  const decision = asked(asking.floor, chair, { eventType: "bye" });
  expect(effective(decision)).toEqual([
    [chair, "bye", "2.2/convener-own"],
    [ann, "invite", "2.2/invite/no-convener"],
    [ann, "utterance", "2.2/utterance/granted/no-convener"],
    [self.speakerUri, "grantFloor", "2.2/requestFloor/no-convener"],
  ]);
  const aborts = decision.effects.filter(({ kind }) => kind === "abort");
  expect(
    aborts.filter((effect) => effect.kind === "abort" && effect.delivery === deliveryTo(asking, chair)),
  ).toHaveLength(1);
});

test("an event that waits for one convener is delegated to the next one", () => {
  const asking = asked(room({ agents: [parrot, owl], convener: chair }), ann, invites(newcomer), says(ann, "so?"));
  const decision = decide(asking.floor, command({ verb: "convener", serviceUrl: urlOf(owl) }, "owner"), now);
  expect(received(decision)).toEqual([`${owl}: grantFloor`, `${chair}: grantFloor`, `${owl}: invite`]);
  expect(decision.effects).toContainEqual({ kind: "abort", delivery: deliveryTo(asking, chair) });
  expect(decision.floor.parked).toMatchObject([{ sender: ann, rest: [{ eventType: "utterance" }] }]);
  expect(decision.refusals).toEqual([]);
});

test("parked events of a sender that left are refused, and the convener's own events still take effect", () => {
  const asking = asked(convened, parrot, invites(newcomer), says(parrot, "so?"));
  const gone = after(asking.floor, command({ verb: "remove", speakerUri: parrot }));
  const decision = decide(gone, answer(deliveryTo(asking, chair), chair, invites(newcomer), says(chair, "hm")), now);
  expect(refused(decision)).toEqual(["guard/not-seated", "guard/not-seated"]);
  expect(effective(decision)).toEqual([[chair, "utterance", "2.2/convener-own"]]);
  expect(decision.floor.parked).toEqual([]);
});

test("envelopes that wait behind the parked envelope of a sender that left are refused too", () => {
  const asking = asked(convened, parrot, invites(newcomer));
  const waiting = after(
    asking.floor,
    from(parrot, says(parrot, "so?")),
    command({ verb: "remove", speakerUri: parrot }),
  );
  for (const input of [failing(deliveryTo(asking, chair), "timeout"), answer(deliveryTo(asking, chair), chair)]) {
    const decision = decide(waiting, input, now);
    expect(refused(decision)).toEqual(["guard/not-seated", "guard/not-seated"]);
    expect(decision.floor.parked).toEqual([]);
  }
  const gone = decide(waiting, from(chair, { eventType: "bye" }), now);
  expect(gone.floor.parked).toEqual([]);
});

test("parked events of a sender that left and joined again are refused", () => {
  const asking = asked(convened, parrot, invites(newcomer));
  const back = after(asking.floor, command({ verb: "remove", speakerUri: parrot }), from(chair, invites(parrot)));
  expect(refused(decide(back, answer(deliveryTo(asking, chair), chair, invites(newcomer)), now))).toEqual([
    "guard/not-seated",
  ]);
});

test("events parked for a new convener that removes itself at once are decided without a convener", () => {
  const asking = asked(convened, parrot, invites(newcomer));
  const both = asked(asking.floor, owl, { eventType: "uninvite", ...to(owl) });
  const decision = decide(both.floor, command({ verb: "convener", serviceUrl: urlOf(owl) }), now);
  expect(effective(decision)).toEqual([
    [self.speakerUri, "grantFloor", "convener/told"],
    [owl, "uninvite", "2.2/convener-own"],
    [parrot, "invite", "2.2/invite/no-convener"],
  ]);
  expect(decision.floor.parked).toEqual([]);
});

test("a convener's answer under another name counts as missed, and the column without a convener decides", () => {
  const asking = asked(convened, ann, invites(newcomer));
  const decision = decide(asking.floor, answer(deliveryTo(asking, chair), owl, invites(newcomer)), now);
  expect(decision.entries[0]).toMatchObject({ kind: "missed", because: "guard/impersonation", speakerUri: chair });
  expect(effective(decision)).toEqual([[ann, "invite", "2.2/invite/no-convener"]]);
  expect(decision.floor.convenerMisses).toBe(1);
});

test("D9: an envelope waits for its own sender's delegation only, not for one of another sender", () => {
  const asking = asked(convened, ann, invites(newcomer));
  const waiting = after(asking.floor, from(ann, says(ann, "so?")), from(parrot, invites("tag:other.example,2025:1")));
  const decision = decide(waiting, answer(deliveryTo(asking, chair), chair, invites(newcomer)), now);
  expect(effective(decision)).toEqual([
    [ann, "invite", "2.2/convener-approved"],
    [ann, "utterance", "2.2/utterance/granted/convener"],
  ]);
  expect(decision.floor.parked.map(({ sender }) => sender)).toEqual([parrot]);
});

test("a requestFloor addressed to the convener is a request for its sender", () => {
  const asking = asked(silenced, parrot, { eventType: "requestFloor", ...to(chair) });
  expect(answered(asking).entries).toContainEqual(expect.objectContaining({ kind: "held", speakerUri: parrot }));
});
