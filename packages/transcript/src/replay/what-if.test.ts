import { ann, ben, chair, command, from, parrot, says, seating, to, urlOf } from "@plenary/floor/testing/room";
import { expect, test } from "vitest";
import { answered, chaired, newChair, type Reply, recorder, run, saying } from "../testing/recorder.ts";
import type { Difference } from "./compare.ts";
import type { Replayed } from "./what-if.ts";

const fates = (differences: readonly Difference[]) =>
  differences.flatMap((one) => (one.kind === "utterance" ? [[one.speakerUri, one.was, one.would, one.because]] : []));

const events = ({ entries }: Replayed) =>
  entries.flatMap((one) => (one.kind === "event" ? [[one.event.eventType, one.target, one.because]] : []));

test("a recorded answer to a delivery that the replay does not send counts as unasked", () => {
  const { log, happen } = recorder();
  happen(from(ben, { eventType: "yieldFloor" }));
  happen(from(ben, { eventType: "requestFloor" }));
  const delivery = happen(from(ben, says(ben, "hello")));
  happen(answered(delivery(parrot), parrot, says(parrot, "hello")));
  const { replayed, differences } = run(
    log,
    newChair,
    chaired(() => saying()),
  );
  expect(replayed).toMatchObject({ unasked: 1, impossible: [], convener: chair });
  expect(fates(differences)).toEqual([[ben, "heard", "refused", "2.2/convener-dropped"]]);
});

test("an utterance that a convener holds back and sends later is heard then, as its speaker's utterance", () => {
  const { log, happen } = recorder();
  happen(from(ben, { eventType: "yieldFloor" }));
  const said = says(ben, "hello");
  happen(from(ben, said));
  happen(from(ann, says(ann, "and now to something else")), 20);
  const reply = chaired(
    ({ effect, at }) => (effect.isDelegation ? { ...saying(), wakeAtMs: Date.parse(at) + 5_000 } : saying()),
    () => saying(said),
  );
  const { differences } = run(log, newChair, reply);
  expect(fates(differences)).toEqual([[ben, "refused", "heard", "2.2/convener-own"]]);
  expect(differences).toContainEqual({
    kind: "floor",
    speakerUri: ben,
    was: expect.objectContaining({ heard: 0, refused: 1 }),
    would: expect.objectContaining({ heard: 1 }),
  });
});

test("an input that is impossible in the replay is counted with the rule that refuses it", () => {
  const { log, happen } = recorder();
  const invited = happen(from(ann, { eventType: "invite", to: { serviceUrl: "https://owl.example/" } }));
  happen(answered(invited("https://owl.example/"), "tag:owl.example,2025:1", says(parrot, "hoo")));
  const { replayed, differences } = run(
    log,
    newChair,
    chaired(() => saying()),
  );
  const because = "guard/not-seated";
  expect(replayed.impossible).toEqual([
    { seq: expect.any(Number), sender: "tag:owl.example,2025:1", eventTypes: ["utterance"], because },
  ]);
  expect(fates(differences)).toEqual([["tag:owl.example,2025:1", "heard", "unsaid", undefined]]);
  expect(differences).toContainEqual(expect.objectContaining({ kind: "seat", eventType: "invite", only: "recorded" }));
});

test("a request that the new convener holds is answered by the floor at its deadline", () => {
  const { log, happen } = recorder();
  happen(from(ben, { eventType: "yieldFloor" }));
  happen(from(ben, { eventType: "requestFloor" }));
  happen(from(ann, says(ann, "much later")), 90);
  const { replayed, differences } = run(
    log,
    newChair,
    chaired(() => saying()),
  );
  expect(events(replayed)).toContainEqual(["revokeFloor", ben, "2.2/requestFloor/timed-out"]);
  const timedOut = replayed.entries.find(({ because }) => because === "2.2/requestFloor/timed-out");
  expect(timedOut?.at).toBe("2025-05-02T09:01:05.000Z");
  expect(differences).toContainEqual({
    kind: "floor",
    speakerUri: ben,
    was: expect.objectContaining({ waitedMs: 0 }),
    would: expect.objectContaining({ waitedMs: 60_000, waits: 1 }),
  });
});

