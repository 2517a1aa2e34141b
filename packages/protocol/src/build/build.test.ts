import fc from "fast-check";
import { expect, test } from "vitest";
import type { DialogEvent } from "../model/dialog-event.ts";
import { type EventType, eventShapes, type FloorEvent } from "../model/event.ts";
import { parseEnvelope } from "../parse/parse.ts";
import { textOf } from "../read/text.ts";
import {
  acceptInvite,
  bye,
  declineInvite,
  emptyReply,
  envelope,
  getManifests,
  grantFloor,
  history,
  invite,
  publishManifests,
  replyTo,
  requestFloor,
  revokeFloor,
  textUtterance,
  uninvite,
  utterance,
  yieldFloor,
} from "./build.ts";
import { reasonTokensOf } from "./reason.ts";

const sender = { speakerUri: "tag:ann.example,2025:1", serviceUrl: "https://ann.example" };
const to = { speakerUri: "tag:bot.example,2025:1", serviceUrl: "https://bot.example" };
const said = { speakerUri: sender.speakerUri, id: "de:1", startTime: "2025-01-31T10:05:00Z" };
const html = { mimeType: "text/html", tokens: [{ value: "<b>hello</b>" }] };
const manifest = {
  identification: { ...to, organization: "Example", conversationalName: "Bot", synopsis: "" },
  capabilities: [{ keyphrases: ["visa"], descriptions: ["knows visa rules"] }],
  score: 0.5,
};

function issuesOf(events: FloorEvent[]): unknown {
  const openFloor = envelope({ conversation: { id: "c1" }, sender, events });
  const parsed = parseEnvelope(JSON.stringify({ openFloor }), { now: said.startTime, newId: () => "new" });
  if (parsed.ok) expect(parsed.envelope).toEqual(openFloor);
  return parsed.ok ? parsed.issues : parsed;
}

const past = textUtterance("earlier", said).parameters.dialogEvent;

/** For each event type: the smallest event, and one with all fields. */
const made: { [Name in EventType]: (reason: string) => FloorEvent[] } = {
  utterance: (reason) => [
    textUtterance("hello", said),
    textUtterance("hello", {
      ...said,
      to,
      private: true,
      lang: "en-GB",
      features: { html },
      reason,
      previousId: "de:0",
    }),
    utterance(past),
    utterance(past, { to, reason }),
  ],
  invite: (reason) => [
    invite({ to: { serviceUrl: to.serviceUrl } }),
    invite({ to, dialogHistory: [past], expectedFloorRoles: ["convener"], reason }),
  ],
  uninvite: (reason) => [uninvite({ to }), uninvite({ to, reason })],
  acceptInvite: (reason) => [acceptInvite(), acceptInvite({ to, reason })],
  declineInvite: (reason) => [declineInvite(), declineInvite({ to, reason })],
  bye: (reason) => [bye(), bye({ to, reason })],
  getManifests: (reason) => [getManifests(), getManifests({ to, recommendScope: "all", reason })],
  publishManifests: (reason) => [
    publishManifests(),
    publishManifests({ to, servicingManifests: [manifest], discoveryManifests: [manifest], reason }),
    publishManifests({ servicingManifests: [], discoveryManifests: [] }),
  ],
  requestFloor: (reason) => [requestFloor(), requestFloor({ to, reason })],
  grantFloor: (reason) => [grantFloor(), grantFloor({ to, reason })],
  revokeFloor: (reason) => [revokeFloor(), revokeFloor({ to, reason })],
  yieldFloor: (reason) => [yieldFloor(), yieldFloor({ to, reason })],
};

const eventTypes = Object.keys(eventShapes) as EventType[];

test.each(eventTypes)("every built %s parses without issues, with any reason token", (eventType) => {
  for (const reason of ["because", ...reasonTokensOf[eventType]]) {
    const events = made[eventType](reason);
    expect(events.map((event) => event.eventType)).toEqual(events.map(() => eventType));
    expect(events[1]).toMatchObject({ to, reason });
    for (const event of events) expect(issuesOf([event])).toEqual([]);
  }
});

test.each(eventTypes)("a %s has no key without a value", (eventType) => {
  for (const event of made[eventType]("because")) expect(event).toStrictEqual(JSON.parse(JSON.stringify(event)));
});

test("the smallest events have no optional keys", () => {
  expect(bye()).toStrictEqual({ eventType: "bye" });
  expect(getManifests()).toStrictEqual({ eventType: "getManifests" });
  expect(publishManifests()).toStrictEqual({ eventType: "publishManifests" });
  expect(invite({ to: { serviceUrl: to.serviceUrl } })).toStrictEqual({
    eventType: "invite",
    to: { serviceUrl: to.serviceUrl },
  });
});

test("parameters contain the given values only", () => {
  expect(getManifests({ recommendScope: "external" }).parameters).toStrictEqual({ recommendScope: "external" });
  expect(publishManifests({ servicingManifests: [manifest] }).parameters).toStrictEqual({
    servicingManifests: [manifest],
  });
  expect(publishManifests({ discoveryManifests: [] }).parameters).toStrictEqual({ discoveryManifests: [] });
  expect(invite({ to, dialogHistory: [past] }).parameters).toStrictEqual({ dialogHistory: [past] });
  expect(invite({ to, expectedFloorRoles: ["convener"] }).parameters).toStrictEqual({
    expectedFloorRoles: ["convener"],
  });
});

