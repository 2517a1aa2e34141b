// Rules B1 to B7 and O1 to O4 of docs/convener.md.
import { grantFloor, invite, requestFloor, revokeFloor, uninvite, yieldFloor } from "@plenary/protocol";
import { expect, test } from "vitest";
import { ann, ben, ConvenedFloor, cleo, owl, parrot, says, urlOf } from "../testing/convened-floor.ts";
import { type BudgetOptions, budgetPolicy } from "./budget.ts";
import { openPolicy } from "./open.ts";

const budget = (options: BudgetOptions = {}) => new ConvenedFloor(budgetPolicy(options));
const to = (speakerUri: string) => ({ to: { speakerUri } });
let words = 0;

function something(speakerUri: string) {
  words += 1;
  return says(speakerUri, `word ${words}`);
}

test("B1: an agent has a limited number of turns, a person has no limit, and the owner can give more", () => {
  const floor = budget({ turnsMax: 2 });
  for (const one of [owl, ben, owl, ben, ben]) expect(floor.send(one, something(one))).toHaveLength(1);
  expect(floor.send(owl, something(owl)).at(-1)).toBe("chair: revokeFloor owl @brokenPolicy");
  floor.pass(3_600_000);
  expect(floor.send(owl, requestFloor())).toEqual(["chair: revokeFloor owl @brokenPolicy"]);
  expect(floor.send(ann, grantFloor(to(owl)))).toEqual(["ann: grantFloor owl"]);
  expect(floor.send(owl, something(owl))).toHaveLength(1);
});

test("B2: too many utterances in a minute cost the floor, fewer do not", () => {
  const floor = budget({ perMinuteMax: 2 });
  floor.send(ben, something(ben));
  floor.pass(60_000);
  for (const one of [ben, ben]) expect(floor.send(one, something(one))).toHaveLength(1);
  expect(floor.send(ben, something(ben)).at(-1)).toBe("chair: revokeFloor ben @brokenPolicy");
  expect(floor.speakers).not.toContain("ben");
});

test("B3: repeating the same text costs the floor, whatever its case and punctuation", () => {
  const floor = budget();
  for (const text of ["Buy now", "buy now!", "BUY   NOW"]) expect(floor.send(owl, says(owl, text))).toHaveLength(1);
  expect(floor.send(owl, says(owl, "buy, now")).at(-1)).toBe("chair: revokeFloor owl @brokenPolicy");
});

test("B4, C14: a speaker who lost the floor this way waits a minute", () => {
  const floor = budget({ perMinuteMax: 1 });
  for (const one of [ben, ben]) floor.send(one, something(one));
  expect(floor.send(ben, requestFloor())).toEqual(["chair: revokeFloor ben @brokenPolicy"]);
  expect(floor.send(cleo, grantFloor(to(ben)))).toEqual(["chair: revokeFloor ben @brokenPolicy"]);
  floor.pass(60_000);
  expect(floor.send(ben, requestFloor())).toEqual(["chair: grantFloor ben"]);
});

test("B5: an agent that continues is uninvited, a person only loses the floor, the owner has no limits", () => {
  const floor = budget({ perMinuteMax: 1, strikesMax: 1 });
  for (const one of [owl, ben]) for (let count = 0; count < 2; count += 1) floor.send(one, something(one));
  expect(floor.send(owl, something(owl))).toEqual(["chair: uninvite owl @brokenPolicy"]);
  for (let count = 0; count < 5; count += 1) {
    expect(floor.send(ben, something(ben))).toEqual(["chair: revokeFloor ben @brokenPolicy"]);
    expect(floor.send(ann, says(ann, "again"))).toEqual(['ann: utterance "again"']);
  }
});

test("B6: a grant by the owner resets the budget", () => {
  const floor = budget({ perMinuteMax: 1 });
  for (const one of [ben, ben]) floor.send(one, something(one));
  floor.send(ann, grantFloor(to(ben)));
  expect(floor.send(ben, something(ben))).toHaveLength(1);
});

