// Joining: invites, names, and missing answers.
import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Decision } from "../decision-builder.ts";
import { conversationOf } from "../delivery/recipients.ts";
import { seatOf } from "../floor.ts";
import {
  after,
  ann,
  answer,
  chair,
  command,
  deliveryTo,
  effective,
  envelopesTo,
  failing,
  from,
  identificationOf,
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
} from "../testing/room.ts";

const alone = room({ agents: [] });
const inviting = decide(alone, from(ann, invites(parrot)), now);
const byAddress: FloorEvent = { eventType: "invite", to: { serviceUrl: urlOf(parrot) } };
const provisional = decide(alone, from(ann, byAddress), now);

test("an invited conversant has a seat without misses and without roles, and without a provisional name", () => {
  const { speakerUri, serviceUrl } = identificationOf(parrot);
  expect(seatOf(inviting.floor, parrot)).toEqual({
    identification: { speakerUri, serviceUrl, organization: "", conversationalName: "", synopsis: "" },
    kind: "agent",
    state: "invited",
    invitedBy: ann,
    since: alone.seq + 2,
    misses: 0,
    last: expect.anything(),
  });
  expect(seatOf(inviting.floor, parrot)).not.toHaveProperty("expectedRoles");
  expect(seatOf(inviting.floor, parrot)).not.toHaveProperty("isProvisional");
  expect(seatOf(provisional.floor, urlOf(parrot))).toMatchObject({ isProvisional: true });
});

test("D14: any answer to an invite joins, even an empty one, and the floor asks for the manifest", () => {
  for (const events of [[], [{ eventType: "acceptInvite" as const }], [says(parrot, "hello")]]) {
    const decision = decide(inviting.floor, answer(deliveryTo(inviting, parrot), parrot, ...events), now);
    expect(seatOf(decision.floor, parrot)?.state).toBe("joined");
    expect(decision.entries[1]).toMatchObject({ kind: "seated", because: "1.14/joined-by-answering" });
    expect(decision.effects).toContainEqual({ kind: "askManifest", speakerUri: parrot, serviceUrl: urlOf(parrot) });
  }
});

test("D14: an invited conversant that sends an envelope of its own joins too", () => {
  const decision = decide(inviting.floor, from(parrot, { eventType: "acceptInvite" }), now);
  expect(seatOf(decision.floor, parrot)?.state).toBe("joined");
  expect(effective(decision)).toEqual([
    [parrot, "acceptInvite", "2.2/acceptInvite/no-convener"],
    [self.speakerUri, "grantFloor", "2.1/granted-on-joining"],
  ]);
});

test("D14: declineInvite does not join, whatever else the answer contains", () => {
  const declining = answer(deliveryTo(inviting, parrot), parrot, says(parrot, "sorry"), { eventType: "declineInvite" });
  const decision = decide(inviting.floor, declining, now);
  expect(kinds(decision)).toEqual(["received", "event", "event"]);
  expect(names(decision.floor)).toEqual([ann]);
});

test("an invite by address lists the address as the name until the first answer gives the speakerUri", () => {
  expect(names(provisional.floor)).toEqual([ann, urlOf(parrot)]);
  const decision = decide(
    provisional.floor,
    answer(deliveryTo(provisional, urlOf(parrot)), parrot, says(parrot, "hi")),
    now,
  );
  expect(names(decision.floor)).toEqual([ann, parrot]);
  expect(decision.floor.floorGranted).toEqual([ann, parrot]);
  expect(decision.floor.attention).toEqual([parrot]);
  expect(decision.floor.conversants[1]).not.toHaveProperty("isProvisional");
  expect(seatOf(decision.floor, urlOf(parrot))).toBe(seatOf(decision.floor, parrot));
  expect(conversationOf(decision.floor).conversants?.[1]?.identification.serviceUrl).toBe(urlOf(parrot));
});

test("before it has joined, an invited conversant may only speak or accept; other events are refused", () => {
  const invited = after(room({ agents: [] }), from(ann, invites(owl)));
  const does = (...events: FloorEvent[]) => decide(invited, from(owl, ...events), now);
  const stateOf = ({ floor }: Decision) => seatOf(floor, owl)?.state;
  const asks = does({ eventType: "requestFloor" });
  expect([stateOf(asks), refused(asks)]).toEqual(["invited", ["guard/not-joined"]]);
  const accepts = does({ eventType: "acceptInvite" }, { eventType: "requestFloor" });
  expect([stateOf(accepts), refused(accepts)]).toEqual(["joined", []]);
  expect(stateOf(does())).toBe("joined");
  const free = after(room({ agents: [], options: { policy: "spec" } }), from(ann, invites(owl)));
  expect(stateOf(decide(free, from(owl, { eventType: "requestFloor" }), now))).toBe("joined");
});

