// Several speakers at one address: one delivery for all of them, and each answers for itself.
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

test("an event goes to an address once, in the name of the one that is meant", () => {
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

test("an invite and the question beside it arrive together, though another one is at that address", () => {
  const decision = decide(room({ agents: [parrot] }), from(ann, invites(wren), says(ann, "and?")), now);
  expect(received(decision)).toEqual([`${wren}: invite utterance`]);
});

test("each of them answers as itself, joined or merely invited; a speaker at another address does not", () => {
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

test("the invite of one is not answered by the other", () => {
  const inviting = decide(room({ agents: [parrot] }), from(ann, invites(wren)), now);
  const answered = decide(inviting.floor, answer(deliveryTo(inviting, wren), parrot), now);
  expect(answered.entries).toMatchObject([
    { kind: "missed", because: "guard/impersonation" },
    { kind: "event", because: "1.15/on-its-behalf" },
  ]);
});

test("words to the address let all of them answer without the floor, words to one only that one", () => {
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

test("a speaker that leaves takes nothing from the other one, and its late answer does not count", () => {
  const id = deliveryTo(speaking, parrot) ?? "";
  const left = decide(speaking.floor, from(ann, { eventType: "uninvite", ...to(parrot) }), now);
  expect(left.effects.filter(({ kind }) => kind === "abort")).toEqual([]);
  expect(openDelivery(left.floor, id)?.to).toBe(wren);
  expect(effective(decide(left.floor, answer(id, wren, says(wren, "still here")), now))).toHaveLength(1);
  const late = decide(left.floor, answer(id, parrot, says(parrot, "wait")), now);
  expect(late.entries).toMatchObject([{ kind: "received", sender: wren, events: [] }]);
  expect(openDelivery(late.floor, id)).toBeUndefined();
});

test("an answer of one clears the missed deadlines of the other, which belong to the address", () => {
  const missed = after(speaking.floor, failing(deliveryTo(speaking, parrot), "timeout"));
  expect(seatOf(missed, parrot)?.misses).toBe(1);
  const again = decide(missed, from(ann, says(ann, "again")), now);
  const answered = after(again.floor, answer(deliveryTo(again, parrot), wren));
  expect(seatOf(answered, parrot)?.misses).toBe(0);
});

test("both belong to the turn that reached them", () => {
  for (const name of [parrot, wren]) expect(seatOf(speaking.floor, name)?.last?.turn).toBe(`t${floor.seq + 1}`);
});

test("a delivery whose recipient leaves passes to a sharer that is still there", () => {
  const [open] = speaking.floor.open;
  if (open === undefined) throw new Error("nothing is open");
  const shared = { ...open, to: parrot, also: [{ to: owl, isGone: true as const }, { to: wren }] };
  expect(withoutRecipient([shared], parrot)).toMatchObject([{ to: wren }]);
});

test("each speaker at an address goes on in the turn that reached it; a whisper reaches its addressee alone", () => {
  const turnsOf = (next: Floor) => next.conversants.map(({ last }) => last?.turn);
  const turn = `t${floor.seq + 1}`;
  expect(turnsOf(speaking.floor)).toEqual([undefined, turn, turn, turn]);
  const whispered = after(speaking.floor, from(ann, whispers(ann, "psst", { speakerUri: wren })));
  expect(turnsOf(whispered)).toEqual([undefined, turn, turn, `t${speaking.floor.seq + 1}`]);
});

test("who was not asked is not silent when it answers with nothing for another one at its address", () => {
  const asking = decide(floor, from(ann, says(ann, "wren?", { speakerUri: wren })), now);
  const answered = (speakerUri: string) => decide(asking.floor, answer(deliveryTo(asking, wren), speakerUri), now);
  expect(answered(wren).entries[0]).toMatchObject({ silentTo: ann });
  expect(answered(parrot).entries[0]).not.toHaveProperty("silentTo");
});

test("a delegation is answered by the convener alone, not by another one at its address", () => {
  const convened = after(room({ agents: [parrot], convener: parrot }), seating(wren, "agent"));
  const asking = decide(convened, from(ann, invites(owl)), now);
  const decision = decide(asking.floor, answer(deliveryTo(asking, parrot), wren, invites(owl)), now);
  expect(decision.entries[0]).toMatchObject({ kind: "missed", because: "guard/impersonation", speakerUri: parrot });
});

test("what is sent to one of them is answered by another, unless it is the first invite", () => {
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

test("who has moved to another address since answers nothing of what was sent to the old one", () => {
  const moving = command({ verb: "rebind", speakerUri: wren, serviceUrl: "https://elsewhere.example/" });
  const late = answer(deliveryTo(speaking, parrot), wren, says(wren, "late"));
  expect(decide(after(speaking.floor, moving), late, now).entries).toMatchObject([
    { kind: "received", sender: parrot, events: [] },
  ]);
});

test("a whisper to their address is refused and says why, also beside a question to that address", () => {
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

test("what was sent to one that leaves is the next one's at its address, which was addressed or was not", () => {
  const gone = { to: parrot, isGone: true };
  expect(withoutRecipient([{ ...open, askedBy: ann }], parrot)).toEqual([
    { ...open, to: wren, also: [{ to: owl }, gone] },
  ]);
  const unaddressed = withoutRecipient([{ ...open, also: [{ to: owl }] }], parrot);
  expect(unaddressed).toEqual([{ ...open, to: owl, isAddressed: false, also: [gone] }]);
  expect(withoutRecipient([{ ...open, isInvite: true }], parrot)).toEqual([]);
  expect(withoutRecipient([{ ...open, isDelegation: true }], parrot)).toEqual([]);
});

test("another one at the address that leaves is known to be gone, and other deliveries stay as they are", () => {
  expect(withoutRecipient([open], owl)).toEqual([{ ...open, also: [also[0], { to: owl, isGone: true }] }]);
  expect(withoutRecipient([open], ann)[0]).toBe(open);
});

test("who loses the floor is no longer addressed; the others at its address still are", () => {
  const both: OpenDelivery = { ...open, also: [wren, owl].map((name) => ({ to: name, isAddressed: true })) };
  expect(withoutAddressee([both], wren)).toEqual([{ ...open, also: [{ to: wren }, { to: owl, isAddressed: true }] }]);
  expect(withoutAddressee([open], parrot)).toEqual([{ ...open, isAddressed: false }]);
  expect(withoutAddressee([open], owl)[0]).toBe(open);
  const unaddressed = { ...open, isAddressed: false };
  expect(withoutAddressee([unaddressed], parrot)[0]).toBe(unaddressed);
  expect([wren, owl].map((name) => isAddressedSharer(open, name))).toEqual([true, false]);
});

test("who was addressed once in an envelope stays addressed, and each one is named once", () => {
  expect(mergeSharers(also, [{ to: wren }, { to: chair }])).toEqual([...also, { to: chair }]);
  expect(mergeSharers(undefined, also)).toEqual(also);
  expect(mergeSharers([{ to: wren }], also)).toEqual(also);
});