test("the new convener is called at the time that it asked for, before later recorded inputs", () => {
  const { log, happen } = recorder();
  happen(from(ben, { eventType: "yieldFloor" }));
  happen(from(ben, { eventType: "requestFloor" }));
  happen(from(ben, says(ben, "at last")), 20);
  const times: string[] = [];
  const reply = chaired(
    ({ effect, at }) => (effect.isDelegation ? { ...saying(), wakeAtMs: Date.parse(at) + 5_000 } : saying()),
    ({ at }) => {
      times.push(at);
      return saying({ eventType: "grantFloor", ...to(ben) });
    },
  );
  const { differences } = run(log, newChair, reply);
  expect(times).toEqual(["2025-05-02T09:00:10.000Z"]);
  expect(fates(differences)).toEqual([]);
});

test("a recorded answer of the convener is left out if the replay does not delegate its event", () => {
  const { log, happen } = recorder();
  happen(seating(chair, "agent"));
  const given = happen(command({ verb: "convener", serviceUrl: urlOf(chair) }));
  happen(answered(given(chair), chair));
  happen(from(ben, { eventType: "yieldFloor" }));
  const said = says(ben, "hello");
  const delegated = happen(from(ben, said));
  happen(answered(delegated(chair), chair, said));
  expect(run(log, { convener: "recorded", options: {} })).toMatchObject({ differences: [], replayed: { moot: 0 } });
  const { replayed, differences } = run(log, { convener: "recorded", options: { floorEnforcement: "advisory" } });
  expect(replayed).toMatchObject({ moot: 1, unasked: 0 });
  expect(differences).toContainEqual(expect.objectContaining({ was: "heard", would: "heard", laterMs: -1_000 }));
  const stripped = run(log, { convener: "none", options: {} });
  expect(stripped.replayed).toMatchObject({ leftOut: 3 });
  expect(fates(stripped.differences)).toEqual([[ben, "heard", "refused", "2.2/utterance/not-granted/no-convener"]]);
});

test("a replay keeps a deadline that fired late, and one that had not fired yet", () => {
  const { log, happen } = recorder();
  happen(seating(chair, "agent"));
  const given = happen(command({ verb: "convener", serviceUrl: urlOf(chair) }));
  happen(answered(given(chair), chair));
  const holds = () => {
    happen(from(ben, { eventType: "yieldFloor" }));
    const request = happen(from(ben, { eventType: "requestFloor" }));
    happen(answered(request(chair), chair), 0);
    return log.findLast(({ kind }) => kind === "held")?.seq;
  };
  const held = holds();
  happen(from(ann, says(ann, "in between")), 60.2);
  happen(from(ann, says(ann, "on a floor that has much to do")), 1.5);
  happen({ kind: "timer", id: `held:${held}` }, 0.2);
  holds();
  happen(from(chair, { eventType: "grantFloor", ...to(ben) }), 60.3);
  happen(from(ben, says(ben, "at last")));
  const { replayed, differences } = run(log, { convener: "recorded", options: {} });
  expect(replayed.entries).toEqual(log);
  expect(differences).toEqual([]);
});

test("events that the recorded convener was not asked about are decided without it, and it keeps its role", () => {
  const { log, happen } = recorder();
  happen(seating(chair, "agent"));
  const given = happen(command({ verb: "convener", serviceUrl: urlOf(chair) }));
  happen(answered(given(chair), chair));
  happen(from(ben, { eventType: "yieldFloor" }));
  const request = happen(from(ben, { eventType: "requestFloor" }));
  happen({ kind: "answer", delivery: request(chair), failure: "timeout" });
  happen(from(ben, { eventType: "yieldFloor" }));
  for (const text of ["one", "two", "three"]) happen(from(ben, says(ben, text, { speakerUri: ann, private: true })));
  const { replayed, differences } = run(log, { convener: "recorded", options: { policy: "spec" } });
  expect(replayed).toMatchObject({ undecided: 3, floor: { roles: { convener: [chair] } } });
  expect(differences.filter(({ kind }) => kind === "lapse")).toEqual([]);
});