test("an invited conversant may answer under another name than in its invite, and both names work", () => {
  const polly = "tag:polly.example,2025:1";
  const decision = decide(inviting.floor, answer(deliveryTo(inviting, parrot), polly), now);
  expect(names(decision.floor)).toEqual([ann, polly]);
  expect(names(after(decision.floor, from(ann, { eventType: "uninvite", ...to(parrot) })))).toEqual([ann]);
  expect(after(decision.floor, from(polly, { eventType: "bye" })).aliases).toEqual({});
});

test("a conversant that left and is invited by address again is found under its speakerUri", () => {
  const joined = after(provisional.floor, answer(deliveryTo(provisional, urlOf(parrot)), parrot));
  const again = decide(after(joined, from(parrot, { eventType: "bye" })), from(ann, byAddress), now);
  const decision = decide(again.floor, answer(deliveryTo(again, urlOf(parrot)), parrot, says(parrot, "back")), now);
  expect(names(decision.floor)).toEqual([ann, parrot]);
  expect(effective(decision)).toHaveLength(1);
});

test("an answer to an invite under the name of a conversant or of the floor is declined with @error", () => {
  for (const claimed of [ann, ann.toUpperCase(), self.speakerUri]) {
    const decision = decide(inviting.floor, answer(deliveryTo(inviting, parrot), claimed, says(ann, "it is me")), now);
    expect(decision.entries[0]).toMatchObject({ kind: "missed", because: "guard/impersonation" });
    expect(effective(decision)).toEqual([[parrot, "declineInvite", "1.15/on-its-behalf"]]);
    expect(decision.entries[1]).toMatchObject({ event: { reason: "@error answered under another speaker's name" } });
    expect(names(decision.floor)).toEqual([ann]);
  }
});

test("an answer of a joined conversant under another name counts as missed", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const decision = decide(
    speaking.floor,
    answer(deliveryTo(speaking, parrot), "tag:new.example,2025:1", says(owl, "hoo")),
    now,
  );
  expect(kinds(decision)).toEqual(["missed"]);
  expect(seatOf(decision.floor, parrot)?.misses).toBe(1);
});

test("an answer under the same name in other letter case is accepted", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const decision = decide(
    speaking.floor,
    answer(deliveryTo(speaking, parrot), parrot.toUpperCase(), says(parrot, "hi")),
    now,
  );
  expect(effective(decision)).toEqual([[parrot, "utterance", "2.2/utterance/granted/no-convener"]]);
});

test("several speakers can share an address, which gets one envelope, addressed to the invited one", () => {
  const twin = "tag:parrot.example,2025:2";
  const decision = decide(room({ agents: [parrot] }), from(ann, invites(twin), says(ann, "hello")), now);
  expect(names(decision.floor)).toEqual([ann, parrot, twin]);
  expect(received(decision)).toEqual([`${twin}: invite utterance`]);
  expect(envelopesTo(decision, twin)[0]?.isInvite).toBe(true);
});

test("an invite is refused without an address, for the floor itself, and in a full conversation", () => {
  const nameless: FloorEvent = { eventType: "invite", to: { speakerUri: "tag:nobody.example,2025:1" } };
  expect(refused(decide(alone, from(ann, nameless), now))).toEqual(["1.12/no-service-url"]);
  const own: FloorEvent = { eventType: "invite", to: { serviceUrl: `${self.serviceUrl}/` } };
  expect(refused(decide(alone, from(ann, own), now))).toEqual(["guard/self-invite"]);
  const named: FloorEvent = { eventType: "invite", to: { ...self, serviceUrl: urlOf(chair) } };
  expect(refused(decide(alone, from(ann, named), now))).toEqual(["guard/self-invite"]);
  const full = room({ options: { conversantsMax: 3 } });
  const decision = decide(full, from(ann, invites(chair)), now);
  expect(refused(decision)).toEqual(["limit/conversants"]);
  expect(decision.refusals).toMatchObject([{ index: 0, status: 422 }]);
  const again: FloorEvent = { eventType: "invite", to: { speakerUri: parrot } };
  expect(received(decide(full, from(ann, again), now))).toEqual([`${parrot}: invite`, `${owl}: invite`]);
});

