import { type FloorEvent, isSameUri, textUtterance } from "@plenary/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FloorView, PolicyInput, Ruling } from "../policy.ts";
import { queuePolicy } from "../queue-policy.ts";
import { afterFailure, type Backoff, createLlmPolicy, type LlmPolicyState, mayAsk, noBackoff } from "./policy.ts";
import { type RefusalReason, refusalText } from "./prompt.ts";

const ann = "tag:x,2026:ann";
const bob = "tag:x,2026:bob";
const cid = "tag:x,2026:cid";
const bot = "tag:x,2026:bot";
const self = "tag:x,2026:chair";
const policy = createLlmPolicy(queuePolicy());

/** `choice` may be the name of a speaker. */
type Advice = { choice: string; why?: RefusalReason };

/** A floor that does what its convener says, and nothing else. */
function openFloor() {
  let state: LlmPolicyState = policy.newState();
  let granted: readonly string[] = [];
  let nowMs = 0;
  const view = (): FloorView => {
    const conversants = [ann, bob, cid, bot].map((speakerUri) => ({
      speakerUri,
      name: "",
      isPerson: speakerUri !== bot,
    }));
    return { self, conversants, granted, owner: ann, nowMs };
  };
  const obey = ({ state: next, events }: Ruling<LlmPolicyState>): readonly FloorEvent[] => {
    state = next;
    for (const { eventType, to } of events) {
      const others = granted.filter((one) => !isSameUri(one, to?.speakerUri ?? ""));
      if (eventType === "grantFloor") granted = [...others, to?.speakerUri ?? ""];
      // Who is sent away loses it too; it may be back at once.
      if (eventType === "revokeFloor" || eventType === "uninvite") granted = others;
    }
    return events;
  };
  const rule = (input: PolicyInput, advice?: Advice) => {
    nowMs += 1_000;
    const question = policy.questionFor(state, input, view());
    if (question === undefined || advice === undefined) return obey(policy.rule(state, input, view()));
    const { choice, why = "notNow" } = advice;
    const given = { question, choice: { choice, why }, speakerUri: choice.startsWith("tag:") ? choice : undefined };
    return obey(policy.ruleWith(given, state, input, view()));
  };
  return {
    granted: () => granted,
    waiting: () => state.queue.waiting.map(({ speakerUri }) => speakerUri),
    rule,
    wish: (input: PolicyInput) => policy.questionFor(state, input, view())?.kind,
    ask: (sender: string, event: FloorEvent, advice?: Advice) => rule({ kind: "delegated", event, sender }, advice),
    /** By a way that the convener is not asked about. */
    joins: (speakerUri: string) => {
      granted = [...granted, speakerUri];
    },
    yields: (sender: string, advice?: Advice) => {
      granted = granted.filter((one) => one !== sender);
      return rule({ kind: "observed", event: { eventType: "yieldFloor" }, sender }, advice);
    },
  };
}

const request: FloorEvent = { eventType: "requestFloor" };
const approve = { choice: "approve" };
const refuse = { choice: "refuse" };

let minted = 0;

function words(speakerUri: string): FloorEvent {
  minted += 1;
  return textUtterance("hm", { speakerUri, id: `de:${minted}`, startTime: "2026-01-31T10:05:00Z" });
}

function typesOf(events: readonly FloorEvent[]): string[] {
  return events.map(({ eventType }) => eventType);
}

test("an approved request gets its turn; a refused one gets one of our reasons", () => {
  const floor = openFloor();
  expect(floor.ask(bob, request, { choice: "refuse", why: "offTopic" })).toEqual([
    { eventType: "revokeFloor", to: { speakerUri: bob }, reason: refusalText("offTopic") },
  ]);
  floor.ask(bob, request, approve);
  floor.ask(cid, request, approve);
  expect(floor.granted()).toEqual([bob]);
  expect(floor.waiting()).toEqual([cid]);
});

test("after two refusals in a row the rules decide", () => {
  const floor = openFloor();
  floor.ask(bob, request, refuse);
  floor.ask(bob, request, refuse);
  expect(floor.wish({ kind: "delegated", event: request, sender: bob })).toBeUndefined();
  floor.ask(bob, request, refuse);
  expect(floor.granted()).toEqual([bob]);
});

test("a waiting speaker who asks again keeps its position, without a question to the model", () => {
  const floor = openFloor();
  for (const one of [bob, cid]) floor.ask(one, request, approve);
  floor.ask(cid, request, refuse);
  expect(floor.waiting()).toEqual([cid]);
});

test("C12: a speaker without a request loses the floor also in a ruling with advice", () => {
  const floor = openFloor();
  floor.joins(bot);
  expect(floor.ask(cid, request, refuse)).toHaveLength(2);
  expect(floor.granted()).toEqual([]);
});

test("the chosen speaker is next, and no speaker is passed over more than twice", () => {
  const floor = openFloor();
  for (const one of [bob, cid, bot]) floor.ask(one, request, approve);
  floor.yields(bob, { choice: bot });
  expect(floor.granted()).toEqual([bot]);
  floor.ask(bob, request, approve);
  floor.yields(bot, { choice: bob });
  floor.ask(bot, request, approve);
  expect(floor.waiting()).toEqual([cid, bot]);
  floor.yields(bob, { choice: bot });
  expect(floor.granted()).toEqual([cid]);
});

test("a waiting owner is next, without a question to the model", () => {
  const floor = openFloor();
  for (const one of [bob, cid, ann]) floor.ask(one, request, approve);
  expect(floor.wish({ kind: "observed", event: { eventType: "yieldFloor" }, sender: bob })).toBeUndefined();
});

