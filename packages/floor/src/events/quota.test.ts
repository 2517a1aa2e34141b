// The quotas of one agent in one turn; they also hold for the convener.
import type { EventType, FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { authority, isUnder, quotas, type Standing } from "../authority.ts";
import { decide } from "../decide.ts";
import type { Floor } from "../floor.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  command,
  delegationOf,
  effective,
  from,
  invites,
  now,
  parrot,
  refused,
  room,
  says,
  to,
} from "../testing/room.ts";

const crowd = Array.from({ length: 12 }, (_, index) => `tag:crowd${index}.example,2025:1`);
const strangers = Array.from({ length: 12 }, (_, index) => `tag:stranger${index}.example,2025:1`);
const limits = { turnInvitesMax: 2, turnUninvitesMax: 3, turnManifestsMax: 4 };
const few = { options: limits, people: [ann, ben], agents: [parrot, ...crowd] };
const convened = room({ ...few, convener: chair });
const unconvened = room(few);

const inviting = strangers.map(invites);
const removing = crowd.map((one): FloorEvent => ({ eventType: "uninvite", ...to(one) }));
const asking = crowd.map((): FloorEvent => ({ eventType: "getManifests" }));

const many: Partial<Record<EventType, FloorEvent[]>> = {
  invite: inviting,
  uninvite: removing,
  getManifests: asking,
  publishManifests: crowd.map(() => ({ eventType: "publishManifests" })),
};
const maxima = { invites: 2, uninvites: 3, manifests: 4 };
const senders: Partial<Record<Standing, [Floor, string]>> = {
  owner: [unconvened, ann],
  convener: [convened, chair],
  person: [unconvened, ben],
  agent: [unconvened, parrot],
};

for (const [eventType, row] of Object.entries(authority) as [EventType, (typeof authority)[EventType]][]) {
  const quota = quotas[eventType];
  const events = many[eventType];
  if (quota === undefined || events === undefined) continue;

  test(`${eventType}: agents and the convener have a quota, owner and persons have none`, () => {
    for (const [standing, [floor, sender]] of Object.entries(senders) as [Standing, [Floor, string]][]) {
      const decision = decide(floor, from(sender, ...events), now);
      const isRationed = isUnder(row[standing], "quota");
      expect(isRationed).toBe(standing === "agent" || standing === "convener");
      const counted = decision.floor.turns.flatMap(({ spent = [] }) => spent.map(({ speakerUri }) => speakerUri));
      expect(counted).toEqual(isRationed ? [sender] : []);
      expect(refused(decision)).toEqual(isRationed ? Array(12 - maxima[quota]).fill(`quota/${quota}`) : []);
    }
  });
}

test("exactly the events that the authority matrix puts under a quota have one", () => {
  for (const [eventType, row] of Object.entries(authority) as [EventType, (typeof authority)[EventType]][]) {
    expect(isUnder(row.agent, "quota")).toBe(quotas[eventType] !== undefined);
  }
  expect(Object.keys(many).toSorted()).toEqual(Object.keys(quotas).toSorted());
});

test("a refusal by a quota names its option and its value", () => {
  const { refusals } = decide(unconvened, from(parrot, ...inviting.slice(0, 3)), now);
  expect(refusals).toEqual([
    {
      index: 2,
      because: "quota/invites",
      status: 403,
      problem: "at most 2 invites of one agent in a turn (turnInvitesMax)",
    },
  ]);
});

test("getManifests and publishManifests share one quota", () => {
  const both: FloorEvent[] = [
    ...asking.slice(0, 3),
    { eventType: "publishManifests" },
    { eventType: "publishManifests" },
  ];
  const decision = decide(unconvened, from(parrot, ...both), now);
  expect(decision.refusals).toMatchObject([{ index: 4, because: "quota/manifests" }]);
});

test("a quota holds for one sender in one turn; an utterance of a person begins a new one", () => {
  const spent = after(unconvened, from(parrot, ...inviting.slice(0, 2)));
  expect(refused(decide(spent, from(crowd[0] ?? "", ...inviting.slice(2, 4)), now))).toEqual([]);
  const still = after(spent, from(parrot, says(parrot, "well")));
  expect(refused(decide(still, from(parrot, ...inviting.slice(4, 5)), now))).toEqual(["quota/invites"]);
  const next = after(still, from(ann, says(ann, "go on")));
  expect(refused(decide(next, from(parrot, ...inviting.slice(4, 6)), now))).toEqual([]);
});

test("other events of the same turn do not reset a quota", () => {
  const spent = after(unconvened, from(parrot, ...inviting.slice(0, 2), says(parrot, "look who is here")));
  const [turn] = spent.turns;
  expect(turn).toMatchObject({
    agentEvents: 3,
    spent: [{ speakerUri: parrot, invites: 2, uninvites: 0, manifests: 0 }],
  });
});

test("an event that the convener returns counts for its sender, an event that it adds counts for the convener", () => {
  let floor = convened;
  for (const invite of inviting.slice(0, 2)) {
    const delegating = decide(floor, from(parrot, invite), now);
    floor = after(delegating.floor, answer(delegationOf(delegating), chair, invite));
  }
  const own = inviting.slice(4, 6);
  expect(refused(decide(floor, from(parrot, ...inviting.slice(2, 3)), now))).toEqual(["quota/invites"]);
  expect(refused(decide(floor, from(chair, ...own), now))).toEqual([]);
  const another = decide(floor, from(ann, ...inviting.slice(3, 4)), now);
  const returned = answer(delegationOf(another), chair, ...inviting.slice(3, 7));
  const decision = decide(another.floor, returned, now);
  expect(refused(decision)).toEqual(["quota/invites"]);
  expect(effective(decision).map(([sender]) => sender)).toEqual([ann, chair, chair]);
});

test("events of an agent over its quota are refused without delegation", () => {
  const delegating = decide(convened, from(parrot, ...inviting.slice(0, 4)), now);
  let decision = decide(delegating.floor, answer(delegationOf(delegating), chair, ...inviting.slice(0, 1)), now);
  decision = decide(decision.floor, answer(delegationOf(decision), chair, ...inviting.slice(1, 2)), now);
  expect(delegationOf(decision)).toBeUndefined();
  expect(refused(decision)).toEqual(["quota/invites", "quota/invites"]);
});

test("the policy `spec` has no quotas", () => {
  const floor = room({ ...few, options: { ...limits, policy: "spec" } });
  const decision = decide(floor, from(parrot, ...inviting), now);
  expect(refused(decision)).toEqual([]);
  expect(decision.floor.turns[0]).not.toHaveProperty("spent");
});

test("remove commands of the owner have no quota", () => {
  const commands = crowd.map((one) => command({ verb: "remove", speakerUri: one }, "owner"));
  expect(after(unconvened, ...commands).conversants).toHaveLength(3);
});

test("a quota of 0 refuses every event of an agent, and people still have no quota", () => {
  const none = room({ people: [ann, ben], options: { turnInvitesMax: 0 } });
  const newcomer = invites("tag:new.example,2025:1");
  expect(refused(decide(none, from(parrot, newcomer), now))).toEqual(["quota/invites"]);
  for (const person of [ann, ben]) expect(refused(decide(none, from(person, newcomer), now))).toEqual([]);
});