test("the new convener gets only deliveries to its address, and each call is counted", () => {
  const { log, happen } = recorder();
  happen(from(ben, says(ben, "hello")));
  happen(from(ann, says(ann, "and hello")));
  happen(from(ann, { eventType: "getManifests", to: { serviceUrl: urlOf(chair) } }));
  const heard: string[] = [];
  const replies = [saying({ eventType: "acceptInvite" }), saying(), {}, saying({ eventType: "bye" })];
  const { replayed } = run(log, newChair, (call) => {
    const { to, events } = call.kind === "deliver" ? call.effect : { to: undefined, events: [] };
    heard.push([to?.serviceUrl, ...events.map(({ eventType }) => eventType)].join(" "));
    return replies[heard.length - 1] ?? {};
  });
  // It has left, so getManifests to its address is forwarded.
  expect(replayed.entries.at(-1)?.kind).toBe("forwarded");
  expect(heard).toEqual(["invite", "grantFloor", "utterance", "utterance"].map((type) => `${urlOf(chair)} ${type}`));
  expect(replayed).toMatchObject({ asked: 4, unanswered: 1, convener: chair });
});

test("a convener that always asks for a wake-up is called a limited number of times", () => {
  const { log, happen } = recorder();
  happen(from(ann, says(ann, "a minute later")), 60);
  let calls = 0;
  const again: Reply = ({ at }) => {
    calls += 1;
    return { ...saying(), wakeAtMs: Date.parse(at) };
  };
  const { replayed } = run(log, newChair, (call) => {
    return call.kind === "deliver" && call.effect.isInvite ? saying({ eventType: "acceptInvite" }) : again(call);
  });
  expect(replayed).toMatchObject({ asked: 50_000, unanswered: 1 });
  expect(calls).toBe(49_999);
});

test("a convener that asks for a wake-up at the time of the next input is called before that input", () => {
  const { log, happen } = recorder();
  happen(from(ben, { eventType: "yieldFloor" }));
  happen(from(ben, { eventType: "requestFloor" }));
  happen(from(ben, says(ben, "at last")), 5);
  const reply = chaired(
    ({ effect, at }) => (effect.isDelegation ? { ...saying(), wakeAtMs: Date.parse(at) + 5_000 } : saying()),
    () => saying({ eventType: "grantFloor", ...to(ben) }),
  );
  expect(fates(run(log, newChair, reply).differences)).toEqual([]);
});

test("of two requests that the new convener holds, the one with the earlier deadline is answered first", () => {
  const { log, happen } = recorder();
  happen(seating(chair, "agent"));
  const given = happen(command({ verb: "convener", serviceUrl: urlOf(chair) }));
  happen(answered(given(chair), chair));
  for (const one of [ann, ben]) happen(from(one, { eventType: "yieldFloor" }));
  const first = happen(from(ben, { eventType: "requestFloor" }));
  // The recorded convener holds this request, and its timer fires late.
  happen(answered(first(chair), chair), 0);
  const second = happen(from(ann, { eventType: "requestFloor" }), 0.5);
  happen(answered(second(chair), chair, { eventType: "grantFloor", ...to(ann) }), 0);
  happen(from(ann, says(ann, "much later")), 90);
  const { replayed } = run(
    log,
    newChair,
    chaired(() => saying()),
  );
  const timedOut = replayed.entries.filter(({ because }) => because === "2.2/requestFloor/timed-out");
  expect(timedOut.map((entry) => [entry.at, entry.kind === "event" && entry.target])).toEqual([
    ["2025-05-02T09:01:09.500Z", ann],
    ["2025-05-02T09:01:10.000Z", ben],
  ]);
});
