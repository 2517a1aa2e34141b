// D17: agents that answer each other without end, and how the floor stops them.
import { type FloorEvent, textOf } from "@plenary/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { apply } from "../apply.ts";
import { decide } from "../decide.ts";
import { isIdle } from "../delivery/recipients.ts";
import type { DeliverEffect } from "../effect.ts";
import type { Entry } from "../entry.ts";
import type { Floor } from "../floor.ts";
import type { Input } from "../input.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  command,
  effective,
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

type Behaviour = (delivery: DeliverEffect) => FloorEvent[];

const stepsMax = 5_000;

/** Lets every agent answer its deliveries until no delivery is left. */
function play(floor: Floor, input: Input, behaviours: Record<string, Behaviour>): { floor: Floor; entries: Entry[] } {
  const first = decide(floor, input, now);
  const entries = [...first.entries];
  let next = first.floor;
  const queue = first.effects.filter((effect) => effect.kind === "deliver");
  for (let step = 0; queue.length > 0; step += 1) {
    if (step > stepsMax) throw new Error("they never stop");
    const delivery = queue.shift();
    if (delivery === undefined) break;
    const { speakerUri } = delivery.to;
    const events = behaviours[speakerUri]?.(delivery) ?? [];
    const decision = decide(next, answer(delivery.delivery, speakerUri, ...events), now);
    entries.push(...decision.entries);
    queue.push(...decision.effects.filter((effect) => effect.kind === "deliver"));
    next = decision.floor;
  }
  return { floor: next, entries };
}

let word = 0;

/** Answers every utterance with a new text. */
function chatters(speakerUri: string): Behaviour {
  return ({ events }) => {
    word += 1;
    return events.some(({ eventType }) => eventType === "utterance") ? [says(speakerUri, `word ${word}`)] : [];
  };
}

function echoes(speakerUri: string): Behaviour {
  return ({ events }) =>
    events.flatMap((event) =>
      event.eventType === "utterance" ? [says(speakerUri, textOf(event.parameters.dialogEvent))] : [],
    );
}

const paused = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => (entry.kind === "paused" ? [entry.because] : []));
const deepest = (entries: readonly Entry[]) =>
  Math.max(...entries.map((entry) => (entry.kind === "event" ? entry.depth : 0)));

test("D17: two agents that answer each other are paused at depth 16, visible to all, and the turn is idle", () => {
  const { floor, entries } = play(room({ options: { sameTextMax: 99 } }), from(ann, says(ann, "hello")), {
    [parrot]: chatters(parrot),
    [owl]: chatters(owl),
  });
  expect(paused(entries)).toEqual(["loop/depth"]);
  expect(deepest(entries)).toBe(16);
  expect(entries.find(({ kind }) => kind === "paused")?.audience).toEqual([ann, parrot, owl]);
  expect(isIdle(floor, "t4")).toBe(true);
});

test("D17: two agents that repeat each other are paused when one has said the same text three times", () => {
  const { entries } = play(room(), from(ann, says(ann, "hello")), { [parrot]: echoes(parrot), [owl]: echoes(owl) });
  expect(paused(entries)).toEqual(["loop/same-text"]);
  const said = entries.filter((entry) => entry.kind === "event" && entry.sender === parrot);
  expect(said.length).toBeLessThanOrEqual(3);
});

test("D17: long texts with the same beginning count as different texts", () => {
  const long = "x".repeat(100);
  const events = ["a", "b", "c", "d"].map((end) => says(parrot, `${long}${end}`));
  expect(effective(decide(room(), from(parrot, ...events), now))).toHaveLength(4);
  const same = Array.from({ length: 4 }, () => says(parrot, long));
  expect(effective(decide(room(), from(parrot, ...same), now))).toHaveLength(3);
});

