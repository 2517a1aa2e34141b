// D10': how a returned event is recognized, what a convener may leave out, and what it did not pass on.
import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Decision } from "../decision-builder.ts";
import type { Floor } from "../floor.ts";
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
  invites,
  names,
  now,
  owl,
  parrot,
  refused,
  room,
  says,
  to,
  urlOf,
} from "../testing/room.ts";

const newcomer = "tag:new.example,2025:1";
const convened = room({ convener: chair });
const silenced = after(convened, from(chair, { eventType: "revokeFloor", ...to(parrot) }));

function ask(event: FloorEvent, { floor = convened, by = ann, whispered = [] as string[] } = {}): Decision {
  return decide(floor, { ...from(by, event), facts: { whispered } }, now);
}

function returning(asking: Decision, ...events: FloorEvent[]): Decision {
  return decide(asking.floor, answer(deliveryTo(asking, chair), chair, ...events), now);
}

const approvedOf = ({ entries }: Decision) =>
  entries.flatMap((entry) => (entry.kind === "event" && entry.approvedBy === chair ? [entry.sender] : []));

test("a returned event is recognized if its addressee is named by speakerUri, by serviceUrl or by both", () => {
  const [name, url] = [{ speakerUri: owl }, { serviceUrl: urlOf(owl) }];
  const forms = [name, url, { ...name, ...url }, { ...name, serviceUrl: "https://elsewhere.example/" }];
  for (const delegated of forms) {
    for (const returned of forms) {
      const asking = ask({ eventType: "uninvite", to: delegated });
      const decision = returning(asking, { eventType: "uninvite", to: returned });
      expect(effective(decision)).toEqual([[ann, "uninvite", "2.2/convener-approved"]]);
      expect(approvedOf(decision)).toEqual([ann]);
    }
  }
});

test("a returned event to an absent addressee is recognized in each form; one to another addressee is not", () => {
  const [speakerUri, serviceUrl] = [newcomer, urlOf(newcomer)];
  const forms = [{ serviceUrl }, { speakerUri, serviceUrl }];
  for (const delegated of forms) {
    for (const returned of [...forms, { serviceUrl: serviceUrl.slice(0, -1) }]) {
      const asking = ask({ eventType: "invite", to: delegated });
      expect(approvedOf(returning(asking, { eventType: "invite", to: returned }))).toEqual([ann]);
    }
    const other = { speakerUri: "tag:other.example,2025:1", serviceUrl: "https://other.example/" };
    const asking = ask({ eventType: "invite", to: delegated });
    expect(approvedOf(returning(asking, { eventType: "invite", to: other }))).toEqual([]);
  }
});

test("a returned utterance is recognized by its id, and the sender's own text passes", () => {
  const words = says(parrot, "may I?");
  const { dialogEvent } = words.parameters;
  const features = { text: { mimeType: "text/plain", tokens: [{ value: "CHANGED" }] } };
  const copy: FloorEvent = { ...words, ...to(owl), parameters: { dialogEvent: { ...dialogEvent, features } } };
  const decision = returning(ask(words, { floor: silenced, by: parrot }), copy);
  expect(approvedOf(decision)).toEqual([parrot]);
  expect(JSON.stringify(decision.effects)).not.toContain("CHANGED");
  expect(envelopesTo(decision, owl)[0]?.events).toEqual([words]);
});

test("a returned requestFloor is recognized with and without its sender as addressee", () => {
  const asking = ask({ eventType: "requestFloor" }, { floor: silenced, by: parrot });
  expect(approvedOf(returning(asking, { eventType: "requestFloor", ...to(parrot) }))).toEqual([parrot]);
  expect(approvedOf(returning(asking, { eventType: "requestFloor", ...to(owl) }))).toEqual([]);
});

const line = (id: string) => ({ ...says(ann, `words of ${id}`).parameters.dialogEvent, id });
const invite = (...ids: string[]): FloorEvent => ({
  ...invites(newcomer),
  parameters: { dialogHistory: ids.map(line), expectedFloorRoles: ["archivist"] },
});

function historyFor(decision: Decision): unknown {
  const event = envelopesTo(decision, newcomer)[0]?.events[0];
  return event?.eventType === "invite" ? event.parameters?.dialogHistory?.map(({ id }) => id) : "none";
}