test("B7: answers of an addressed agent are no violations", () => {
  const floor = budget({ perMinuteMax: 1 });
  for (const one of [owl, owl]) floor.send(one, something(one));
  floor.answering(owl, [something(owl)]);
  const sent = floor.send(ann, says(ann, "Owl, why?", { speakerUri: owl }));
  expect(sent).toHaveLength(2);
  expect(sent.at(-1)).toContain("owl: utterance");
});

test("utterances without the floor pass within the budget", () => {
  const floor = budget();
  floor.send(ben, yieldFloor());
  expect(floor.send(ben, says(ben, "by the way"))).toEqual(['ben: utterance "by the way"']);
});

test("C13: utterances from before a restart count", () => {
  const policy = budgetPolicy({ turnsMax: 1 });
  const conversant = { speakerUri: owl, name: "Owl", isPerson: false };
  const view = { self: "tag:chair", conversants: [conversant], granted: [owl], owner: ann, nowMs: 1_000_000 };
  const state = policy.restore?.([{ atMs: 0, sender: owl, event: something(owl) }], view) ?? {};
  const { events } = policy.rule(state, { kind: "observed", sender: owl, event: something(owl) }, view);
  expect(events).toMatchObject([{ eventType: "revokeFloor", to: { speakerUri: owl } }]);
});

test("O1 to O3: an open floor grants, approves and lets in", () => {
  const floor = new ConvenedFloor(openPolicy);
  for (const one of [ben, owl]) floor.send(one, yieldFloor());
  expect(floor.send(ben, requestFloor())).toEqual(["chair: grantFloor ben"]);
  expect(floor.send(ben, requestFloor(to(owl)))).toEqual(["chair: grantFloor owl"]);
  floor.send(owl, yieldFloor());
  expect(floor.send(owl, says(owl, "hello"))).toEqual(['owl: utterance "hello"']);
  expect(floor.send(cleo, grantFloor(to(owl)))).toEqual(["cleo: grantFloor owl"]);
  const invited = invite({ to: { speakerUri: parrot, serviceUrl: urlOf(parrot) } });
  expect(floor.send(ben, invited)).toEqual(["ben: invite parrot"]);
});

test("O4, C11: an open convener revokes no floor", () => {
  const floor = new ConvenedFloor(openPolicy);
  floor.send(ann, says(ann, "hello"));
  expect(floor.speakers).toEqual(["ben", "cleo", "owl"]);
  expect(floor.convenerEvents).toEqual([]);
});

test("C7: a convener approves no action that the sender may not do alone", () => {
  const floor = new ConvenedFloor(openPolicy);
  for (const touch of [uninvite, revokeFloor]) {
    for (const target of [ann, ben, "tag:chair.example,2026:1"]) expect(floor.send(owl, touch(to(target)))).toEqual([]);
  }
  expect(floor.send(ben, revokeFloor(to(owl)))).toEqual(["ben: revokeFloor owl"]);
  expect(floor.send(ben, uninvite(to(owl)))).toEqual(["ben: uninvite owl"]);
  expect(floor.send(ann, uninvite(to(ben)))).toEqual(["ann: uninvite ben"]);
});

test("C7: the owner can uninvite the convener", () => {
  const floor = new ConvenedFloor(openPolicy);
  floor.send(ann, uninvite(to("tag:chair.example,2026:1")));
  expect(floor.floor.roles.convener).toBeUndefined();
});

test.each(["constructor", "__proto__", "toString"])("B2: the name %s counts like any other", (speakerUri) => {
  const policy = budgetPolicy({ perMinuteMax: 2 });
  const here = { speakerUri, name: "", isPerson: false };
  const view = { self: "tag:chair", conversants: [here], granted: [speakerUri], nowMs: 0 };
  let state = policy.newState();
  const rule = () => {
    const ruling = policy.rule(state, { kind: "observed", event: something(speakerUri), sender: speakerUri }, view);
    state = ruling.state;
    return ruling.events.map(({ eventType }) => eventType);
  };
  expect([rule(), rule(), rule()]).toEqual([[], [], ["revokeFloor"]]);
});
