import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import { convenerOf, type Floor } from "../floor.ts";
import type { Command } from "../input.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  command,
  deliveryTo,
  effective,
  envelopesTo,
  from,
  identificationOf,
  invites,
  now,
  owl,
  parrot,
  received,
  room,
  says,
  self,
  to,
  urlOf,
} from "../testing/room.ts";

type Named = Omit<Extract<Command, { verb: "convener" }>, "verb">;

const order = (floor: Floor, named: Named) => decide(floor, command({ verb: "convener", ...named }, "owner"), now);
const bySite = (speakerUri: string): Named => ({ serviceUrl: urlOf(speakerUri) });
const accepts = { eventType: "acceptInvite" as const };
const convened = room({ agents: [parrot, owl], convener: owl });

test("a chosen convener that is absent is invited, and the present convener keeps the role until it joins", () => {
  const asking = order(convened, bySite(chair));
  expect(asking.entries.map(({ kind }) => kind)).toEqual(["chosen", "seated", "event"]);
  expect(effective(asking)).toEqual([[self.speakerUri, "invite", "convener/chosen"]]);
  expect(convenerOf(asking.floor)).toBe(owl);
  const joining = decide(asking.floor, answer(deliveryTo(asking, urlOf(chair)), chair, accepts), now);
  expect(convenerOf(joining.floor)).toBe(chair);
  expect(joining.floor.conversants.map(({ identification }) => identification.speakerUri)).toContain(owl);
});

test("an invited agent that is chosen by another spelling of its address becomes convener when it joins", () => {
  const inviting = decide(convened, from(ann, invites(chair)), now);
  const invitation = decide(inviting.floor, answer(deliveryTo(inviting, owl), owl, invites(chair)), now);
  const chosen = order(invitation.floor, { serviceUrl: "https://CHAIR.example:443" });
  const joining = decide(chosen.floor, answer(deliveryTo(invitation, chair), chair, accepts), now);
  expect(convenerOf(joining.floor)).toBe(chair);
});

test("the chosen convener is an option of the floor until the choice is withdrawn", () => {
  const asking = order(convened, bySite(chair));
  expect(asking.floor.options).toEqual({ ...convened.options, convener: urlOf(chair) });
  expect(order(asking.floor, {}).floor.options).toEqual(convened.options);
});

test("the new convener and the one before it are notified at once, in an envelope that shows the roles", () => {
  const asking = order(convened, bySite(chair));
  const joining = decide(asking.floor, answer(deliveryTo(asking, urlOf(chair)), chair, accepts), now);
  for (const one of [chair, owl]) {
    const [first] = envelopesTo(joining, one);
    expect(first).toMatchObject({ sender: self, isDelegation: false });
    expect(first?.events[0]).toEqual({ eventType: "grantFloor", ...to(chair), reason: "you convene now" });
    expect(first?.conversation.assignedFloorRoles).toEqual({ owner: [ann], convener: [chair] });
  }
  expect(effective(joining)).toEqual([
    [self.speakerUri, "grantFloor", "convener/told"],
    [chair, "acceptInvite", "2.2/convener-own"],
  ]);
});

test("an agent that is seated at the chosen address is appointed and notified at once", () => {
  const decision = order(convened, bySite(parrot));
  expect(convenerOf(decision.floor)).toBe(parrot);
  expect(received(decision)).toEqual([`${parrot}: grantFloor`, `${owl}: grantFloor`]);
});

test("a convener that loses the role without a successor is notified, stays seated and has the floor", () => {
  const decision = order(after(convened, from(owl, { eventType: "yieldFloor" })), {});
  expect(received(decision)).toEqual([`${owl}: grantFloor`]);
  expect(envelopesTo(decision, owl)[0]?.conversation.assignedFloorRoles).toEqual({ owner: [ann] });
  expect(decision.floor.floorGranted).toContain(owl);
  expect(received(order(room(), {}))).toEqual([]);
});

test("only the newest choice counts: an agent that was chosen before joins without the role", () => {
  const first = order(convened, bySite(chair));
  const second = order(first.floor, bySite(ben));
  const invited = deliveryTo(first, urlOf(chair));
  expect(convenerOf(after(second.floor, answer(invited, chair, accepts)))).toBe(owl);
  for (const named of [bySite(parrot), {}]) {
    const settled = order(first.floor, named);
    const joined = after(settled.floor, answer(invited, chair, accepts));
    expect(convenerOf(joined)).toBe(convenerOf(settled.floor));
  }
});

