// Several speakers at one address: they share one delivery, and each answers for itself.
import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import { type Floor, type OpenDelivery, openDelivery, seatOf } from "../floor.ts";
import { isAddressedSharer, mergeSharers, withoutAddressee, withoutRecipient } from "../state/open-deliveries.ts";
import {
  after,
  ann,
  answer,
  chair,
  command,
  deliveryTo,
  effective,
  failing,
  from,
  identificationOf,
  invites,
  now,
  owl,
  parrot,
  received,
  refused,
  room,
  says,
  seating,
  to,
  urlOf,
  whispers,
  wren,
} from "../testing/room.ts";

const floor = room({ agents: [parrot, owl, wren] });
const speaking = decide(floor, from(ann, says(ann, "hello")), now);

test("an event goes to a shared address once, with its addressee as the recipient", () => {
  expect(received(speaking)).toEqual([`${parrot}: utterance`, `${owl}: utterance`]);
  const named = decide(floor, from(ann, says(ann, "wren?", { speakerUri: wren })), now);
  expect(received(named)).toEqual([`${owl}: utterance`, `${wren}: utterance`]);
  expect(named.floor.open.find((one) => one.to === wren)).toMatchObject({ isAddressed: true, also: [{ to: parrot }] });
  const whispered = decide(floor, from(ann, whispers(ann, "psst", { speakerUri: wren })), now);
  expect(received(whispered)).toEqual([`${wren}: utterance`]);
});

test("two spellings of one address are one address", () => {
  const written = { ...identificationOf(wren), serviceUrl: "https://PARROT.example:443" };
  const seated = after(
    room({ agents: [parrot] }),
    command({ verb: "seat", identification: written, seatKind: "agent" }),
  );
  const decision = decide(seated, from(ann, says(ann, "hello")), now);
  expect(received(decision)).toEqual([`${parrot}: utterance`]);
  expect(decision.floor.open).toMatchObject([{ to: parrot, also: [{ to: wren }] }]);
});

test("an invite and the question with it arrive in one envelope, also at a shared address", () => {
  const decision = decide(room({ agents: [parrot] }), from(ann, invites(wren), says(ann, "and?")), now);
  expect(received(decision)).toEqual([`${wren}: invite utterance`]);
});

test("each speaker at the address answers as itself, joined or invited; a speaker of another address cannot", () => {
  const id = deliveryTo(speaking, parrot);
  const answered = decide(speaking.floor, answer(id, wren, says(wren, "hi")), now);
  expect(effective(answered).map(([sender]) => sender)).toEqual([wren]);
  expect(openDelivery(answered.floor, id ?? "")).toBeUndefined();
  const foreign = decide(speaking.floor, answer(id, owl, says(owl, "hi")), now);
  expect(foreign.entries).toMatchObject([{ kind: "missed", because: "guard/impersonation", speakerUri: parrot }]);
  const person = decide(speaking.floor, answer(id, ann, says(ann, "hi")), now);
  expect(person.entries).toMatchObject([{ kind: "missed", because: "guard/impersonation" }]);
  const inviting = decide(room({ agents: [parrot] }), from(ann, invites(wren)), now);
  const spoken = decide(inviting.floor, from(ann, says(ann, "so?")), now);
  const joining = decide(spoken.floor, answer(deliveryTo(spoken, parrot), wren, says(wren, "here")), now);
  expect(seatOf(joining.floor, wren)?.state).toBe("joined");
});

test("a conversant cannot answer the first invite of another one at its address", () => {
  const inviting = decide(room({ agents: [parrot] }), from(ann, invites(wren)), now);
  const answered = decide(inviting.floor, answer(deliveryTo(inviting, wren), parrot), now);
  expect(answered.entries).toMatchObject([
    { kind: "missed", because: "guard/impersonation" },
    { kind: "event", because: "1.15/on-its-behalf" },
  ]);
});