test("D17: utterances that the convener sends for others count for their speakers, and a person has no limit", () => {
  const floor = room({ people: [ann, ben], convener: chair });
  const yes = (...speakers: string[]) => from(chair, ...speakers.map((one) => says(one, "yes")));
  expect(effective(decide(floor, yes(parrot, owl, parrot, owl, chair, ben), now))).toHaveLength(6);
  expect(effective(decide(floor, yes(ben, ben, ben, ben, ben), now))).toHaveLength(5);
  expect(effective(decide(floor, yes(parrot, parrot, parrot, parrot), now))).toHaveLength(3);
  const strangers = ["a", "b", "c", "d"].map((name) => `tag:${name}.example,2025:1`);
  expect(effective(decide(floor, yes(...strangers), now))).toHaveLength(3);
});

test("D17: a ring of ten agents in which each answers the previous one stops at depth 16", () => {
  const agents = Array.from({ length: 10 }, (_, index) => `tag:ring${index}.example,2025:1`);
  const behaviours = Object.fromEntries(
    agents.map((speakerUri, index) => {
      const previous = agents[(index + 9) % 10];
      const isMine = ({ sender: { speakerUri: by } }: DeliverEffect) => by === previous || (by === ann && index === 0);
      const chatter = chatters(speakerUri);
      return [speakerUri, (delivery: DeliverEffect) => (isMine(delivery) ? chatter(delivery) : [])];
    }),
  );
  const { entries } = play(room({ agents }), from(ann, says(ann, "go")), behaviours);
  expect(paused(entries)).toEqual(["loop/depth"]);
  expect(deepest(entries)).toBe(16);
});

test("D17: ten agents that answer every utterance are stopped after 64 events", () => {
  const agents = Array.from({ length: 10 }, (_, index) => `tag:ring${index}.example,2025:1`);
  const behaviours = Object.fromEntries(agents.map((speakerUri) => [speakerUri, chatters(speakerUri)]));
  const { entries } = play(room({ agents }), from(ann, says(ann, "go")), behaviours);
  expect(paused(entries)).toEqual(["loop/agent-events"]);
  expect(entries.filter((entry) => entry.kind === "event" && entry.sender !== ann)).toHaveLength(64);
});

test("D17: a convener that returns its delegations and also answers utterances is stopped too", () => {
  const floor = after(room({ convener: chair }), from(chair, { eventType: "revokeFloor", ...to(parrot) }));
  const { entries } = play(floor, from(ann, says(ann, "hello")), {
    [parrot]: chatters(parrot),
    [owl]: chatters(owl),
    [chair]: (delivery) => (delivery.isDelegation ? delivery.events : chatters(chair)(delivery)),
  });
  expect(paused(entries)).toHaveLength(1);
  expect(deepest(entries)).toBeLessThanOrEqual(16);
});

test("D17: agents that answer everything with the same event without parameters are stopped too", () => {
  for (const eventType of ["acceptInvite", "yieldFloor", "getManifests", "publishManifests", "requestFloor"] as const) {
    const always = () => [{ eventType } as FloorEvent];
    const { entries } = play(room({ options: { turnManifestsMax: 99 } }), from(ann, says(ann, "hello")), {
      [parrot]: always,
      [owl]: always,
    });
    expect(paused(entries)).toHaveLength(1);
  }
});

test("D17: a turn ends for any answers of agents and convener", () => {
  const events: FloorEvent[] = [
    ...["yieldFloor", "acceptInvite", "requestFloor", "getManifests", "publishManifests"].map(
      (eventType) => ({ eventType }) as FloorEvent,
    ),
    ...["grantFloor", "revokeFloor", "uninvite"].flatMap((eventType) =>
      [parrot, owl].map((one) => ({ eventType, ...to(one) }) as FloorEvent),
    ),
    ...[parrot, owl].map(invites),
    says(parrot, "well", { speakerUri: owl }),
    says(owl, "well", { speakerUri: parrot }),
  ];
  const answers = fc.array(fc.constantFrom(...events), { maxLength: 3 });
  const property = fc.property(fc.tuple(answers, answers, answers), fc.boolean(), ([one, two, three], isConvened) => {
    const floor = room(isConvened ? { convener: chair } : {});
    const behaviours = { [parrot]: () => one, [owl]: () => two, [chair]: () => three };
    const { floor: end } = play(floor, from(ann, says(ann, "hello")), behaviours);
    expect(end.open).toEqual([]);
  });
  fc.assert(property, { numRuns: 300 });
});

