// Rules R1 to R8 of docs/convener.md.
import { bye, grantFloor, invite, requestFloor, yieldFloor } from "@plenary/protocol";
import { expect, test } from "vitest";
import { ann, ben, type Cast, ConvenedFloor, cleo, owl, parrot, says, urlOf } from "../testing/convened-floor.ts";
import { type RoundRobinOptions, roundRobinPolicy } from "./round-robin.ts";

const circle = (company: Cast = {}, options: RoundRobinOptions = {}) =>
  new ConvenedFloor(roundRobinPolicy(options), company);

test("R1, C11: the first to join begins, and the owner is not in the order", () => {
  expect(circle().speakers).toEqual(["ben"]);
});

test("R1, C8: a newcomer joins at the end of the order", () => {
  const floor = circle();
  floor.send(ben, invite({ to: { speakerUri: parrot, serviceUrl: urlOf(parrot) } }));
  expect(floor.speakers).toEqual(["ben"]);
  const order = [ben, cleo, owl, parrot].map((one) => floor.send(one, yieldFloor()).at(-1));
  expect(order).toEqual(["cleo", "owl", "parrot", "ben"].map((name) => `chair: grantFloor ${name}`));
});

test("R2: a turn ends by one utterance", () => {
  const floor = circle();
  expect(floor.send(ben, says(ben, "one"))).toEqual([
    'ben: utterance "one"',
    "chair: revokeFloor ben",
    "chair: grantFloor cleo",
  ]);
});

test("R2: a turn may have more utterances", () => {
  const floor = circle({}, { utterancesPerTurn: 2 });
  floor.send(ben, says(ben, "one"));
  expect(floor.speakers).toEqual(["ben"]);
  floor.send(ben, says(ben, "two"));
  expect(floor.speakers).toEqual(["cleo"]);
});

test("R3, C14: a turn ends after a minute, which restarts when the owner speaks", () => {
  const floor = circle();
  floor.pass(59_000);
  floor.send(ann, says(ann, "what do you think?"));
  expect(floor.pass(59_000)).toEqual([]);
  expect(floor.pass(1_000)).toEqual(["chair: revokeFloor ben @timedOut", "chair: grantFloor cleo"]);
});

test("R4: after a round of silence the convener waits for an utterance", () => {
  const floor = circle();
  const events = floor.pass(3_600_000);
  expect(events.filter((one) => one.includes("grantFloor"))).toHaveLength(3);
  expect(events).toHaveLength(6);
  const [speaker] = floor.speakers;
  expect(floor.send(ann, yieldFloor())).toEqual(["ann: yieldFloor"]);
  floor.send(ann, says(ann, "anybody?"));
  expect(floor.speakers).toEqual([speaker]);
  expect(floor.pass(60_000)).toHaveLength(2);
});

test("R4: after a round of silence a request starts the turns again", () => {
  const floor = circle();
  floor.pass(3_600_000);
  expect(floor.speakers).toEqual(["ben"]);
  expect(floor.send(owl, requestFloor())).toContain("chair: grantFloor cleo");
  expect(floor.pass(60_000)).toContain("chair: grantFloor owl");
});

test("R7: when all held utterances were delivered, the first speaker is next", () => {
  const floor = circle();
  for (const one of [cleo, owl]) floor.send(one, says(one, "me too"));
  // Ben, whose turn it is, owns the conversation now, and is not in the circle any more.
  floor.send(ann, bye());
  expect(floor.since(0).slice(-3)).toEqual([
    'chair: utterance of cleo "me too"',
    'chair: utterance of owl "me too"',
    "chair: grantFloor cleo",
  ]);
});

test("R5, C10: a conversant who left is skipped", () => {
  const floor = circle();
  floor.send(cleo, bye());
  expect(floor.send(ben, bye())).toEqual(["ben: bye ben", "chair: grantFloor owl"]);
});

test("R5: a single speaker keeps the floor", () => {
  const floor = circle({ people: [ann], agents: [owl] });
  floor.send(owl, says(owl, "one"));
  floor.send(owl, says(owl, "two"));
  expect(floor.pass(3_600_000)).toEqual([]);
  expect(floor.convenerEvents).toEqual([]);
});

test("R6: a request out of turn is answered with the position", () => {
  const floor = circle();
  expect(floor.send(owl, requestFloor())).toEqual(["chair: revokeFloor owl"]);
  expect(floor.send(cleo, requestFloor())).toEqual([
    'chair: whisper cleo "Everyone speaks in turn; you are number 1."',
  ]);
  expect(floor.send(ben, requestFloor())).toEqual(["chair: grantFloor ben"]);
});

test("R7, C9: held utterances are delivered in turn and count as the turn", () => {
  const floor = circle();
  floor.send(cleo, says(cleo, "me too"));
  expect(floor.send(ben, yieldFloor())).toEqual([
    "ben: yieldFloor",
    'chair: utterance of cleo "me too"',
    "chair: grantFloor owl",
  ]);
});

test("R8, C6: the owner gives the turn to any speaker, and the order continues from there", () => {
  const floor = circle();
  expect(floor.send(ann, grantFloor({ to: { speakerUri: owl } }))).toEqual([
    "chair: revokeFloor ben @override",
    "ann: grantFloor owl",
  ]);
  expect(floor.send(owl, yieldFloor()).at(-1)).toBe("chair: grantFloor ben");
});