test("utterances without the floor are let through, held or refused", () => {
  const floor = openFloor();
  floor.ask(bob, request);
  const said = words(cid);
  expect(floor.ask(cid, said, approve)).toEqual([said]);
  expect(typesOf(floor.ask(cid, words(cid), refuse))).toEqual(["revokeFloor"]);
  const held = words(cid);
  floor.ask(cid, held, { choice: "hold" });
  expect(floor.waiting()).toEqual([cid]);
  expect(floor.yields(bob)).toContainEqual(held);
});

test("a speaker is interrupted at most twice", () => {
  const floor = openFloor();
  floor.ask(bob, request);
  for (const _ of [1, 2]) expect(typesOf(floor.ask(bot, words(bot), approve))).toEqual(["utterance"]);
  expect(floor.ask(bot, words(bot), approve)).toEqual([]);
  expect(floor.waiting()).toEqual([bot]);
});

test("an approved invite follows the rules, a refused one is dropped", () => {
  const floor = openFloor();
  const invite: FloorEvent = { eventType: "invite", to: { serviceUrl: "http://127.0.0.1:1/new" } };
  expect(floor.ask(bob, invite, approve)).toEqual(openFloor().ask(bob, invite));
  expect(floor.ask(bob, invite, refuse)).toEqual([]);
});

test("no choice of the model uninvites a person for another conversant; an agent may be uninvited", () => {
  const floor = openFloor();
  const uninvite = (speakerUri: string): FloorEvent => ({ eventType: "uninvite", to: { speakerUri } });
  expect(floor.wish({ kind: "delegated", event: uninvite(cid), sender: bob })).toBeUndefined();
  expect(floor.ask(bob, uninvite(cid), approve)).toEqual([]);
  expect(floor.ask(bob, uninvite(ann), approve)).toEqual([]);
  expect(floor.ask(bob, uninvite(bot), refuse)).toEqual([]);
  expect(floor.ask(bob, uninvite(bot), approve)).toEqual([uninvite(bot)]);
});

test("outdated advice is ignored", () => {
  const state = policy.newState();
  const view: FloorView = {
    self,
    conversants: [{ speakerUri: bob, name: "", isPerson: true }],
    granted: [bob],
    nowMs: 0,
  };
  const input: PolicyInput = { kind: "delegated", event: request, sender: bob };
  const question = { kind: "floor", event: { eventType: "requestFloor" }, about: bob, sender: bob } as const;
  const { events } = policy.ruleWith({ question, choice: { choice: "refuse", why: "rude" } }, state, input, view);
  expect(events).toEqual(policy.rule(state, input, view).events);
});

const speaker = fc.constantFrom(ann, bob, cid, bot);
const advice = fc.record({ choice: fc.constantFrom("approve", "hold", "refuse", bob, cid, bot, self, "remove") });
const outcome = fc.oneof(
  fc.constant("request" as const),
  fc.constant("speak" as const),
  fc.constant("yield" as const),
  fc.constant("expel" as const),
);

test("for any choices of the model: one speaker at a time, and the owner is neither silenced nor uninvited", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(speaker, outcome, speaker, advice), { maxLength: 60 }), (history) => {
      const floor = openFloor();
      for (const [who, what, target, chosen] of history) {
        const events =
          what === "yield"
            ? floor.yields(who, chosen)
            : floor.ask(who, { request, speak: words(who), expel: uninvited(target) }[what], chosen);
        const against = events.filter(({ eventType }) => ["revokeFloor", "uninvite"].includes(eventType));
        const byOwner = who === ann && what === "expel";
        if (!byOwner) expect(against.map(({ to }) => to?.speakerUri)).not.toContain(ann);
        expect(floor.granted().filter((one) => one !== ann).length).toBeLessThanOrEqual(1);
        expect(floor.granted()).not.toContain(self);
      }
    }),
  );
});

function uninvited(speakerUri: string): FloorEvent {
  return { eventType: "uninvite", to: { speakerUri } };
}

test("for any choices of the model: a speaker has the floor after three requests and one turn of each other speaker", () => {
  fc.assert(
    fc.property(fc.array(advice, { minLength: 40, maxLength: 40 }), (all) => {
      const floor = openFloor();
      const chosen = () => all.shift() ?? refuse;
      for (const one of [bot, cid]) floor.ask(one, request);
      for (let turn = 0; turn < 8 && !floor.granted().includes(bob); turn += 1) {
        if (!floor.waiting().includes(bob)) floor.ask(bob, request, chosen());
        const [holder = bot] = floor.granted();
        floor.yields(holder, chosen());
        // Those who had it ask again at once.
        floor.ask(holder, request, approve);
      }
      expect(floor.granted()).toEqual([bob]);
    }),
  );
});

function failing(times: number, nowMs = 0): Backoff {
  let patience = noBackoff;
  for (let count = 0; count < times; count += 1) patience = afterFailure(patience, nowMs);
  return patience;
}

test("a model that failed once or twice is asked again at once", () => {
  expect([failing(0), failing(1), failing(2)].map((patience) => mayAsk(patience, 0))).toEqual([true, true, true]);
});

test("after three failures in a row the model rests, twice as long for each further one, up to a limit", () => {
  const rests = [3, 4, 5, 100].map((times) => failing(times).untilMs);
  expect(rests).toEqual([5_000, 10_000, 20_000, 120_000]);
  expect([mayAsk(failing(3), 4_999), mayAsk(failing(3), 5_000)]).toEqual([false, true]);
});

test("a retry time of the endpoint counts from the first failure, up to a limit", () => {
  expect(afterFailure(noBackoff, 1_000, 30_000).untilMs).toBe(31_000);
  expect(afterFailure(noBackoff, 1_000, Number.POSITIVE_INFINITY).untilMs).toBe(121_000);
});
