// Who may command: the operator, the owner of the conversation, any person two things, and a guest with a link one.
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import { emptyFloor, type Floor, seatOf } from "../floor.ts";
import type { Command, CommandInput } from "../input.ts";
import { defaultOptions } from "../options.ts";
import { becauseIds } from "../rules.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  command,
  deliveryTo,
  effective,
  from,
  identificationOf,
  invites,
  names,
  now,
  owl,
  parrot,
  refused,
  room,
  says,
  self,
  to,
  urlOf,
} from "../testing/room.ts";

const stranger = "tag:stranger.example,2025:1";
const guest = "tag:guest.example,2025:1";
const move = { speakerUri: stranger, serviceUrl: "https://elsewhere.example/" };
const floor: Floor = { ...room({ people: [ann, ben] }), moves: [move] };

type Other = "owner" | "person" | "link";
const others: readonly Other[] = ["owner", "person", "link"];

/** One of each verb, which would be obeyed if the operator gave it, and who else may give it. */
const commands: { [Verb in Command["verb"]]: [Extract<Command, { verb: Verb }>, ...Other[]] } = {
  open: [{ verb: "open", self, options: defaultOptions }],
  identify: [{ verb: "identify", speakerUri: parrot, identification: { ...identificationOf(parrot), synopsis: "!" } }],
  seat: [{ verb: "seat", identification: identificationOf(guest), seatKind: "person" }, "owner", "link"],
  remove: [{ verb: "remove", speakerUri: parrot }, "owner"],
  convener: [{ verb: "convener", serviceUrl: urlOf(parrot) }, "owner"],
  role: [{ verb: "role", role: "archivist", speakerUri: parrot, isAssigned: true }, "owner"],
  rebind: [{ verb: "rebind", speakerUri: stranger, serviceUrl: urlOf(owl) }, "owner"],
  move: [{ verb: "move", speakerUri: stranger, isAllowed: true }, "owner"],
  reveal: [{ verb: "reveal", speakerUri: parrot, from: 1 }, "owner"],
  erase: [{ verb: "erase", seq: 1 }, "owner"],
  title: [{ verb: "title", title: "Birds" }, "owner"],
  pause: [{ verb: "pause" }, "owner", "person"],
  resume: [{ verb: "resume" }, "owner", "person"],
  close: [{ verb: "close" }, "owner"],
};

const given = (input: CommandInput, on: Floor = floor) => decide(on, input, now);
const refusalOf = (input: CommandInput, on: Floor = floor) => given(input, on).refusals[0];

for (const [verb, [one, ...allowed]] of Object.entries(commands)) {
  const isSameAddressee = (by: Other) => (allowed as string[]).includes(by);
  // No conversant is paused or waited for on this floor.
  const isIdle = verb === "pause" || verb === "resume";

  test(`${verb} is for ${["the operator", ...allowed].join(", ")}`, () => {
    const asOperator = verb === "open" ? emptyFloor("conv:1") : floor;
    expect(given(command(one), asOperator).refusals).toEqual([]);
    for (const by of others) {
      const decision = given(command(one, by));
      expect(decision.refusals).toMatchObject(isSameAddressee(by) ? [] : [{ because: "guard/not-host", status: 403 }]);
      expect(decision.entries.some(({ because }) => because === `command/${verb}/${by}`)).toBe(
        isSameAddressee(by) && !isIdle,
      );
    }
  });

  test(`${verb} by somebody who is here and is not the owner is refused as a whole`, () => {
    for (const speakerUri of [ben, parrot]) {
      const decision = given(command(one, "owner", speakerUri));
      expect(decision).toMatchObject({
        entries: [],
        effects: [],
        refusals: [{ because: "guard/not-owner", status: 403 }],
      });
      expect(decision.floor).toBe(floor);
    }
  });

  test(`${verb} by an outsider is answered as if there were no such conversation, open or ended`, () => {
    const unknown = refusalOf(command({ verb: "resume" }), emptyFloor("conv:1"));
    expect(unknown).toMatchObject({ because: "command/unopened", status: 404 });
    for (const on of [floor, after(floor, command({ verb: "close" })), emptyFloor("conv:1")]) {
      for (const by of ["owner", "person"] as const) expect(refusalOf(command(one, by, stranger), on)).toEqual(unknown);
    }
  });
}

test("any person who is here stops the agents and lets them go on, and no agent does, seated or invited", () => {
  const busy = after(floor, from(ann, says(ann, "hello"), invites(owl)), from(ann, invites(stranger)));
  const paused = given(command({ verb: "pause" }, "person", ben), busy);
  expect(paused.entries).toMatchObject(Array(2).fill({ kind: "paused", because: "command/pause/person", by: ben }));
  expect(given(command({ verb: "resume" }, "person", ben), paused.floor).entries).toMatchObject([
    { kind: "resumed", because: "command/resume/person", by: ben },
  ]);
  for (const verb of ["pause", "resume"] as const) {
    for (const speakerUri of [parrot, stranger]) {
      const refusing = given(command({ verb }, "person", speakerUri), verb === "pause" ? busy : paused.floor);
      expect(refusing).toMatchObject({ entries: [], effects: [], refusals: [{ because: "guard/not-person" }] });
      expect(refusing.refusals[0]?.status).toBe(403);
    }
  }
  const convened = after(busy, command({ verb: "convener", serviceUrl: urlOf(parrot) }));
  expect(refusalOf(command({ verb: "pause" }, "person", parrot), convened)).toMatchObject({ status: 403 });
});