test("an utterance to the address lets all its speakers answer without the floor; one to a speaker only that one", () => {
  const mute = after(floor, from(parrot, { eventType: "yieldFloor" }), from(wren, { eventType: "yieldFloor" }));
  const site = decide(mute, from(ann, says(ann, "you there?", { serviceUrl: urlOf(parrot) })), now);
  expect(received(site)).toEqual([`${parrot}: utterance`, `${owl}: utterance`]);
  const open = (decision: typeof site, speaker: string) => deliveryTo(decision, speaker);
  expect(effective(decide(site.floor, answer(open(site, parrot), wren, says(wren, "yes")), now))).toEqual([
    [wren, "utterance", "2.1/addressed"],
  ]);
  const one = decide(mute, from(ann, says(ann, "parrot?", { speakerUri: parrot })), now);
  expect(refused(decide(one.floor, answer(open(one, parrot), wren, says(wren, "yes")), now))).toHaveLength(1);
  const revoked = after(site.floor, from(ann, { eventType: "revokeFloor", ...to(wren) }));
  expect(refused(decide(revoked, answer(open(site, parrot), wren, says(wren, "yes")), now))).toHaveLength(1);
});

test("a speaker that leaves does not abort the shared delivery, and its late answer has no effect", () => {
  const id = deliveryTo(speaking, parrot) ?? "";
  const left = decide(speaking.floor, from(ann, { eventType: "uninvite", ...to(parrot) }), now);
  expect(left.effects.filter(({ kind }) => kind === "abort")).toEqual([]);
  expect(openDelivery(left.floor, id)?.to).toBe(wren);
  expect(effective(decide(left.floor, answer(id, wren, says(wren, "still here")), now))).toHaveLength(1);
  const late = decide(left.floor, answer(id, parrot, says(parrot, "wait")), now);
  expect(late.entries).toMatchObject([{ kind: "received", sender: wren, events: [] }]);
  expect(openDelivery(late.floor, id)).toBeUndefined();
});

test("an answer of one speaker resets the misses of the other, as misses belong to the address", () => {
  const missed = after(speaking.floor, failing(deliveryTo(speaking, parrot), "timeout"));
  expect(seatOf(missed, parrot)?.misses).toBe(1);
  const again = decide(missed, from(ann, says(ann, "again")), now);
  const answered = after(again.floor, answer(deliveryTo(again, parrot), wren));
  expect(seatOf(answered, parrot)?.misses).toBe(0);
});

test("both speakers belong to the turn that reached their address", () => {
  for (const name of [parrot, wren]) expect(seatOf(speaking.floor, name)?.last?.turn).toBe(`t${floor.seq + 1}`);
});

test("a delivery whose recipient leaves passes to a present speaker at the same address", () => {
  const [open] = speaking.floor.open;
  if (open === undefined) throw new Error("nothing is open");
  const shared = { ...open, to: parrot, also: [{ to: owl, isGone: true as const }, { to: wren }] };
  expect(withoutRecipient([shared], parrot)).toMatchObject([{ to: wren }]);
});

test("each speaker belongs to the turn that last reached it; a whisper reaches its addressee only", () => {
  const turnsOf = (next: Floor) => next.conversants.map(({ last }) => last?.turn);
  const turn = `t${floor.seq + 1}`;
  expect(turnsOf(speaking.floor)).toEqual([undefined, turn, turn, turn]);
  const whispered = after(speaking.floor, from(ann, whispers(ann, "psst", { speakerUri: wren })));
  expect(turnsOf(whispered)).toEqual([undefined, turn, turn, `t${speaking.floor.seq + 1}`]);
});

test("an empty answer of a speaker that was not asked does not count as silence", () => {
  const asking = decide(floor, from(ann, says(ann, "wren?", { speakerUri: wren })), now);
  const answered = (speakerUri: string) => decide(asking.floor, answer(deliveryTo(asking, wren), speakerUri), now);
  expect(answered(wren).entries[0]).toMatchObject({ silentTo: ann });
  expect(answered(parrot).entries[0]).not.toHaveProperty("silentTo");
});

test("only the convener can answer a delegation, not another speaker at its address", () => {
  const convened = after(room({ agents: [parrot], convener: parrot }), seating(wren, "agent"));
  const asking = decide(convened, from(ann, invites(owl)), now);
  const decision = decide(asking.floor, answer(deliveryTo(asking, parrot), wren, invites(owl)), now);
  expect(decision.entries[0]).toMatchObject({ kind: "missed", because: "guard/impersonation", speakerUri: parrot });
});

