// Who may give a command: the operator and the owner; a person only pause and resume; a guest link only seat.
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

/** One command of each verb, which is valid if the operator gives it, and who else may give it. */
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
  // On this floor no turn is paused and no delivery is open.
  const isIdle = verb === "pause" || verb === "resume";

  test(`${verb} is allowed for ${["the operator", ...allowed].join(", ")}`, () => {
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

  test(`${verb} by a conversant that is not the owner is refused as a whole`, () => {
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

  test(`${verb} by an absent speaker is answered with 404, as for an unknown conversation, open or closed`, () => {
    const unknown = refusalOf(command({ verb: "resume" }), emptyFloor("conv:1"));
    expect(unknown).toMatchObject({ because: "command/unopened", status: 404 });
    for (const on of [floor, after(floor, command({ verb: "close" })), emptyFloor("conv:1")]) {
      for (const by of ["owner", "person"] as const) expect(refusalOf(command(one, by, stranger), on)).toEqual(unknown);
    }
  });
}

test("any person in the conversation may pause and resume the agents; no agent may, seated or invited", () => {
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

test("a person who has left cannot pause the agents", () => {
  const left = after(floor, from(ben, { eventType: "bye" }), from(ann, says(ann, "hello")));
  expect(refusalOf(command({ verb: "pause" }, "person", ben), left)).toMatchObject({ status: 404 });
});

test("a link seats persons only, not agents", () => {
  const agent = { verb: "seat", identification: identificationOf(guest), seatKind: "agent" } as const;
  expect(refusalOf(command(agent, "link"))).toMatchObject({ because: "guard/not-host", status: 403 });
  expect(given(command(agent, "owner")).refusals).toEqual([]);
});

test("ownership is judged when the command is decided: a former owner is refused", () => {
  const passedOn = after(floor, from(ann, { eventType: "bye" }));
  expect(given(command({ verb: "remove", speakerUri: owl }, "owner", ben), passedOn).refusals).toEqual([]);
  expect(refusalOf(command({ verb: "remove", speakerUri: owl }, "owner", ann), passedOn)).toMatchObject({
    status: 404,
  });
});

test("a former name of the owner gives no right to command", () => {
  const aliased = { ...floor, aliases: { "tag:annie.example,2025:1": ann } };
  const asked = command({ verb: "close" }, "owner", "tag:annie.example,2025:1");
  expect(given(asked, aliased).refusals).toMatchObject([{ because: "command/unopened", status: 404 }]);
});

test("every command has a described rule id for each caller that may give it", () => {
  for (const verb of Object.keys(commands)) {
    for (const by of ["operator", ...others]) expect(becauseIds.has(`command/${verb}/${by}`)).toBe(true);
  }
});

const agents = Array.from({ length: 12 }, (_, index) => `tag:agent${index}.example,2025:1`);
const convened = room({ people: [ann, ben], agents, convener: chair });
const strip = command({ verb: "convener" }, "owner");
const newcomer = "tag:newcomer.example,2025:1";

test("a convener that uninvites everyone is stopped by its quota, and loses the role by one command of the owner", () => {
  const everybody = [ann, ben, ...agents].map((one) => ({ eventType: "uninvite" as const, ...to(one) }));
  const rogue = decide(convened, from(chair, ...everybody), now);
  expect(refused(rogue)).toEqual(["guard/protected-owner", ...Array(5).fill("quota/uninvites")]);
  expect(names(rogue.floor)).toEqual([ann, ...agents.slice(7), chair]);
  const free = after(rogue.floor, strip, from(ann, invites(agents[0] ?? "")));
  expect(names(free)).toContain(agents[0]);
  expect(effective(decide(free, from(ann, { eventType: "uninvite", ...to(chair) }), now))).toHaveLength(1);
  expect(refused(decide(free, from(chair, { eventType: "revokeFloor", ...to(ann) }), now))).toHaveLength(1);
});

test("a convener that never grants loses the role by one command, and the events parked for it take effect", () => {
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

test("a convener that silences everyone cannot silence the owner, who grants the floor again", () => {
  const everybody = [ann, ben, ...agents].map((one) => ({ eventType: "revokeFloor" as const, ...to(one) }));
  const rogue = decide(convened, from(chair, ...everybody), now);
  expect(rogue.floor.floorGranted).toEqual([ann, chair]);
  const grants = agents.map((one) => ({ eventType: "grantFloor" as const, ...to(one) }));
  const free = after(rogue.floor, strip, from(ann, ...grants));
  expect(free.floorGranted).toEqual([ann, chair, ...agents]);
});

test("one command removes the convener, its role and its open delegations", () => {
  const asking = decide(convened, from(ann, invites(newcomer)), now);
  const decision = decide(asking.floor, command({ verb: "remove", speakerUri: chair }, "owner"), now);
  expect(seatOf(decision.floor, chair)).toBeUndefined();
  expect(decision.floor.roles).toEqual({ owner: [ann] });
  expect(names(decision.floor)).toContain(newcomer);
});

test("the owner opens a conversation under their own name only", () => {
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
