// Private utterances, getManifests to outsiders, histories, and the whispers of older peers.
import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import { focalAgent } from "../delivery/recipients.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  deliveryTo,
  effective,
  envelopes,
  envelopesTo,
  failing,
  from,
  invites,
  kinds,
  names,
  now,
  owl,
  parrot,
  received,
  refused,
  room,
  says,
  self,
  to,
  urlOf,
  whispers,
} from "../testing/room.ts";

const guide = "https://guide.example/openfloor";
const asks: FloorEvent = { eventType: "getManifests", to: { serviceUrl: guide } };
const task = whispers(ann, "who knows about visas?", { serviceUrl: guide });
const asking = decide(room(), from(ann, asks, task), now);

test("D15': only a whisper with no or several matching addressees is refused, and only its sender sees that", () => {
  const floor = room({ agents: [parrot, "tag:parrot.example,2025:2"] });
  const toAll: FloorEvent = { eventType: "getManifests" };
  for (const lost of [{ speakerUri: "tag:nobody.example,2025:1" }, { serviceUrl: urlOf(parrot) }]) {
    const whisper = whispers(ann, "psst", lost);
    const decision = decide(floor, from(ann, toAll, whisper, says(ann, "hello")), now);
    expect(effective(decision).map(([, eventType]) => eventType)).toEqual(["getManifests", "utterance"]);
    const refusal = { kind: "refused", because: "1.8/private-addressee", event: whisper, audience: [ann] };
    expect(decision.entries.filter(({ kind }) => kind === "refused")).toMatchObject([refusal]);
    expect(decision.refusals).toMatchObject([{ index: 1, because: "1.8/private-addressee", status: 422 }]);
    expect(JSON.stringify(envelopes(decision))).not.toContain("psst");
  }
});

test("D15': an envelope with only whispers to absent addressees is refused with 422, and nothing is written", () => {
  const lost = { speakerUri: "tag:nobody.example,2025:1" };
  const decision = decide(room(), from(ann, whispers(ann, "psst", lost), whispers(ann, "hey", lost)), now);
  expect(decision).toMatchObject({ entries: [], effects: [] });
  expect(decision.refusals).toMatchObject([{ index: 0, because: "1.8/private-addressee", status: 422 }]);
});

test("a whisper needs the exact speakerUri of its addressee; a public event accepts another spelling", () => {
  const like = { speakerUri: `${parrot.toUpperCase()}/` };
  const whisper = decide(room(), from(ann, whispers(ann, "psst", like)), now);
  expect(whisper).toMatchObject({ entries: [], refusals: [{ because: "1.8/private-addressee", status: 422 }] });
  const grant: FloorEvent = { eventType: "grantFloor", to: like };
  expect(decide(room(), from(ann, grant), now).entries.at(-1)).toMatchObject({ target: parrot });
  const twice: FloorEvent = { eventType: "invite", to: { ...like, serviceUrl: guide, private: true } };
  expect(names(decide(room(), from(ann, twice), now).floor)).toEqual([ann, parrot, owl]);
});

test("D15: only the whisper to an absent addressee is refused in an answer, and no conversant gets it", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const lost = whispers(parrot, "psst", { speakerUri: "tag:nobody.example,2025:1" });
  const decision = decide(speaking.floor, answer(deliveryTo(speaking, parrot), parrot, lost, says(parrot, "hi")), now);
  expect(refused(decision)).toEqual(["1.8/private-addressee"]);
  expect(effective(decision)).toHaveLength(1);
});

test("D15: a whisper beside getManifests to an outsider is sent in the same envelope, and to no conversant", () => {
  expect(received(asking)).toEqual([
    `${parrot}: getManifests`,
    `${owl}: getManifests`,
    `${guide}: getManifests utterance`,
  ]);
  expect(envelopes(asking).at(-1)).toMatchObject({ isForwarded: true, isInvite: false, to: { serviceUrl: guide } });
  const whisper = asking.entries.find((entry) => entry.kind === "event" && entry.event.eventType === "utterance");
  expect(whisper?.audience).toEqual([ann]);
  expect(names(asking.floor)).not.toContain(guide);
});

test("D15: a whisper and getManifests to an outsider share an envelope in any order, also across a delegation", () => {
  const floor = room({ convener: chair });
  const decision = decide(floor, from(ann, task, invites("tag:new.example,2025:1"), asks), now);
  const answering = decide(decision.floor, answer(deliveryTo(decision, chair), chair), now);
  expect(received(answering)).toContain(`${guide}: getManifests utterance`);
  const between = decide(floor, from(ann, asks, invites("tag:new.example,2025:1"), task), now);
  expect(received(between)).toContain(`${guide}: getManifests utterance`);
});

