// D23: agents that say nothing until they get grantFloor.

import { lineOf } from "@plenary/transcript";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Decision } from "../decision-builder.ts";
import { type Floor, seatOf } from "../floor.ts";
import {
  after,
  ann,
  answer,
  ben,
  deliveryTo,
  effective,
  envelopesTo,
  from,
  invites,
  now,
  owl,
  parrot,
  room,
  says,
  self,
  to,
  urlOf,
  whispers,
} from "../testing/room.ts";

const accept = { eventType: "acceptInvite" } as const;

function joining(company: Parameters<typeof room>[0], more: Partial<ReturnType<typeof answer>> = {}): Decision {
  const inviting = decide(room(company), from(ann, invites(parrot)), now);
  return decide(inviting.floor, { ...answer(deliveryTo(inviting, parrot), parrot, accept), ...more }, now);
}

const grants = (decision: Decision) => effective(decision).filter(([, eventType]) => eventType === "grantFloor");

test("an agent that accepts without an utterance is sent grantFloor, and no other conversant is", () => {
  const decision = joining({ agents: [owl] });
  expect(grants(decision)).toEqual([[self.speakerUri, "grantFloor", "2.1/granted-on-joining"]]);
  expect(envelopesTo(decision, parrot).map(({ events }) => events)).toEqual([
    [{ eventType: "grantFloor", to: { speakerUri: parrot } }],
  ]);
  expect(envelopesTo(decision, owl).flatMap(({ events }) => events)).toEqual([accept]);
  const granting = decision.entries.find(({ because }) => because === "2.1/granted-on-joining");
  expect(granting && lineOf(granting, self.speakerUri)).toBeUndefined();
});

test("no grant is sent to an agent that speaks, was seated before, or uses 0.9", () => {
  expect(grants(joining({ agents: [] }, { dialect: "0.9" }))).toEqual([]);
  expect(grants(joining({ agents: [] }, { dialect: "1.0" }))).toHaveLength(1);
  const inviting = decide(room({ agents: [] }), from(ann, invites(parrot)), now);
  const greeting = answer(deliveryTo(inviting, parrot), parrot, accept, says(parrot, "hi"));
  expect(grants(decide(inviting.floor, greeting, now))).toEqual([]);
  const again = decide(room({ agents: [parrot] }), from(ann, invites(parrot)), now);
  expect(grants(decide(again.floor, answer(deliveryTo(again, parrot), parrot, accept), now))).toEqual([]);
});

/** A conversant asks parrot, which answers without events. */
function unanswered(floor: Floor, asker = ann, isPrivate = false): Decision {
  const words = (isPrivate ? whispers : says)(asker, "well?", { speakerUri: parrot });
  const asking = decide(floor, from(asker, words), now);
  const rest = asking.floor.open.filter(({ to: one }) => one !== parrot).map(({ id, to: one }) => answer(id, one));
  return decide(after(asking.floor, ...rest), answer(deliveryTo(asking, parrot), parrot), now);
}

const hints = ({ entries }: Decision) =>
  entries.flatMap((entry) => (entry.kind === "silent" ? [[entry.speakerUri, ...entry.audience]] : []));

test("the second silent answer in a row is explained once, to the person who asked last", () => {
  const first = unanswered(room({ people: [ann, ben] }), ben);
  expect(hints(first)).toEqual([]);
  const second = unanswered(first.floor, ann, true);
  expect(hints(second)).toEqual([[parrot, ann]]);
  expect(hints(unanswered(second.floor))).toEqual([]);
  const [hint] = second.entries.filter(({ kind }) => kind === "silent");
  expect(hint && lineOf(hint, self.speakerUri)).toMatchObject({ kind: "note", grants: parrot });
});

test("an utterance resets the count of silences; utterances to all and answers without the floor do not count", () => {
  const first = unanswered(room());
  const spoken = after(first.floor, from(parrot, says(parrot, "sorry, I was thinking")));
  expect(seatOf(spoken, parrot)?.silences).toBe(0);
  expect(hints(unanswered(spoken))).toEqual([]);
  const toAll = decide(first.floor, from(ann, says(ann, "anybody?")), now);
  const silent = decide(toAll.floor, answer(deliveryTo(toAll, parrot), parrot), now);
  expect(seatOf(silent.floor, parrot)?.silences).toBe(1);
  const revoked = after(first.floor, from(ann, { eventType: "revokeFloor", ...to(parrot) }));
  expect(hints(unanswered(revoked))).toEqual([]);
});

test("the silence of an agent is not explained to an agent that asked", () => {
  expect(hints(unanswered(unanswered(room(), owl).floor, owl))).toEqual([]);
});

test("a question beside the invite counts, also when the agent answers under its own speakerUri", () => {
  const serviceUrl = urlOf(parrot);
  const question = says(ann, "well?", { serviceUrl });
  const inviting = decide(room({ agents: [] }), from(ann, { eventType: "invite", to: { serviceUrl } }, question), now);
  const joined = decide(inviting.floor, answer(deliveryTo(inviting, serviceUrl), parrot), now);
  expect(seatOf(joined.floor, parrot)?.silences).toBe(1);
  expect(hints(unanswered(joined.floor))).toEqual([[parrot, ann]]);
});
