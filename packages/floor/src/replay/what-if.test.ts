import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Entry } from "../entry.ts";
import { defaultOptions, emptyFloor, type Floor, type FloorOptions } from "../floor.ts";
import type { Input } from "../input.ts";
import {
  ann,
  ben,
  chair,
  command,
  from,
  identificationOf,
  parrot,
  says,
  seating,
  self,
  to,
  urlOf,
} from "../testing/room.ts";
import { compare, type Difference } from "./compare.ts";
import { recordingOf } from "./recording.ts";
import { replay } from "./replay.ts";
import type { ConvenerCall, ConvenerReply, Replayed, WhatIf } from "./what-if.ts";

/** A conversation that is written as it goes; each input comes so many seconds after the one before. */
function recorder(options: Partial<FloorOptions> = {}) {
  let floor: Floor = emptyFloor("conv:1");
  let nowMs = Date.parse("2025-05-02T09:00:00.000Z");
  const log: Entry[] = [];
  const happen = (input: Input, afterSeconds = 1) => {
    nowMs += afterSeconds * 1_000;
    const decision = decide(floor, input, new Date(nowMs).toISOString());
    floor = decision.floor;
    log.push(...decision.entries);
    const letters = decision.effects.filter((effect) => effect.kind === "deliver");
    return (speakerUri: string) => letters.find((one) => one.to.speakerUri === speakerUri)?.delivery ?? "";
  };
  const about = { self, owner: identificationOf(ann), options: { ...defaultOptions, ...options } };
  happen(command({ verb: "open", ...about }));
  happen(seating(ben, "person"));
  happen(seating(parrot, "agent"));
  return { log, happen };
}

const answered = (delivery: string, speakerUri: string, ...events: FloorEvent[]): Input => {
  return { kind: "answer", delivery, envelope: from(speakerUri, ...events).envelope };
};

type Reply = (call: ConvenerCall) => ConvenerReply;

function run(log: readonly Entry[], whatIf: WhatIf, reply: Reply = () => ({})) {
  const recording = recordingOf("conv:1", log);
  const replaying = replay(recording, whatIf);
  let next = replaying.next();
  while (next.done !== true) next = replaying.next(reply(next.value));
  const was = { entries: log, stepOfEntry: recording.stepOfEntry };
  const { differences } = compare(was, next.value, recording, new Set([chair, urlOf(chair)]));
  return { replayed: next.value, differences };
}

const saying = (...events: FloorEvent[]): ConvenerReply => ({ envelope: from(chair, ...events).envelope });

/** Takes the chair, then does as told. */
const chaired =
  (rule: (call: ConvenerCall & { kind: "deliver" }) => ConvenerReply, onTime: Reply = () => ({})): Reply =>
  (call) => {
    if (call.kind === "time") return onTime(call);
    return call.effect.isInvite ? saying({ eventType: "acceptInvite" }) : rule(call);
  };

const newChair: WhatIf = { convener: { serviceUrl: urlOf(chair) }, options: {} };

const fates = (differences: readonly Difference[]) =>
  differences.flatMap((one) => (one.kind === "utterance" ? [[one.speakerUri, one.was, one.would, one.because]] : []));

const events = ({ entries }: Replayed) =>
  entries.flatMap((one) => (one.kind === "event" ? [[one.event.eventType, one.target, one.because]] : []));

test("an agent's answer to what would not have been sent is taken as said unasked", () => {
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

test("what a convener keeps and says later is heard then, and is its speaker's", () => {
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
    ...{ kind: "floor", speakerUri: ben },
    was: expect.objectContaining({ heard: 0, refused: 1 }),
    would: expect.objectContaining({ heard: 1 }),
  });
});

test("what nobody could have sent there is counted with the rule that refuses it", () => {
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

test("a request that the new convener holds is answered by the floor when its time has come", () => {
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
    ...{ kind: "floor", speakerUri: ben },
    was: expect.objectContaining({ waitedMs: 0 }),
    would: expect.objectContaining({ waitedMs: 60_000, waits: 1 }),
  });
});

test("the new convener is woken at the time it wished, before what was recorded after it", () => {
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

test("what the recorded convener decided on what it would not have been asked is left out", () => {
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

test("a deadline that rang late, or was just missed, is as it was", () => {
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

test("what the recorded convener was never asked is decided as if it had not answered, and it keeps its role", () => {
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
