// D13': the answer to a whisper is private to its sender, the whisperer.

import { type Replayed, recordingOf, replay } from "@plenary/transcript";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Decision } from "../decision-builder.ts";
import type { Entry } from "../entry.ts";
import { emptyFloor } from "../floor.ts";
import type { Input } from "../input.ts";
import { defaultOptions, type FloorOptions } from "../options.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  command,
  deliveryTo,
  envelopes,
  from,
  identificationOf,
  kinds,
  now,
  owl,
  parrot,
  refused,
  room,
  says,
  seating,
  self,
  to,
  whispers,
} from "../testing/room.ts";

const asks = (to: { serviceUrl: string }) => ({ eventType: "getManifests", to }) as const;
const toParrot = { speakerUri: parrot };

function whispered(options: Partial<FloorOptions> = {}, ...more: Parameters<typeof from>[1][]): Decision {
  const floor = room({ people: [ann, ben], options });
  return decide(floor, from(ann, ...more, whispers(ann, "CANARY", toParrot)), now);
}

function aloud(decision: Decision, addressee?: string): Decision {
  const loud = says(parrot, "CANARY!", addressee === undefined ? undefined : { speakerUri: addressee });
  return decide(decision.floor, answer(deliveryTo(decision, parrot), parrot, loud), now);
}

const spoken = ({ entries }: Decision) => entries.filter(({ kind }) => kind === "event");

test("a public answer to a whisper is visible only to the agent and the whisperer, by its own rule", () => {
  for (const addressee of [undefined, ben, owl, ann]) {
    const decision = aloud(whispered(), addressee);
    const event = { to: { speakerUri: ann, private: true } };
    const expected = { because: "guard/whisper-answer", target: ann, audience: [parrot, ann], deliveries: [], event };
    expect(spoken(decision)).toMatchObject([expected]);
    expect(envelopes(decision)).toEqual([]);
  }
});

test("the received entry keeps the answer as it was sent, visible to its sender", () => {
  const [received] = aloud(whispered()).entries;
  expect(received).toMatchObject({ kind: "received", audience: [parrot], events: [{ eventType: "utterance" }] });
  expect(received?.kind === "received" && received.events[0]?.to).toBeUndefined();
});

test("an answer is private if its delivery contained a whisper, also beside public utterances, in any order", () => {
  const first = whispered({}, says(ann, "for all"));
  expect(spoken(aloud(first))).toMatchObject([{ because: "guard/whisper-answer" }]);
  const floor = room();
  const last = decide(floor, from(ann, whispers(ann, "CANARY", toParrot), says(ann, "for all")), now);
  expect(spoken(aloud(last))).toMatchObject([{ because: "guard/whisper-answer" }]);
  // The delivery to another conversant contained no whisper.
  const other = decide(last.floor, answer(deliveryTo(last, owl), owl, says(owl, "hello")), now);
  expect(spoken(other)[0]?.audience).toContain(parrot);
});

test("a private answer goes to the addressee that it names; events without text stay public", () => {
  const decision = whispered();
  const aside = whispers(parrot, "aside", { speakerUri: ben });
  const answered = decide(
    decision.floor,
    answer(deliveryTo(decision, parrot), parrot, aside, { eventType: "yieldFloor" }),
    now,
  );
  expect(spoken(answered)).toMatchObject([{ target: ben }, { event: { eventType: "yieldFloor" } }]);
  expect(spoken(answered)[0]?.because).not.toBe("guard/whisper-answer");
  expect(spoken(answered)[1]?.audience).toContain(owl);
  expect(spoken(answered)[1]).not.toHaveProperty("event.to");
});

test("the answer to a whisperer who has left is refused and sent to no conversant", () => {
  const decision = whispered();
  const left = after(decision.floor, from(ann, { eventType: "bye" }));
  const answered = decide(left, answer(deliveryTo(decision, parrot), parrot, says(parrot, "CANARY!")), now);
  expect(refused(answered)).toEqual(["1.8/private-addressee"]);
  // This field hides the text from the operator too.
  expect(answered.entries.find(({ kind }) => kind === "refused")).toMatchObject({ whisperer: ann });
  expect(envelopes(answered)).toEqual([]);
});

test("answers stay public if the owner sets `asWritten`, or under the policy `spec`", () => {
  for (const options of [{ whisperAnswers: "asWritten" }, { policy: "spec" }] as const) {
    expect(spoken(aloud(whispered(options)))[0]?.audience).toContain(owl);
  }
});