test("D23: an invite that cannot be delivered is declined for the agent, with the reason for its inviter", () => {
  for (const [failure, token] of [
    ["unreachable", "@unavailable"],
    ["timeout", "@unavailable"],
    ["no-envelope", "@error"],
    ["refused", "@error"],
  ] as const) {
    const floor = after(inviting.floor, from(ann, invites(owl)));
    const decision = decide(floor, failing(deliveryTo(inviting, parrot), failure), now);
    expect(decision.entries[0]).toMatchObject({ kind: "missed", because: `delivery/${failure}` });
    expect(decision.entries[1]).toMatchObject({
      because: "1.15/on-its-behalf",
      sender: parrot,
      event: { eventType: "declineInvite", to: { speakerUri: ann }, reason: expect.stringMatching(`^${token} `) },
    });
    expect(received(decision)).toEqual([`${owl}: declineInvite`]);
    expect(names(decision.floor)).toEqual([ann, owl]);
  }
});

test("D23: a failed invite removes only a conversant that has not joined; other failures are only counted", () => {
  const again = decide(room(), from(ann, invites(parrot)), now);
  expect(names(after(again.floor, failing(deliveryTo(again, parrot), "unreachable")))).toContain(parrot);
  const speaking = decide(inviting.floor, from(ann, says(ann, "are you there?")), now);
  expect(names(after(speaking.floor, failing(deliveryTo(speaking, parrot), "timeout")))).toContain(parrot);
});

test("D23: three missed deadlines in a row uninvite the agent; an answer after two resets the count", () => {
  let floor = room();
  for (const failure of ["timeout", "timeout"] as const) {
    const speaking = decide(floor, from(ann, says(ann, "hello?")), now);
    floor = after(speaking.floor, failing(deliveryTo(speaking, parrot), failure));
  }
  const speaking = decide(floor, from(ann, says(ann, "hello?")), now);
  expect(after(speaking.floor, answer(deliveryTo(speaking, parrot), parrot)).conversants[1]?.misses).toBe(0);
  const decision = decide(speaking.floor, failing(deliveryTo(speaking, parrot), "unreachable"), now);
  expect(effective(decision)).toEqual([[self.speakerUri, "uninvite", "delivery/given-up"]]);
  expect(envelopesTo(decision, owl)[0]?.events[0]?.reason).toMatch(/^@timedOut /);
  expect(names(decision.floor)).toEqual([ann, owl]);
});

test("D23: three unusable answers in a row uninvite with @error; until then the agent keeps the floor", () => {
  let floor = room();
  for (const failure of ["no-envelope", "refused"] as const) {
    const speaking = decide(floor, from(ann, says(ann, "hello?")), now);
    floor = after(speaking.floor, failing(deliveryTo(speaking, parrot), failure));
    expect(floor.floorGranted).toContain(parrot);
  }
  const speaking = decide(floor, from(ann, says(ann, "hello?")), now);
  const decision = decide(speaking.floor, failing(deliveryTo(speaking, parrot), "no-envelope"), now);
  expect(envelopesTo(decision, owl)[0]?.events[0]?.reason).toMatch(/^@error /);
});

test("[floor-1.13-no-more-envelopes] an answer of an agent that was uninvited is late and has no effect", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const removing = decide(
    speaking.floor,
    command({ verb: "remove", speakerUri: parrot, reason: "@brokenPolicy" }),
    now,
  );
  expect(removing.effects[0]).toEqual({ kind: "abort", delivery: deliveryTo(speaking, parrot) });
  const late = decide(removing.floor, answer(deliveryTo(speaking, parrot), parrot, says(parrot, "hi")), now);
  expect(late.entries).toMatchObject([{ kind: "late", turn: `t${late.floor.seq}`, audience: [] }]);
  const own = decide(removing.floor, answer(deliveryTo(removing, parrot), parrot), now);
  expect(kinds(own)).toEqual(["late"]);
});

test("an answer to no open delivery is late, whatever its id", () => {
  for (const delivery of ["d99.0", "constructor", "__proto__"]) {
    expect(kinds(decide(room(), answer(delivery, parrot, says(parrot, "hi")), now))).toEqual(["late"]);
  }
});

test("a conversant may answer under the name it was invited by, and no other conversant may", () => {
  const known = after(provisional.floor, answer(deliveryTo(provisional, urlOf(parrot)), parrot));
  const asking = decide(known, from(ann, says(ann, "well?"), invites(owl)), now);
  const own = decide(asking.floor, answer(deliveryTo(asking, parrot), urlOf(parrot), says(parrot, "hi")), now);
  expect(effective(own)[0]).toEqual([parrot, "utterance", "2.2/utterance/granted/no-convener"]);
  const other = decide(asking.floor, answer(deliveryTo(asking, owl), urlOf(parrot)), now);
  expect(other.entries[0]).toMatchObject({ kind: "missed", because: "guard/impersonation", speakerUri: owl });
});