test("a text utterance has its text in one token, beside the other features", () => {
  const text = { mimeType: "text/plain", tokens: [{ value: "not this" }] };
  const event = textUtterance("hello", { ...said, lang: "en", features: { html, text }, previousId: "de:0" });
  expect(event.parameters.dialogEvent).toStrictEqual({
    id: "de:1",
    speakerUri: sender.speakerUri,
    span: { startTime: said.startTime },
    previousId: "de:0",
    features: { html, text: { mimeType: "text/plain", lang: "en", tokens: [{ value: "hello" }] } },
  });
});

test("`private` is written into `to`, and only if it is given", () => {
  expect(textUtterance("hello", { ...said, to, private: true }).to).toStrictEqual({ ...to, private: true });
  expect(textUtterance("hello", { ...said, to: { ...to, private: true } }).to).toStrictEqual({ ...to, private: true });
  expect(textUtterance("hello", { ...said, to }).to).toStrictEqual(to);
});

test("a private utterance without an addressee and an utterance without text throw", () => {
  expect(() => textUtterance("hello", { ...said, private: true })).toThrow("addressee");
  expect(() => textUtterance("", said)).toThrow("verbalize");
});

test("any text makes an utterance that parses without issues and contains the text", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), fc.string(), (text, reason) => {
      const event = textUtterance(text, { ...said, reason });
      expect(textOf(event.parameters.dialogEvent)).toBe(text);
      expect(issuesOf([event])).toEqual([]);
    }),
  );
});

test("an envelope has its version, 1.1.0 by default", () => {
  const conversation = { id: "c1" };
  expect(envelope({ conversation, sender, events: [] }).schema).toStrictEqual({ version: "1.1.0" });
  expect(envelope({ conversation, sender, events: [], version: "1.1.1" }).schema).toStrictEqual({ version: "1.1.1" });
});

test("a reply takes over the id of the conversation and no other field of it", () => {
  const conversation = { id: "c1", conversants: [], floorGranted: [] };
  const received = envelope({ conversation, sender, events: [bye()], version: "1.1.1" });
  const bot = { speakerUri: to.speakerUri };
  expect(replyTo(received, { sender: bot, events: [acceptInvite()] })).toStrictEqual({
    schema: { version: "1.1.0" },
    conversation: { id: "c1" },
    sender: bot,
    events: [{ eventType: "acceptInvite" }],
  });
  expect(emptyReply(received, { sender: bot }).events).toStrictEqual([]);
});

const at = (span: DialogEvent["span"], id: string): DialogEvent => ({ ...past, id, span });
const ids = (dialogEvents: DialogEvent[]) => dialogEvents.map(({ id }) => id);

test("history is sorted by time across time zones and precisions", () => {
  const events = [
    at({ startTime: "2025-01-01T12:00:00.000002Z" }, "6"),
    at({ startTime: "2025-01-01T12:00:00Z" }, "3"),
    at({ startTime: "2025-01-01 12:30:00+01:00" }, "1"),
    at({ startTime: "2025-01-01T12:00:00.00000100z" }, "4"),
    at({ startTime: "2025-01-01t06:59:59-05:00" }, "2"),
    at({ startTime: "2025-01-01T12:00:00.000001Z" }, "5"),
    at({ startTime: "2016-12-31T23:59:60Z" }, "0"),
  ];
  expect(ids(history(events, { last: 7 }))).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
});

test("history keeps the last four events by default", () => {
  const events = [5, 3, 1, 4, 2].map((second) => at({ startTime: `2025-01-01T12:00:0${second}Z` }, String(second)));
  expect(ids(history(events))).toEqual(["2", "3", "4", "5"]);
  expect(ids(history(events, { last: 1 }))).toEqual(["5"]);
  expect(ids(history(events, { last: 0 }))).toEqual([]);
  expect(ids(history(events, { last: 99 }))).toEqual(["1", "2", "3", "4", "5"]);
  expect(ids(events)).toEqual(["5", "3", "1", "4", "2"]);
});

test("an event without a startTime stays after the event that precedes it", () => {
  const events = [
    at({ startOffset: "PT1S" }, "first"),
    at({ startTime: "2025-01-01T12:00:09Z" }, "late"),
    at({ startOffset: "PT3S" }, "after late"),
    at({ startTime: "2025-01-01T12:00:01Z" }, "early"),
  ];
  expect(ids(history(events))).toEqual(["first", "early", "late", "after late"]);
});

test("an envelope that uses a feature of 1.1.1 has that version, and any other has 1.1.0", () => {
  const versionOf = (
    event: FloorEvent,
    assignedFloorRoles: Record<string, string[]> = { owner: [sender.speakerUri] },
  ) =>
    envelope({ conversation: { id: "c1", conversants: [], assignedFloorRoles }, sender, events: [event] }).schema
      .version;
  expect(versionOf(bye())).toBe("1.1.0");
  expect(versionOf(invite({ to }))).toBe("1.1.0");
  expect(versionOf(declineInvite({ reason: "@refused" }))).toBe("1.1.0");
  expect(versionOf(invite({ to, expectedFloorRoles: ["convener"] }))).toBe("1.1.1");
  expect(versionOf(declineInvite({ reason: "@roleRejected: not me" }))).toBe("1.1.1");
  expect(versionOf(bye(), { archivist: [to.speakerUri] })).toBe("1.1.1");
  expect(versionOf(bye(), { archivist: [] })).toBe("1.1.0");
});
