// Rules Q1 to Q11 and S1, S2 of docs/convener.md, with those of any convener (C) that show here.
import { bye, grantFloor, invite, requestFloor, revokeFloor, uninvite, yieldFloor } from "@plenary/protocol";
import { expect, test } from "vitest";
import { ann, ben, type Cast, ConvenedFloor, cleo, owl, parrot, says, urlOf } from "../testing/convened-floor.ts";
import { queuePolicy, singleSpeakerPolicy } from "./queue-policy.ts";

const queue = (company: Cast = {}) => new ConvenedFloor(queuePolicy(), company);
const clock = (company: Cast = {}) => new ConvenedFloor(singleSpeakerPolicy(), company);
const to = (speakerUri: string) => ({ to: { speakerUri } });

test("C11: a new convener leaves the floor to a single speaker", () => {
  const floor = queue({ people: [ann, ben], agents: [] });
  expect(floor.speakers).toEqual(["ben"]);
  expect(floor.convenerEvents).toEqual([]);
});

test("C11: of several speakers none keeps the floor", () => {
  expect(queue({ people: [ann, ben], agents: [owl, parrot] }).speakers).toEqual([]);
});

test("Q1, Q2: one speaker at a time, the others wait in the order of requests", () => {
  const floor = queue();
  expect(floor.send(ben, requestFloor())).toEqual(["chair: grantFloor ben"]);
  floor.send(cleo, requestFloor());
  floor.send(owl, requestFloor());
  expect(floor.speakers).toEqual(["ben"]);
  expect(floor.send(ben, yieldFloor())).toEqual(["ben: yieldFloor", "chair: grantFloor cleo"]);
  floor.send(cleo, says(cleo, "thank you"));
  expect(floor.send(cleo, yieldFloor())).toEqual(["cleo: yieldFloor", "chair: grantFloor owl"]);
});

test("C18: after a yield that may be older than the grant, the floor is revoked before the next grant", () => {
  const floor = queue({ lag: 3 });
  for (const one of [ben, cleo, owl]) floor.send(one, requestFloor());
  floor.settle();
  floor.pass(5_000);
  floor.send(ben, says(ben, "thank you"));
  floor.settle();
  const from = floor.log.length;
  floor.send(ben, yieldFloor());
  // She has not been given it yet.
  floor.send(cleo, yieldFloor());
  floor.settle();
  expect(floor.since(from)).toEqual([
    "ben: yieldFloor",
    "cleo: yieldFloor",
    "chair: grantFloor cleo",
    "chair: revokeFloor cleo",
    "chair: grantFloor owl",
  ]);
  expect(floor.speakers).toEqual(["owl"]);
});

test("C18: a yield from before a repeated grant leaves no second speaker", () => {
  const floor = queue({ lag: 3 });
  for (const one of [ben, owl]) floor.send(one, requestFloor());
  floor.settle();
  floor.pass(5_000);
  floor.send(ann, grantFloor(to(ben)));
  floor.send(cleo, requestFloor());
  floor.send(ben, yieldFloor());
  floor.settle();
  expect(floor.speakers).toEqual(["owl"]);
});

test("C18: a yield some time after the grant needs no revocation", () => {
  const floor = queue();
  for (const one of [ben, cleo]) floor.send(one, requestFloor());
  floor.send(ben, yieldFloor());
  floor.pass(5_000);
  floor.send(owl, requestFloor());
  expect(floor.send(cleo, yieldFloor())).toEqual(["cleo: yieldFloor", "chair: grantFloor owl"]);
});

test("C10, C12: a removed speaker who joins again at once has no floor", () => {
  const floor = queue();
  floor.seat(parrot, "person");
  floor.send(ann, uninvite(to(parrot)));
  floor.seat(parrot, "person");
  expect(floor.send(ann, says(ann, "again?"))).toContain("chair: revokeFloor parrot");
});

test("Q2: a repeated request keeps the position", () => {
  const floor = queue();
  for (const one of [ben, cleo, owl, cleo]) floor.send(one, requestFloor());
  expect(floor.send(ben, yieldFloor())).toContain("chair: grantFloor cleo");
});

test("C5: a request of the current speaker is granted, and a request for another is that speaker's", () => {
  const floor = queue();
  floor.send(owl, requestFloor(to(ben)));
  expect(floor.speakers).toEqual(["ben"]);
  expect(floor.send(ben, requestFloor())).toEqual(["chair: grantFloor ben"]);
});