test("D15: publishManifests of an outsider goes to all, addressed to the asker; its other events have no effect", () => {
  const published: FloorEvent = { eventType: "publishManifests", parameters: { servicingManifests: [] } };
  const sender = "tag:guide.example,2025:1";
  const decision = decide(asking.floor, answer(deliveryTo(asking, guide), sender, says(sender, "hi"), published), now);
  expect(effective(decision)).toEqual([[sender, "publishManifests", "2.2/publishManifests/elsewhere"]]);
  expect(received(decision)).toEqual([`${parrot}: publishManifests`, `${owl}: publishManifests`]);
  expect(envelopes(decision)[0]).toMatchObject({
    sender: { speakerUri: sender, serviceUrl: guide },
    events: [{ ...published, to: { speakerUri: ann } }],
  });
  expect(names(decision.floor)).not.toContain(sender);
  expect(decision.floor.open.some(({ asker }) => asker === ann)).toBe(false);
  expect(decision.entries[0]).toMatchObject({ kind: "received", because: "answer/forwarded", audience: [] });
});

test("D15: an outsider that answers under the name of a conversant counts as missed", () => {
  const published: FloorEvent = { eventType: "publishManifests" };
  const decision = decide(asking.floor, answer(deliveryTo(asking, guide), owl, published), now);
  expect(decision.entries).toMatchObject([{ kind: "missed", because: "guard/impersonation" }]);
});

test("D18: a delivery aborted before it was sent is missed, visible to its audience, and counts against no one", () => {
  const stopped = after(
    room({ agents: [parrot] }),
    from(ann, says(ann, "hello")),
    from(ann, { eventType: "revokeFloor", ...to(parrot) }),
  );
  const failed = { ...failing("d9.0", "unreachable"), turn: "t9" };
  const aloud = decide(stopped, { ...failed, unsent: { to: parrot } }, now);
  expect(aloud.entries).toMatchObject([{ kind: "missed", because: "delivery/unsent", isUncounted: true }]);
  expect(aloud.entries[0]?.audience).toContain(ann);
  expect(aloud.floor.conversants.map(({ misses }) => misses)).toEqual(stopped.conversants.map(({ misses }) => misses));
  const whispered = decide(stopped, { ...failed, unsent: { to: parrot, whisperer: ben } }, now);
  expect(whispered.entries[0]?.audience).toEqual([ben, parrot]);
});

test("D15: a missing answer of an outsider is shown to the asker, not counted, and late after the asker left", () => {
  const decision = decide(asking.floor, failing(deliveryTo(asking, guide), "unreachable"), now);
  expect(decision.entries).toMatchObject([{ kind: "missed", because: "delivery/unreachable", audience: [ann] }]);
  expect(decision.entries[0]).not.toHaveProperty("detail");
  const detailed = { ...failing(deliveryTo(asking, guide), "unreachable"), detail: "has no such host" };
  expect(decide(asking.floor, detailed, now).entries).toMatchObject([{ detail: "has no such host" }]);
  const byAgent = decide(room(), from(parrot, asks), now);
  const left = after(byAgent.floor, from(parrot, { eventType: "bye" }));
  expect(kinds(decide(left, answer(deliveryTo(byAgent, guide), "tag:guide.example,2025:1"), now))).toEqual(["late"]);
});

test("D15: getManifests to a conversant or to the floor itself is not forwarded", () => {
  const toParrot: FloorEvent = { eventType: "getManifests", to: { serviceUrl: urlOf(parrot) } };
  expect(received(decide(room(), from(ann, toParrot), now))).toEqual([
    `${parrot}: getManifests`,
    `${owl}: getManifests`,
  ]);
  const toFloor: FloorEvent = { eventType: "getManifests", to: { serviceUrl: self.serviceUrl } };
  expect(envelopes(decide(room(), from(ann, toFloor), now))).toHaveLength(2);
});

test("D15: a whisper listed before its invite is sent in the same envelope, after the invite", () => {
  const newcomer = "tag:new.example,2025:1";
  const whisper = whispers(ann, "book a table", { speakerUri: newcomer });
  const decision = decide(room({ agents: [] }), from(ann, whisper, invites(newcomer)), now);
  expect(received(decision)).toEqual([`${newcomer}: invite utterance`]);
});

test("D15: a whisper for a conversant whose invite was refused reaches no conversant", () => {
  const newcomer = "tag:new.example,2025:1";
  const whisper = whispers(ann, "book a table", { speakerUri: newcomer });
  const decision = decide(room({ options: { conversantsMax: 3 } }), from(ann, invites(newcomer), whisper), now);
  expect(refused(decision)).toEqual(["limit/conversants", "1.8/private-addressee"]);
  expect(decision.effects).toEqual([]);
});

const secret = { ...says(ann, "the secret").parameters.dialogEvent, id: "de:secret" };
const open = { ...says(ann, "the news").parameters.dialogEvent, id: "de:open" };

function withHistory(): FloorEvent & { eventType: "invite" } {
  return { ...invites("tag:new.example,2025:1"), parameters: { dialogHistory: [secret, open] } };
}