test("an answer that is parked behind an earlier envelope of its sender stays private", () => {
  const floor = room({ convener: chair });
  const asking = decide(floor, from(parrot, { eventType: "invite", to: { serviceUrl: "https://new.example/" } }), now);
  const whispering = decide(asking.floor, from(ann, whispers(ann, "CANARY", toParrot)), now);
  const waiting = aloud(whispering);
  expect(kinds(waiting)).toEqual(["received", "parked"]);
  const released = decide(waiting.floor, answer(deliveryTo(asking, chair), chair), now);
  const answered = spoken(released).find((entry) => entry.because === "guard/whisper-answer");
  expect(answered?.audience).toEqual([parrot, ann]);
});

test("a convener's answer to a whisper is public in another speaker's name, and private in its own", () => {
  const floor = room({ convener: chair });
  const agreed = decide(floor, from(ann, whispers(ann, "yes", { speakerUri: chair })), now);
  const delivery = deliveryTo(agreed, chair);
  const answered = decide(agreed.floor, answer(delivery, chair, says(owl, "my turn"), says(chair, "CANARY")), now);
  expect(spoken(answered).map(({ audience }) => audience?.includes(parrot))).toEqual([true, false]);
  const masked = decide(whispered().floor, answer(deliveryTo(whispered(), parrot), parrot, says(owl, "CANARY")), now);
  expect(spoken(masked)).toMatchObject([{ because: "guard/whisper-answer" }]);
});

test("an unasked utterance of an agent is not the answer to a whisper", () => {
  const decision = decide(whispered().floor, from(parrot, says(parrot, "hello")), now);
  expect(spoken(decision)[0]?.audience).toContain(owl);
});

test("the answer to a redelivered dead letter stays private", () => {
  const floor = room();
  const revived = { ...from(parrot, says(parrot, "CANARY!")), whisperer: ann };
  const decision = decide(floor, revived, now);
  expect(spoken(decision)).toMatchObject([{ because: "guard/whisper-answer", audience: [parrot, ann] }]);
  expect(decision.entries[0]).toMatchObject({ kind: "received", whisperer: ann });
});

test("the received entry of an outsider's public answer to a whisper names the whisperer", () => {
  const guide = { serviceUrl: "https://guide.example/" };
  const task = whispers(ann, "CANARY", guide);
  for (const events of [
    [task, asks(guide)],
    [asks(guide), task],
    [asks(guide), task, asks(guide)],
  ]) {
    const asking = decide(room(), from(ann, ...events), now);
    const sender = "tag:guide.example,2025:1";
    const answered = decide(
      asking.floor,
      answer(deliveryTo(asking, guide.serviceUrl), sender, says(sender, "CANARY!")),
      now,
    );
    expect(answered.entries).toMatchObject([{ kind: "received", because: "answer/forwarded", whisperer: ann }]);
  }
});

test("the answer is private in a replay too, also if the whisper itself is not replayed", () => {
  const whispering = from(ann, whispers(ann, "CANARY", toParrot));
  const seats = [seating(ben, "person"), seating(parrot, "agent"), seating(owl, "agent")];
  const opening = command({ verb: "open", self, owner: identificationOf(ann), options: defaultOptions });
  const log: Entry[] = [];
  let floor = emptyFloor("conv:1");
  const take = (input: Input) => {
    const decision = decide(floor, input, now);
    floor = decision.floor;
    log.push(...decision.entries);
    return decision;
  };
  for (const input of [opening, ...seats]) take(input);
  take(answer(deliveryTo(take(whispering), parrot), parrot, says(parrot, "CANARY!")));
  const recording = recordingOf("conv:1", log);
  expect(recording.inputs.at(-1)).toMatchObject({ kind: "answer", whisperer: ann });
  for (const inputs of [recording.inputs, recording.inputs.filter(({ kind }) => kind !== "envelope")]) {
    const again = replay({ ...recording, inputs }, { convener: "recorded", options: {} }).next().value as Replayed;
    expect(again.entries.at(-1)).toMatchObject({ because: "guard/whisper-answer", audience: [parrot, ann] });
  }
});

test("an answer to a whisper without the floor is refused by the rule of the floor", () => {
  const both = [whispers(ann, "psst", { speakerUri: parrot }), { eventType: "revokeFloor" as const, ...to(parrot) }];
  const asking = decide(room(), from(ann, ...both), now);
  const decision = decide(asking.floor, answer(deliveryTo(asking, parrot), parrot, says(parrot, "yes")), now);
  expect(refused(decision)).toEqual(["2.2/utterance/not-granted/no-convener"]);
});