test("Q3: an owner who requests the floor is next", () => {
  const floor = queue();
  for (const one of [ben, cleo, ann]) floor.send(one, requestFloor());
  expect(floor.send(ben, yieldFloor())).toEqual(["ben: yieldFloor", "chair: grantFloor ann"]);
  expect(floor.send(ann, yieldFloor())).toEqual(["ann: yieldFloor", "chair: grantFloor cleo"]);
});

test.each([
  ["yields", (floor: ReturnType<typeof queue>) => floor.send(owl, yieldFloor())],
  ["leaves", (floor: ReturnType<typeof queue>) => floor.send(owl, bye())],
  ["is sent away by the owner", (floor: ReturnType<typeof queue>) => floor.send(ann, uninvite(to(owl)))],
  ["loses it by the owner", (floor: ReturnType<typeof queue>) => floor.send(ann, revokeFloor(to(owl)))],
  [
    "is removed by the host",
    (floor: ReturnType<typeof queue>) => {
      floor.command({ verb: "remove", speakerUri: owl });
      return floor.since(0).slice(-2);
    },
  ],
])("Q4, C10: the next has the floor when the speaker %s", (_how, end) => {
  const floor = queue();
  floor.send(owl, requestFloor());
  floor.send(ben, requestFloor());
  expect(end(floor).at(-1)).toBe("chair: grantFloor ben");
  expect(floor.speakers).toEqual(["ben"]);
});

test("C10: a waiting speaker who leaves is skipped, with its held utterances", () => {
  const floor = queue();
  floor.send(ben, requestFloor());
  floor.send(owl, says(owl, "let me say"));
  floor.send(cleo, requestFloor());
  floor.send(owl, bye());
  expect(floor.send(ben, yieldFloor())).toEqual(["ben: yieldFloor", "chair: grantFloor cleo"]);
});

test("Q5, C9: held utterances are delivered in turn under their speaker's name, then the next turn starts", () => {
  const floor = queue();
  floor.send(ben, requestFloor());
  expect(floor.send(owl, says(owl, "first"), says(owl, "second"))).toEqual([]);
  floor.send(cleo, requestFloor());
  expect(floor.send(ben, yieldFloor())).toEqual([
    "ben: yieldFloor",
    'chair: utterance of owl "first"',
    'chair: utterance of owl "second"',
    "chair: grantFloor cleo",
  ]);
});

test("C9: a held utterance cannot impersonate another speaker", () => {
  const floor = queue();
  floor.send(ben, requestFloor());
  floor.send(owl, says(ann, "I, Ann, agree"));
  expect(floor.send(ben, yieldFloor())).toContain('chair: utterance of owl "I, Ann, agree"');
});

test("Q5, C2: with a free floor and no queue, an utterance without the floor passes once", () => {
  const floor = queue();
  expect(floor.send(owl, says(owl, "hello"))).toEqual(['owl: utterance "hello"']);
  expect(floor.speakers).toEqual([]);
});

test("Q6, C15: people get their position, agents do not", () => {
  const floor = queue();
  floor.send(ben, requestFloor());
  expect(floor.send(cleo, requestFloor())).toEqual([
    'chair: whisper cleo "You are next. You get the floor when it is your turn."',
  ]);
  expect(floor.send(owl, requestFloor())).toEqual([]);
});

test("Q7, C6: a grant by the owner takes effect at once, and the speaker loses the floor", () => {
  const floor = queue();
  for (const one of [ben, cleo, owl]) floor.send(one, requestFloor());
  expect(floor.send(ann, grantFloor(to(owl)))).toEqual(["chair: revokeFloor ben @override", "ann: grantFloor owl"]);
  expect(floor.send(owl, yieldFloor())).toContain("chair: grantFloor cleo");
});

test("Q7: a grant by another sender is only a request", () => {
  const floor = queue();
  floor.send(ben, requestFloor());
  floor.send(ben, grantFloor(to(owl)));
  expect(floor.speakers).toEqual(["ben"]);
  expect(floor.send(ben, yieldFloor())).toContain("chair: grantFloor owl");
});

test("Q8, C14: a long turn ends when others wait", () => {
  const floor = queue();
  floor.send(owl, requestFloor());
  expect(floor.pass(600_000)).toEqual([]);
  expect(floor.send(ben, requestFloor())).toEqual(["chair: revokeFloor owl @timedOut", "chair: grantFloor ben"]);
  floor.send(cleo, requestFloor());
  expect(floor.pass(300_000).slice(-2)).toEqual(["chair: revokeFloor ben @timedOut", "chair: grantFloor cleo"]);
});

