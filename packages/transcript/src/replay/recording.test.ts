// The inputs that are read from a log, and their replay, which gives the same log.

import type { Entry } from "@plenary/floor";
import { ann, ben, chair, command, from, owl, parrot, says, seating, urlOf } from "@plenary/floor/testing/room";
import { expect, test } from "vitest";
import { answered, recorder, run } from "../testing/recorder.ts";
import { recordingOf } from "./recording.ts";
import type { WhatIf } from "./what-if.ts";

const unchanged: WhatIf = { convener: "recorded", options: {} };
const withoutConvener: WhatIf = { convener: "none", options: {} };

const recorded = (log: readonly Entry[]) => recordingOf("conv:1", log);

test("a replay gives the same reasons for a removal and a close", () => {
  const { log, happen } = recorder();
  happen(command({ verb: "remove", speakerUri: parrot, reason: "too loud" }));
  happen(seating(owl, "agent"));
  happen(command({ verb: "remove", speakerUri: ben }));
  happen(command({ verb: "close", reason: "it is late" }));
  expect(log.filter((entry) => JSON.stringify(entry).includes("too loud"))).not.toEqual([]);
  expect(log.filter((entry) => JSON.stringify(entry).includes("it is late"))).not.toEqual([]);
  expect(run(log, unchanged).replayed.entries).toEqual(log);
});

test("the entries `renamed` and `received` of an answer to an invite belong to the same step", () => {
  const { log, happen } = recorder();
  const invited = happen(from(ann, { eventType: "invite", to: { serviceUrl: urlOf(owl) } }));
  happen(answered(invited(urlOf(owl)), owl, { eventType: "acceptInvite" }));
  const at = log.findIndex(({ kind }) => kind === "renamed");
  expect(log[at + 1]?.kind).toBe("received");
  const { stepOfEntry, inputs } = recorded(log);
  expect(inputs.map(({ kind }) => kind)).toEqual(["command", "command", "command", "envelope", "answer"]);
  expect([stepOfEntry[at], stepOfEntry[at + 1]]).toEqual([4, 4]);
  expect(run(log, unchanged).replayed.stepOfEntry).toEqual(stepOfEntry);
});

test("an agent that is invited as convener counts as convener from its first answer", () => {
  const { log, happen } = recorder({ convener: urlOf(chair) });
  const [invite] = log.flatMap((entry) => (entry.kind === "event" ? entry.deliveries : []));
  happen(answered(invite?.id ?? "", chair, { eventType: "acceptInvite" }));
  happen(from(chair, says(chair, "welcome")));
  happen(from(ann, says(ann, "hello")));
  const { inputs, conveners } = recorded(log);
  expect(inputs.map(({ kind, isConveners, sender }) => [kind, isConveners, sender]).slice(3)).toEqual([
    ["answer", true, chair],
    ["envelope", true, chair],
    ["envelope", false, ann],
  ]);
  expect([...conveners]).toContain(chair);
  const { leftOut, floor } = run(log, withoutConvener).replayed;
  expect(leftOut).toBe(2);
  expect(floor.conversants.map(({ identification }) => identification.speakerUri)).toEqual([ann, ben, parrot]);
});

test("an answer to a command still counts as its answer if earlier inputs are left out", () => {
  const { log, happen } = recorder();
  happen(seating(chair, "agent"));
  const given = happen(command({ verb: "convener", serviceUrl: urlOf(chair) }));
  happen(answered(given(chair), chair));
  happen(from(chair, says(chair, "welcome")));
  const removed = happen(command({ verb: "remove", speakerUri: ben }));
  happen(answered(removed(parrot), parrot, says(parrot, "bye")));
  const { replayed } = run(log, withoutConvener);
  expect(replayed).toMatchObject({ leftOut: 3, unasked: 0, impossible: [] });
});
