// D18: after a pause, running work of the agents has no effect.
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import { isIdle } from "../delivery/recipients.ts";
import { type Floor, isPaused } from "../floor.ts";
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
  from,
  invites,
  kinds,
  now,
  owl,
  parrot,
  refused,
  room,
  says,
  to,
} from "../testing/room.ts";

const stop = command({ verb: "pause" }, "owner");
const company = room({ people: [ann, ben] });

/** Ann has said something, and both agents have an open delivery of it. */
const speaking = decide(company, from(ann, says(ann, "hello")), now);
const under = envelopes(speaking).map(({ delivery }) => delivery);
const stopped = decide(speaking.floor, stop, now);

const open = ({ open: deliveries }: Floor) => deliveries.map(({ id }) => id);

test("pause aborts open deliveries and writes an entry for everyone that pauses their turn", () => {
  const turn = speaking.entries[0]?.turn;
  expect(stopped.entries).toMatchObject([
    { kind: "paused", turn, because: "command/pause/owner", audience: [ann, ben, parrot, owl], aborts: under },
  ]);
  expect(stopped.effects).toEqual(under.map((delivery) => ({ kind: "abort", delivery })));
  expect(open(stopped.floor)).toEqual([]);
  expect(isIdle(stopped.floor, turn ?? "")).toBe(true);
});

test("after pause a late answer has no effect, and an unasked utterance of an agent is refused", () => {
  const late = decide(stopped.floor, answer(under[0], parrot, says(parrot, "but")), now);
  expect(kinds(late)).toEqual(["late"]);
  expect(late.effects).toEqual([]);
  expect(refused(decide(late.floor, from(parrot, says(parrot, "but")), now))).toEqual(["loop/paused"]);
});

test("after pause the next utterance of any person resumes, in a new turn", () => {
  const next = decide(stopped.floor, from(ben, says(ben, "again, please")), now);
  expect(next.entries[0]).toMatchObject({ kind: "resumed", because: "loop/person-spoke" });
  expect(next.entries[0]).not.toHaveProperty("by");
  expect(effective(decide(next.floor, answer(deliveryTo(next, parrot), parrot, says(parrot, "yes")), now))).toEqual([
    [parrot, "utterance", "2.2/utterance/granted/no-convener"],
  ]);
});

test("pause without open deliveries writes nothing and is no error, also when it is repeated", () => {
  for (const floor of [company, stopped.floor]) {
    expect(decide(floor, stop, now)).toEqual({ floor, entries: [], effects: [], refusals: [] });
  }
});

test("pause stops every turn that has open deliveries, and no other turn", () => {
  const idle = after(company, from(ann, says(ann, "one", { speakerUri: ben })));
  const quiet = idle.open.reduce((floor, { id, to: name }) => after(floor, answer(id, name)), idle);
  const two = after(quiet, from(ann, says(ann, "two")), from(ben, says(ben, "three")));
  const decision = decide(two, stop, now);
  const turns = [...new Set(two.open.map(({ turn }) => turn))];
  expect(turns).toHaveLength(2);
  expect(decision.entries.map(({ turn }) => turn)).toEqual(turns);
  expect(open(decision.floor)).toEqual([]);
  expect(decision.floor.turns.map(({ turn }) => turn)).toEqual(turns);
  expect(kinds(decide(decision.floor, from(ann, says(ann, "go on")), now))[0]).toBe("resumed");
});

test("pause keeps delegations open, and an agent's request that the convener then returns is refused", () => {
  const convened = after(
    room({ people: [ann, ben], convener: chair }),
    from(chair, { eventType: "revokeFloor", ...to(parrot) }),
  );
  const busy = decide(convened, from(ann, says(ann, "hello")), now);
  const asking = decide(busy.floor, answer(deliveryTo(busy, parrot), parrot, { eventType: "requestFloor" }), now);
  const [delegation] = envelopes(asking);
  const { floor } = decide(asking.floor, stop, now);
  expect(open(floor)).toEqual([delegation?.delivery]);
  expect(floor.parked).toHaveLength(1);
  const returned = decide(floor, answer(delegation?.delivery, chair, { eventType: "requestFloor" }), now);
  expect(returned.floor.parked).toEqual([]);
  expect(returned.floor.floorGranted).not.toContain(parrot);
});

test("pause in a paused turn aborts the deliveries that a leaving conversant caused", () => {
  const left = decide(stopped.floor, from(parrot, { eventType: "bye" }), now);
  const [told] = open(left.floor);
  expect(told).toBeDefined();
  const again = decide(left.floor, stop, now);
  expect(again.entries).toMatchObject([{ kind: "paused", aborts: [told] }]);
  expect(again.effects).toEqual([{ kind: "abort", delivery: told }]);
  expect(again.floor.turns.every(({ turn }) => isPaused(again.floor, turn))).toBe(true);
});

test("an agent whose invite was aborted by pause stays listed and can be invited again", () => {
  const newcomer = "tag:newcomer.example,2025:1";
  const inviting = decide(company, from(ann, invites(newcomer)), now);
  const rested = after(inviting.floor, stop);
  const again = decide(rested, from(ann, invites(newcomer)), now);
  const joined = after(again.floor, answer(deliveryTo(again, newcomer), newcomer));
  expect(joined.conversants.at(-1)).toMatchObject({ state: "joined" });
});