test("D17: a convener that grants after each yieldFloor is stopped, and may still uninvite", () => {
  const grants: Behaviour = ({ events }) =>
    events.some(({ eventType }) => eventType === "yieldFloor") ? [{ eventType: "grantFloor", ...to(parrot) }] : [];
  const { floor, entries } = play(room({ convener: chair }), from(ann, says(ann, "hello")), {
    [parrot]: () => [{ eventType: "yieldFloor" }],
    [chair]: grants,
  });
  expect(paused(entries)).toHaveLength(1);
  const decision = decide(floor, from(chair, { eventType: "uninvite", ...to(parrot) }), now);
  expect(effective(decision)).toEqual([[chair, "uninvite", "2.2/convener-own"]]);
});

const looped = play(room({ options: { sameTextMax: 99 } }), from(ann, says(ann, "hello")), {
  [parrot]: chatters(parrot),
  [owl]: chatters(owl),
}).floor;

test("D17: in a paused turn agents are refused but may leave; the next utterance of a person resumes them", () => {
  const refusing = decide(looped, from(parrot, says(parrot, "but")), now);
  expect(refused(refusing)).toEqual(["loop/paused"]);
  expect(effective(decide(looped, from(parrot, { eventType: "bye" }), now))).toHaveLength(1);
  const { entries } = play(refusing.floor, from(ann, says(ann, "go on")), { [parrot]: chatters(parrot) });
  expect(entries.map(({ kind }) => kind).slice(0, 2)).toEqual(["resumed", "received"]);
  expect(paused(entries)).toEqual([]);
  expect(entries).toContainEqual(expect.objectContaining({ kind: "event", sender: parrot, depth: 1 }));
});

test("D17: the owner's command resumes, and so does an unasked grantFloor of the convener", () => {
  const resumed = decide(looped, command({ verb: "resume" }, "owner"), now);
  expect(resumed.entries).toMatchObject([{ kind: "resumed", because: "command/resume/owner" }]);
  expect(effective(decide(resumed.floor, from(parrot, says(parrot, "at last")), now))).toHaveLength(1);
  expect(decide(resumed.floor, command({ verb: "resume" }, "owner"), now).entries).toEqual([]);
  expect(kinds(decide(looped, from(ann), now))).toEqual(["received"]);
  // Not by a command: its notice would begin another turn for the convener.
  const because = "command/convener/owner";
  const role = { kind: "role", role: "convener", speakerUri: owl, because } as const;
  const convened = apply(looped, { ...role, seq: looped.seq + 1, at: now, turn: "t1", audience: [] });
  expect(kinds(decide(convened, from(owl, says(owl, "hoo")), now))).toEqual(["received", "refused"]);
  const grants = [{ eventType: "grantFloor" as const, ...to(parrot) }, says(owl, "parrot, please")];
  const decision = decide(convened, from(owl, ...grants), now);
  expect(decision.entries[0]).toMatchObject({ kind: "resumed", because: "loop/convener-resumed" });
});

test("D17: events before the pause are still delivered, and only answers to the person's event are awaited", () => {
  const options = { turnAgentEventsMax: 1 };
  const speaking = decide(room({ options }), from(ann, says(ann, "hello")), now);
  const [atParrot] = speaking.effects.filter((effect) => effect.kind === "deliver");
  const two = answer(atParrot?.delivery, parrot, says(parrot, "one"), says(parrot, "two"));
  const decision = decide(speaking.floor, two, now);
  expect(refused(decision)).toEqual(["loop/agent-events"]);
  const sent = decision.effects.flatMap((effect) => (effect.kind === "deliver" ? effect.events : []));
  expect(sent).toHaveLength(1);
  const [, atOwl] = speaking.effects.filter((effect) => effect.kind === "deliver");
  expect(decision.floor.open.map(({ id }) => id)).toEqual([atOwl?.delivery]);
  expect(decision.effects.some(({ kind }) => kind === "abort")).toBe(false);
});