test("a delivery to one speaker can be answered by another at its address, unless it is the first invite", () => {
  const again = decide(floor, from(ann, invites(parrot)), now);
  const first = after(room({ agents: [parrot] }), from(ann, invites(wren)));
  const named = decide(first, from(ann, says(ann, "wren?", { speakerUri: wren })), now);
  for (const [asking, asked, speaker] of [
    [again, parrot, wren],
    [named, wren, parrot],
  ] as const) {
    const answering = answer(deliveryTo(asking, asked), speaker, says(speaker, "hi"));
    expect(effective(decide(asking.floor, answering, now))[0]?.[0]).toBe(speaker);
  }
});

test("a speaker that moved to another address cannot answer a delivery to the old one", () => {
  const moving = command({ verb: "rebind", speakerUri: wren, serviceUrl: "https://elsewhere.example/" });
  const late = answer(deliveryTo(speaking, parrot), wren, says(wren, "late"));
  expect(decide(after(speaking.floor, moving), late, now).entries).toMatchObject([
    { kind: "received", sender: parrot, events: [] },
  ]);
});

test("a whisper to a shared address is refused with the reason, also beside getManifests to that address", () => {
  const there = { serviceUrl: urlOf(parrot) };
  const problems = (...events: FloorEvent[]) =>
    decide(floor, from(ann, ...events), now).refusals.map(({ because, problem }) => [because, problem]);
  const several = ["1.8/private-addressee", "several conversants share this address: name one by speakerUri"];
  const nobody = ["1.8/private-addressee", "no conversant here is the addressee of this private utterance"];
  expect(problems(says(ann, "hello"), whispers(ann, "psst", there))).toEqual([several]);
  expect(problems({ eventType: "getManifests", to: there }, whispers(ann, "psst", there))).toEqual([several]);
  expect(problems(says(ann, "hello"), whispers(ann, "psst", { speakerUri: "tag:new" }))).toEqual([nobody]);
});

const flags = { isInvite: false, isAddressed: true, isDelegation: false };
const also = [{ to: wren, isAddressed: true as const }, { to: owl }];
const open: OpenDelivery = { id: "d1.0", to: parrot, turn: "t1", depth: 1, ...flags, at: now, also };

test("a delivery passes from a leaving recipient to the next speaker, with that speaker's addressed flag", () => {
  const gone = { to: parrot, isGone: true };
  expect(withoutRecipient([{ ...open, askedBy: ann }], parrot)).toEqual([
    { ...open, to: wren, also: [{ to: owl }, gone] },
  ]);
  const unaddressed = withoutRecipient([{ ...open, also: [{ to: owl }] }], parrot);
  expect(unaddressed).toEqual([{ ...open, to: owl, isAddressed: false, also: [gone] }]);
  expect(withoutRecipient([{ ...open, isInvite: true }], parrot)).toEqual([]);
  expect(withoutRecipient([{ ...open, isDelegation: true }], parrot)).toEqual([]);
});

test("another speaker that leaves is marked as gone in the delivery, and other deliveries stay unchanged", () => {
  expect(withoutRecipient([open], owl)).toEqual([{ ...open, also: [also[0], { to: owl, isGone: true }] }]);
  expect(withoutRecipient([open], ann)[0]).toBe(open);
});

test("a speaker that loses the floor is no longer addressed; the others at its address still are", () => {
  const both: OpenDelivery = { ...open, also: [wren, owl].map((name) => ({ to: name, isAddressed: true })) };
  expect(withoutAddressee([both], wren)).toEqual([{ ...open, also: [{ to: wren }, { to: owl, isAddressed: true }] }]);
  expect(withoutAddressee([open], parrot)).toEqual([{ ...open, isAddressed: false }]);
  expect(withoutAddressee([open], owl)[0]).toBe(open);
  const unaddressed = { ...open, isAddressed: false };
  expect(withoutAddressee([unaddressed], parrot)[0]).toBe(unaddressed);
  expect([wren, owl].map((name) => isAddressedSharer(open, name))).toEqual([true, false]);
});

test("merging keeps a speaker addressed and names each speaker once", () => {
  expect(mergeSharers(also, [{ to: wren }, { to: chair }])).toEqual([...also, { to: chair }]);
  expect(mergeSharers(undefined, also)).toEqual(also);
  expect(mergeSharers([{ to: wren }], also)).toEqual(also);
});