test("a repeated choice sends no second invite, unless the first one was aborted by pause", () => {
  const asking = order(convened, bySite(chair));
  expect(order(asking.floor, bySite(chair)).entries).toEqual([]);
  const paused = after(asking.floor, command({ verb: "pause" }, "person"));
  expect(effective(order(paused, bySite(chair)))).toEqual([[self.speakerUri, "invite", "convener/chosen"]]);
});

test("a chosen agent that another conversant has invited becomes convener when it joins", () => {
  const inviting = decide(room(), from(ann, invites(chair)), now);
  const chosen = order(inviting.floor, bySite(chair));
  expect(received(chosen)).toEqual([]);
  expect(convenerOf(after(chosen.floor, answer(deliveryTo(inviting, chair), chair)))).toBe(chair);
});

test("a second conversant at the address of the convener does not take its role", () => {
  const asking = order(room(), bySite(chair));
  const joined = after(asking.floor, answer(deliveryTo(asking, urlOf(chair)), chair));
  const twin = "tag:twin.example,2025:1";
  const twinInvite = { eventType: "invite" as const, to: { speakerUri: twin, serviceUrl: urlOf(chair) } };
  const inviting = decide(joined, from(chair, twinInvite), now);
  expect(convenerOf(after(inviting.floor, answer(deliveryTo(inviting, twin), twin)))).toBe(chair);
});

test("an agent chosen by name must offer the role in its manifest; one chosen by address must not refuse it", () => {
  const known = (roles?: Record<string, boolean>) => {
    const identification = { ...identificationOf(parrot), ...(roles && { openFloorRoles: roles }) };
    return after(room(), command({ verb: "identify", speakerUri: parrot, identification }));
  };
  const outcome = (floor: Floor, named: Named) => order(floor, named).refusals[0]?.because ?? "appointed";
  const named = { speakerUri: parrot };
  expect(outcome(known({ convener: true }), named)).toBe("appointed");
  expect(outcome(known({ discovery: true }), named)).toBe("command/convener/not-offered");
  expect(outcome(known(), named)).toBe("command/convener/not-offered");
  expect(outcome(known(), bySite(parrot))).toBe("appointed");
  expect(outcome(known({ convener: false }), named)).toBe("command/convener/unfit");
  expect(outcome(known({ convener: false }), bySite(parrot))).toBe("command/convener/unfit");
  expect(outcome(room(), bySite(ann))).toBe("command/convener/unfit");
  const [refusal] = order(known(), named).refusals;
  expect(refusal).toMatchObject({ status: 422, problem: expect.stringContaining("by its serviceUrl") });
});

test("the floor's own address, a shared address and an address without a free seat are refused", () => {
  const twin = { ...identificationOf("tag:twin.example,2025:1"), serviceUrl: urlOf(parrot) };
  const shared = after(room(), command({ verb: "seat", identification: twin, seatKind: "agent" }));
  const full = room({ options: { conversantsMax: 3 } });
  const cases = [
    [room(), { serviceUrl: self.serviceUrl }, "guard/self-invite"],
    [shared, bySite(parrot), "1.8/ambiguous-addressee"],
    [full, bySite(chair), "limit/conversants"],
  ] as const;
  for (const [floor, named, because] of cases) {
    expect(order(floor, named)).toMatchObject({ entries: [], refusals: [{ because, status: 422 }] });
  }
});

test("events that wait for the former convener are delegated to the new one after it is notified", () => {
  const asking = decide(convened, from(ann, invites("tag:new.example,2025:1")), now);
  const decision = order(asking.floor, bySite(parrot));
  expect(received(decision)).toEqual([`${parrot}: grantFloor`, `${owl}: grantFloor`, `${parrot}: invite`]);
  expect(envelopesTo(decision, parrot)[1]?.isDelegation).toBe(true);
});

test("when a chosen agent declines, the present convener keeps the role", () => {
  const asking = order(convened, bySite(chair));
  const declined = after(asking.floor, answer(deliveryTo(asking, urlOf(chair)), chair, { eventType: "declineInvite" }));
  expect(convenerOf(declined)).toBe(owl);
  expect(effective(decide(declined, from(ann, says(ann, "on we go")), now))).toHaveLength(1);
});