test("D16: the history in an invite goes to the invitee only, without the whispers of others", () => {
  const input = { ...from(ann, withHistory()), facts: { withheld: ["de:secret"] } };
  const decision = decide(room({ people: [ann, ben] }), input, now);
  const [atParrot] = envelopesTo(decision, parrot);
  const [atInvitee] = envelopesTo(decision, "tag:new.example,2025:1");
  expect(atParrot?.events[0]).toEqual(invites("tag:new.example,2025:1"));
  expect(atInvitee?.events[0]).toMatchObject({ parameters: { dialogHistory: [{ id: "de:open" }] } });
  const seenByBen = decision.entries.filter(({ audience }) => audience.includes(ben));
  expect(JSON.stringify(seenByBen)).not.toContain("the ");
});

test("D16: a history is whole if nothing is withheld, and the other parameters of an invite reach everyone", () => {
  const invite = { ...withHistory(), parameters: { dialogHistory: [secret, open], expectedFloorRoles: ["archivist"] } };
  const decision = decide(room(), from(ann, invite), now);
  expect(envelopesTo(decision, "tag:new.example,2025:1")[0]?.events[0]).toEqual(invite);
  expect(envelopesTo(decision, owl)[0]?.events[0]?.parameters).toEqual({ expectedFloorRoles: ["archivist"] });
});

test("D10': the convener that is asked about an invite sees the history that the invitee would get", () => {
  const input = { ...from(ann, withHistory()), facts: { withheld: ["de:secret"] } };
  const delegated = decide(room({ convener: chair }), input, now);
  expect(JSON.stringify(delegated.effects)).not.toContain("de:secret");
  expect(envelopesTo(delegated, chair)[0]?.events).toMatchObject([
    { parameters: { dialogHistory: [{ id: "de:open" }] } },
  ]);
  const [shown] = envelopesTo(delegated, chair)[0]?.events ?? [];
  if (shown === undefined) throw new Error("nothing was delegated");
  const decision = decide(delegated.floor, answer(deliveryTo(delegated, chair), chair, shown), now);
  expect(envelopesTo(decision, "tag:new.example,2025:1")[0]?.events[0]).toMatchObject({
    parameters: { dialogHistory: [{ id: "de:open" }] },
  });
});

test("D19: a 0.9 whisper without addressee goes to the agent last invited, granted or addressed", () => {
  const whisper = whispers(ann, "psst", { speakerUri: focalAgent });
  const invited = after(room({ agents: [] }), from(ann, invites(parrot)), from(ann, invites(owl)));
  expect(received(decide(invited, from(ann, whisper), now))).toEqual([`${owl}: utterance`]);
  const addressed = after(invited, from(ann, says(ann, "parrot?", { speakerUri: parrot })));
  const decision = decide(addressed, from(ann, whisper), now);
  expect(envelopesTo(decision, parrot)[0]?.events[0]?.to).toEqual({ speakerUri: parrot, private: true });
  const granted = after(addressed, from(ann, { eventType: "grantFloor", ...to(owl) }));
  expect(received(decide(granted, from(ann, whisper), now))).toEqual([`${owl}: utterance`]);
});

test("D19: if the last agent has left, a 0.9 whisper goes to the one before; without any it is refused with 422", () => {
  const whisper = whispers(ann, "psst", { speakerUri: focalAgent });
  const invited = after(room({ agents: [], people: [ann, ben] }), from(ann, invites(parrot)), from(ann, invites(owl)));
  const left = after(invited, from(owl, { eventType: "bye" }), from(ann, { eventType: "grantFloor", ...to(ben) }));
  expect(received(decide(left, from(ann, whisper), now))).toEqual([`${parrot}: utterance`]);
  expect(decide(room(), from(ann, whisper), now).refusals).toMatchObject([{ index: 0, status: 422 }]);
  const mergeSharers = decide(room({ agents: [] }), from(ann, invites(parrot), whisper), now);
  expect(received(mergeSharers)).toEqual([`${parrot}: invite utterance`]);
});

test("D19: conversants of 0.9 and 1.0 receive everything public and no whisper of others", () => {
  for (const dialect of ["0.9", "1.0"] as const) {
    const floor = after(room(), { ...from(parrot), dialect });
    const events = [says(ann, "owl?", { speakerUri: owl }), whispers(ann, "psst", { speakerUri: owl })];
    expect(received(decide(floor, from(ann, ...events), now))).toEqual([
      `${parrot}: utterance`,
      `${owl}: utterance utterance`,
    ]);
    expect(
      received(decide(floor, from(ann, says(ann, "all?"), says(ann, "parrot?", { speakerUri: parrot })), now)),
    ).toEqual([`${parrot}: utterance utterance`, `${owl}: utterance utterance`]);
  }
});

test("a whisper to oneself reaches no one else, and an unknown name at a known address is refused", () => {
  expect(received(decide(room(), from(ann, whispers(ann, "note", { speakerUri: ann })), now))).toEqual([]);
  const elsewhere = whispers(ann, "psst", { speakerUri: "tag:nobody.example,2025:1", serviceUrl: urlOf(parrot) });
  expect(decide(room(), from(ann, elsewhere), now).refusals).toMatchObject([{ status: 422 }]);
});