test("a person who has left cannot stop the agents", () => {
  const left = after(floor, from(ben, { eventType: "bye" }), from(ann, says(ann, "hello")));
  expect(refusalOf(command({ verb: "pause" }, "person", ben), left)).toMatchObject({ status: 404 });
});

test("a link seats persons, never agents", () => {
  const agent = { verb: "seat", identification: identificationOf(guest), seatKind: "agent" } as const;
  expect(refusalOf(command(agent, "link"))).toMatchObject({ because: "guard/not-host", status: 403 });
  expect(given(command(agent, "owner")).refusals).toEqual([]);
});

test("who is the owner is judged when the command is decided: after it has passed on, the former is refused", () => {
  const passedOn = after(floor, from(ann, { eventType: "bye" }));
  expect(given(command({ verb: "remove", speakerUri: owl }, "owner", ben), passedOn).refusals).toEqual([]);
  expect(refusalOf(command({ verb: "remove", speakerUri: owl }, "owner", ann), passedOn)).toMatchObject({
    status: 404,
  });
});

test("a name that the owner was once called by commands nothing", () => {
  const aliased = { ...floor, aliases: { "tag:annie.example,2025:1": ann } };
  const asked = command({ verb: "close" }, "owner", "tag:annie.example,2025:1");
  expect(given(asked, aliased).refusals).toMatchObject([{ because: "command/unopened", status: 404 }]);
});

test("every command is described for each caller that may give it", () => {
  for (const verb of Object.keys(commands)) {
    for (const by of ["operator", ...others]) expect(becauseIds.has(`command/${verb}/${by}`)).toBe(true);
  }
});

const agents = Array.from({ length: 12 }, (_, index) => `tag:agent${index}.example,2025:1`);
const convened = room({ people: [ann, ben], agents, convener: chair });
const strip = command({ verb: "convener" }, "owner");
const newcomer = "tag:newcomer.example,2025:1";

test("a rogue convener that sends everyone away is stopped at its quota, and by one command of the owner", () => {
  const everybody = [ann, ben, ...agents].map((one) => ({ eventType: "uninvite" as const, ...to(one) }));
  const rogue = decide(convened, from(chair, ...everybody), now);
  expect(refused(rogue)).toEqual(["guard/protected-owner", ...Array(5).fill("quota/uninvites")]);
  expect(names(rogue.floor)).toEqual([ann, ...agents.slice(7), chair]);
  const free = after(rogue.floor, strip, from(ann, invites(agents[0] ?? "")));
  expect(names(free)).toContain(agents[0]);
  expect(effective(decide(free, from(ann, { eventType: "uninvite", ...to(chair) }), now))).toHaveLength(1);
  expect(refused(decide(free, from(chair, { eventType: "revokeFloor", ...to(ann) }), now))).toHaveLength(1);
});

test("a rogue convener that never grants is gone by one command, and what waited for it takes effect", () => {
  const asking = decide(convened, from(ann, invites(newcomer)), now);
  const held = after(asking.floor, from(agents[0] ?? "", { eventType: "yieldFloor" }, { eventType: "requestFloor" }));
  expect(names(held)).not.toContain(newcomer);
  const decision = decide(held, strip, now);
  expect(decision.refusals).toEqual([]);
  expect(names(decision.floor)).toContain(newcomer);
  expect(decision.floor.floorGranted).toContain(agents[0]);
  expect(decision.floor.parked).toEqual([]);
  const late = decide(decision.floor, answer(deliveryTo(asking, chair), chair, says(chair, "no")), now);
  expect(late.entries).toMatchObject([{ kind: "late" }]);
});

test("a rogue convener that silences everyone never silences the owner, who gives the floor back", () => {
  const everybody = [ann, ben, ...agents].map((one) => ({ eventType: "revokeFloor" as const, ...to(one) }));
  const rogue = decide(convened, from(chair, ...everybody), now);
  expect(rogue.floor.floorGranted).toEqual([ann, chair]);
  const grants = agents.map((one) => ({ eventType: "grantFloor" as const, ...to(one) }));
  const free = after(rogue.floor, strip, from(ann, ...grants));
  expect(free.floorGranted).toEqual([ann, chair, ...agents]);
});

test("a rogue convener is removed by one command, with its role and all it was asked", () => {
  const asking = decide(convened, from(ann, invites(newcomer)), now);
  const decision = decide(asking.floor, command({ verb: "remove", speakerUri: chair }, "owner"), now);
  expect(seatOf(decision.floor, chair)).toBeUndefined();
  expect(decision.floor.roles).toEqual({ owner: [ann] });
  expect(names(decision.floor)).toContain(newcomer);
});

test("a conversation is opened by its owner, and under no other name", () => {
  const nowhere = emptyFloor("conv:1");
  const begins = (owner: string, by: string) =>
    given(
      command({ verb: "open", self, owner: identificationOf(owner), options: defaultOptions }, "owner", by),
      nowhere,
    );
  expect(begins(ann, ann)).toMatchObject({ refusals: [], entries: [{ because: "command/open/owner" }] });
  expect(begins(ann, ben).refusals).toMatchObject([{ because: "command/unopened" }]);
});

test("a guest who is the first person in a conversation without an owner does not own it", () => {
  const open = given(command({ verb: "open", self, options: defaultOptions }), emptyFloor("conv:1")).floor;
  const seat: Command = { verb: "seat", identification: identificationOf(guest), seatKind: "person" };
  expect(given(command(seat, "link"), open).floor.roles.owner).toBeUndefined();
  expect(given(command(seat), open).floor.roles.owner).toEqual([guest]);
});