test("D17: a pause leaves delegations to the convener open", () => {
  const floor = room({ convener: chair, options: { turnAgentEventsMax: 1 } });
  const speaking = decide(floor, from(ann, says(ann, "hello")), now);
  const [atParrot, atOwl] = speaking.effects.filter((effect) => effect.kind === "deliver");
  const asking = decide(speaking.floor, answer(atParrot?.delivery, parrot, { eventType: "requestFloor" }), now);
  const noisy = after(asking.floor, answer(atOwl?.delivery, owl, says(owl, "one"), says(owl, "two")));
  const [delegation] = asking.effects.filter((effect) => effect.kind === "deliver");
  expect(noisy.open.filter(({ isDelegation }) => isDelegation).map(({ id }) => id)).toEqual([delegation?.delivery]);
  expect(after(noisy, { kind: "timer", id: `delegation:${delegation?.delivery}` }).parked).toEqual([]);
});

test("D17: the same limits hold on a floor without people, and options change them", () => {
  const company = { people: [], agents: [parrot, owl] };
  const behaviours = { [parrot]: chatters(parrot), [owl]: chatters(owl) };
  const few = play(room(company), from(parrot, says(parrot, "hello")), behaviours);
  expect(deepest(few.entries)).toBe(16);
  const options = { turnDepthMax: 40, turnAgentEventsMax: 500 };
  expect(deepest(play(room({ ...company, options }), from(parrot, says(parrot, "hi")), behaviours).entries)).toBe(40);
});

test("D17: an unasked event of an agent belongs to the turn that last reached it, one deeper", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const unasked = decide(speaking.floor, from(parrot, says(parrot, "by the way")), now);
  expect(unasked.entries[0]).toMatchObject({ turn: speaking.entries[0]?.turn, depth: 1 });
  const next = decide(unasked.floor, from(owl, says(owl, "hoo")), now);
  expect(next.entries[0]).toMatchObject({ turn: speaking.entries[0]?.turn, depth: 2 });
});

test("D17: an agent that no turn has reached begins its own turn, and the limits hold in it", () => {
  let floor = room();
  for (let count = 0; count < 64; count += 1) floor = after(floor, from(parrot, says(parrot, `news ${count}`)));
  expect(refused(decide(floor, from(parrot, says(parrot, "more news")), now))).toEqual(["loop/agent-events"]);
});

test("D17: the visited floors of a turn are kept in order and sent with each delivery", () => {
  const floors = ["https://one.example", "https://two.example"];
  const before = after(room(), from(owl, says(owl, "hoo")));
  const decision = decide(before, { ...from(ann, says(ann, "from afar")), floors }, now);
  const sent = decision.effects.filter((effect) => effect.kind === "deliver");
  expect(sent.map((effect) => effect.floors)).toEqual([floors, floors]);
  const both = answer(sent[0]?.delivery, parrot, says(parrot, "a"), says(parrot, "b"));
  const answering = decide(decision.floor, both, now);
  expect(answering.effects).toMatchObject([{ kind: "deliver", floors }]);
  expect(answering.floor.turns).toHaveLength(2);
  expect(decide(before, { ...from(ann, says(ann, "here")), floors: [] }, now).effects[0]).not.toHaveProperty("floors");
  const many = Array.from({ length: 20 }, (_, index) => `https://floor${index}.example`);
  const patient = room({ options: { turnDepthMax: 20 } });
  const [first] = decide(patient, { ...from(ann, says(ann, "far")), floors: many }, now).effects;
  expect(first).toMatchObject({ floors: many.slice(4) });
});

test("D17: the depth that other floors report is counted", () => {
  const decision = decide(room(), { ...from(parrot, says(parrot, "from afar")), depth: 16 }, now);
  expect(decision.effects.flatMap((effect) => (effect.kind === "deliver" ? [effect.depth] : []))).toEqual([17]);
  expect(paused(decide(room(), { ...from(parrot, says(parrot, "from afar")), depth: 17 }, now).entries)).toEqual([
    "loop/depth",
  ]);
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const [atParrot] = speaking.effects.filter((effect) => effect.kind === "deliver");
  const far = { ...answer(atParrot?.delivery, parrot, says(parrot, "hi")), depth: 9 };
  expect(decide(speaking.floor, far, now).entries[1]).toMatchObject({ kind: "event", depth: 9 });
});