test("a convener can leave out only those history items that it was sent", () => {
  const asking = ask(invite("a", "b", "secret"), { whispered: ["secret"] });
  expect(JSON.stringify(envelopesTo(asking, chair))).not.toContain("secret");
  expect(historyFor(returning(asking, invite("b")))).toEqual(["b", "secret"]);
  expect(historyFor(returning(asking, invite("b", "a", "added")))).toEqual(["a", "b", "secret"]);
  expect(historyFor(returning(asking, invites(newcomer)))).toEqual(["secret"]);
});

test("a convener of 0.9, which is not sent whole histories, leaves out nothing", () => {
  const older: Floor = {
    ...convened,
    conversants: convened.conversants.map((seat) =>
      seat.identification.speakerUri === chair ? { ...seat, dialect: "0.9" as const } : seat,
    ),
  };
  const asking = ask(invite("a", "b"), { floor: older });
  expect(historyFor(returning(asking, invites(newcomer)))).toEqual(["a", "b"]);
});

test("an owner's event that the convener does not pass on is reported to the owner; an utterance is not", () => {
  const chat = says(chair, "nice weather");
  for (const returned of [[], [chat]]) {
    const decision = returning(ask(invites(newcomer)), ...returned);
    expect(refused(decision)).toEqual(["2.2/convener-dropped"]);
    expect(decision.entries.at(-1)).toMatchObject({
      problem: `${chair} did not pass on your invite of ${urlOf(newcomer)}`,
      audience: [ann],
      isSwallowed: true,
    });
  }
  expect(refused(returning(ask(invites(newcomer), { by: parrot }), chat))).toEqual([]);
  const yielded = after(convened, from(ann, { eventType: "yieldFloor" }));
  expect(refused(returning(ask(says(ann, "later"), { floor: yielded }), chat))).toEqual([]);
});

function swallow(floor: Floor, times: number): Decision[] {
  const decisions: Decision[] = [];
  for (let next = floor; decisions.length < times; next = decisions.at(-1)?.floor ?? next) {
    decisions.push(returning(ask(invites(newcomer), { floor: next })));
  }
  return decisions;
}

test("from the third dropped event of the owner in a row, the refusal says that the convener seems idle", () => {
  const decisions = swallow(convened, 4);
  const ids = ["2.2/convener-dropped", "2.2/convener-dropped", "convener/seems-idle", "convener/seems-idle"];
  expect(decisions.flatMap(refused)).toEqual(ids);
  expect(decisions[2]?.entries.at(-1)).toMatchObject({ problem: expect.stringContaining("3 of your events in a row") });
});

test("a passed event of the owner or a new convener resets the count of drops; other events do not change it", () => {
  const twice = swallow(convened, 2).at(-1)?.floor ?? convened;
  const passed = returning(ask(invites(owl), { floor: twice }), invites(owl)).floor;
  expect(swallow(passed, 1).flatMap(refused)).toEqual(["2.2/convener-dropped"]);
  const again = after(twice, command({ verb: "convener" }), command({ verb: "convener", serviceUrl: urlOf(chair) }));
  expect(swallow(again, 1).flatMap(refused)).toEqual(["2.2/convener-dropped"]);
  const others = returning(ask(invites(newcomer), { floor: twice, by: parrot })).floor;
  expect(others.swallowed).toBe(2);
  const passedOn = returning(ask(invites(owl), { floor: twice, by: parrot }), invites(owl)).floor;
  expect(swallow(passedOn, 1).flatMap(refused)).toEqual(["convener/seems-idle"]);
});

test("an event approved by a former convener is judged by the standing of its sender", () => {
  const floor = room({ people: [ann, ben], convener: chair });
  for (const eventType of ["uninvite", "revokeFloor"] as const) {
    const removing: FloorEvent = { eventType, ...to(ben) };
    const asking = ask(removing, { floor, by: parrot });
    expect(effective(returning(asking, removing))).toEqual([[parrot, eventType, "2.2/convener-approved"]]);
    const left = returning(asking, { eventType: "bye" }, removing);
    expect(effective(left)).toEqual([[chair, "bye", "2.2/convener-own"]]);
    expect(refused(left)).toEqual(["guard/protected-person"]);
    expect(names(left.floor)).toContain(ben);
  }
});
