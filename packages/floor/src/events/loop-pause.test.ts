// D17, D18: which answers a turn waits for after the loop guard has paused it.
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Decision } from "../decision-builder.ts";
import type { DeliverEffect } from "../effect.ts";
import type { Floor } from "../floor.ts";
import {
  ann,
  answer,
  chair,
  command,
  delegationOf,
  effective,
  from,
  kinds,
  now,
  owl,
  parrot,
  refused,
  room,
  says,
  to,
} from "../testing/room.ts";

const isPausedIn = (floor: Floor) => floor.turns.some(({ isPaused }) => isPaused);

/** Ann speaks to three agents; parrot and chair answer until the loop guard pauses, while owl has not answered. */
function whileOwlThinks() {
  const speaking = decide(room({ agents: [parrot, chair, owl] }), from(ann, says(ann, "hello")), now);
  const deliveriesOf = ({ effects }: Decision) => effects.filter((effect) => effect.kind === "deliver");
  const isForOwl = ({ to }: DeliverEffect) => to.speakerUri === owl;
  const atOwl = deliveriesOf(speaking).find(isForOwl)?.delivery ?? "";
  let floor = speaking.floor;
  const queue = deliveriesOf(speaking);
  for (let next = queue.shift(); next !== undefined && !isPausedIn(floor); next = queue.shift()) {
    if (isForOwl(next)) continue;
    const { speakerUri } = next.to;
    const decision = decide(floor, answer(next.delivery, speakerUri, says(speakerUri, `word ${floor.seq}`)), now);
    queue.push(...deliveriesOf(decision));
    floor = decision.floor;
  }
  return { floor, atOwl };
}

test("D17: agents that answer each other without end do not stop the answer of another agent to the person", () => {
  const { floor, atOwl } = whileOwlThinks();
  expect(floor.open.map(({ id }) => id)).toEqual([atOwl]);
  const decision = decide(floor, answer(atOwl, owl, says(owl, "at last"), says(owl, "and more")), now);
  expect(effective(decision)).toEqual([[owl, "utterance", "2.2/utterance/granted/no-convener"]]);
  expect(refused(decision)).toEqual(["loop/paused"]);
  expect(isPausedIn(decision.floor)).toBe(true);
  const replies = decision.effects.filter((effect) => effect.kind === "deliver");
  const atParrot = replies.find(({ to: { speakerUri } }) => speakerUri === parrot);
  expect(refused(decide(decision.floor, answer(atParrot?.delivery, parrot, says(parrot, "hm")), now))).toEqual([
    "loop/paused",
  ]);
});

test("D18: the command pause aborts deliveries that the loop guard left open; a late answer has no effect", () => {
  const { floor, atOwl } = whileOwlThinks();
  const stopped = decide(floor, command({ verb: "pause" }, "owner"), now);
  expect(stopped.effects).toContainEqual({ kind: "abort", delivery: atOwl });
  expect(stopped.floor.open).toEqual([]);
  expect(kinds(decide(stopped.floor, answer(atOwl, owl, says(owl, "at last")), now))).toEqual(["late"]);
});

const budget = (turnAgentEventsMax: number) => room({ convener: chair, options: { turnAgentEventsMax } });

test("D17: the convener may revoke the floor at any time, but a revocation without effect is counted", () => {
  const revokes = { eventType: "revokeFloor" as const, ...to(owl) };
  const decision = decide(budget(1), from(chair, revokes, revokes, revokes), now);
  expect(effective(decision)).toHaveLength(2);
  expect(refused(decision)).toEqual(["loop/agent-events"]);
  const late = decide(budget(1), from(chair, says(chair, "enough"), revokes), now);
  expect(effective(late)).toHaveLength(2);
});

test("D17: an uninvite or revokeFloor that the convener approves passes when the turn is at its limit", () => {
  for (const eventType of ["uninvite", "revokeFloor"] as const) {
    const removal = { eventType, ...to(owl) };
    const speaking = decide(budget(1), from(ann, says(ann, "hello")), now);
    const asking = decide(speaking.floor, from(parrot, removal), now);
    const talking = decide(asking.floor, from(owl, says(owl, "hoo")), now);
    expect(refused(decide(talking.floor, from(owl, says(owl, "hoo hoo")), now))).toEqual(["loop/agent-events"]);
    const decision = decide(talking.floor, answer(delegationOf(asking), chair, removal), now);
    expect(effective(decision)).toEqual([[parrot, eventType, "2.2/convener-approved"]]);
  }
});

test("D17: revokeFloor of an agent is counted, and so is an utterance of an agent in a person's name", () => {
  const floor = room({ options: { turnAgentEventsMax: 1 } });
  const revoking = from(parrot, says(parrot, "hush"), { eventType: "revokeFloor", ...to(owl) });
  expect(refused(decide(floor, revoking, now))).toEqual(["loop/agent-events"]);
  const repeating = from(parrot, ...Array.from({ length: 4 }, () => says(ann, "I agree")));
  expect(refused(decide(room(), repeating, now))).toEqual(["loop/same-text"]);
});

test("D18: pause of one turn does not change another one, and a delegation alone is not paused", () => {
  const first = decide(room(), from(ann, says(ann, "one")), now);
  const second = decide(first.floor, from(ann, says(ann, "two")), now);
  const turn = first.entries[0]?.turn ?? "";
  const stopped = decide(second.floor, command({ verb: "pause", turns: [turn] }, "owner"), now);
  expect(stopped.entries).toMatchObject([{ kind: "paused", turn }]);
  expect(stopped.floor.open).toEqual(second.floor.open.filter((open) => open.turn !== turn));
  const asking = decide(room({ convener: chair }), from(ann, { eventType: "uninvite", ...to(owl) }), now);
  expect(decide(asking.floor, command({ verb: "pause" }, "owner"), now).entries).toEqual([]);
});