test("Q9: an addressed agent that has answered leaves the queue", () => {
  const floor = queue();
  floor.send(ben, requestFloor());
  const from = floor.log.length;
  floor.answering(owl, [requestFloor(), says(owl, "I think so")]);
  floor.send(ben, says(ben, "Owl, is that so?", { speakerUri: owl }));
  expect(floor.since(from)).toContain('owl: utterance "I think so"');
  expect(floor.since(from).at(-1)).toBe("chair: revokeFloor owl");
  expect(floor.send(ben, yieldFloor())).toEqual(["ben: yieldFloor"]);
});

test("Q10: the position survives the floor's own refusal of a request held for long", () => {
  const floor = queue();
  floor.send(ben, requestFloor());
  floor.send(cleo, requestFloor());
  expect(floor.pass(61_000)).toEqual([
    "floor: revokeFloor cleo @timedOut",
    'chair: whisper cleo "You are next. You get the floor when it is your turn."',
  ]);
  expect(floor.send(ben, yieldFloor())).toContain("chair: grantFloor cleo");
});

test("C8: a newcomer has no floor", () => {
  const floor = queue();
  expect(floor.send(ben, invite({ to: { speakerUri: parrot, serviceUrl: urlOf(parrot) } }))).toEqual([
    "ben: invite parrot",
    "chair: revokeFloor parrot",
  ]);
  expect(floor.send(ben, invite({ to: { serviceUrl: "https://new.example/" } })).at(-1)).toContain(
    "chair: revokeFloor",
  );
  expect(floor.speakers).toEqual([]);
});

test("C12: a guest who joins by a link has the floor only until the convener's next ruling", () => {
  const floor = queue();
  floor.seat(parrot, "person");
  expect(floor.speakers).toEqual(["parrot"]);
  expect(floor.send(ann, says(ann, "welcome"))).toContain("chair: revokeFloor parrot");
  expect(floor.speakers).toEqual([]);
});

test("C6, C7: the owner speaks without the floor, and is never silenced or uninvited", () => {
  const floor = queue();
  floor.send(ann, yieldFloor());
  floor.send(ben, requestFloor());
  expect(floor.send(ann, says(ann, "listen"))).toEqual(['ann: utterance "listen"']);
  for (const event of [uninvite(to(ann)), revokeFloor(to(ann)), uninvite(to(cleo)), revokeFloor(to(owl))]) {
    expect(floor.send(ben, event)).toEqual([]);
  }
});

test("C17: an utterance beyond the limits is refused", () => {
  const floor = queue();
  floor.send(ben, requestFloor());
  for (let count = 0; count < 8; count += 1) floor.send(owl, says(owl, `word ${count}`));
  expect(floor.send(owl, says(owl, "one more"))).toEqual(["chair: revokeFloor owl @brokenPolicy"]);
  expect(floor.send(ben, yieldFloor()).filter((one) => one.includes("of owl"))).toHaveLength(8);
});

test("S1: a turn of a minute ends as soon as others wait, not before", () => {
  const floor = clock();
  floor.send(ben, requestFloor());
  expect(floor.pass(90_000)).toEqual([]);
  expect(floor.send(owl, requestFloor())).toEqual(["chair: revokeFloor ben @timedOut", "chair: grantFloor owl"]);
  floor.send(cleo, requestFloor());
  expect(floor.pass(59_000)).toEqual([]);
  expect(floor.pass(1_000)).toEqual(["chair: revokeFloor owl @timedOut", "chair: grantFloor cleo"]);
});

test("S2: the owner takes the floor at once; the next turn starts when the owner yields or the minute ends", () => {
  const floor = clock();
  floor.send(ben, requestFloor());
  expect(floor.send(ann, requestFloor())).toEqual(["chair: revokeFloor ben @override", "chair: grantFloor ann"]);
  floor.send(owl, requestFloor());
  expect(floor.speakers).toEqual([]);
  expect(floor.send(ann, yieldFloor())).toEqual(["ann: yieldFloor", "chair: grantFloor owl"]);
  floor.send(ann, requestFloor());
  floor.send(ben, requestFloor());
  expect(floor.pass(60_000).at(-1)).toBe("chair: grantFloor ben");
});

test("Q11: an agent that has spoken makes room for the next speaker; a person does not", () => {
  const floor = queue();
  floor.send(owl, requestFloor());
  expect(floor.speakers).toEqual(["owl"]);
  floor.send(owl, says(owl, "it is noon"));
  expect(floor.speakers).toEqual(["owl"]);
  floor.send(ben, requestFloor());
  expect(floor.speakers).toEqual(["ben"]);
  floor.send(ben, says(ben, "thank you"));
  floor.send(cleo, requestFloor());
  expect(floor.speakers).toEqual(["ben"]);
});
