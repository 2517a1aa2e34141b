import { type FloorEvent, type To, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import type { FloorView } from "../policy.ts";
import { questionAbout } from "./prompt.ts";

const ann = "tag:x,2026:ann";
const bob = "tag:x,2026:bob";
const eve = "tag:x,2026:eve";
const self = "tag:x,2026:chair";

const conversants = [ann, bob, eve].map((speakerUri, at) => {
  return { speakerUri, name: "", isPerson: true, serviceUrl: `http://127.0.0.1:1/${at}` };
});
const view: FloorView = { self, conversants, granted: [], owner: ann, nowMs: 0 };

function says(to?: To): FloorEvent {
  return textUtterance("hm", { speakerUri: eve, id: "de:1", startTime: "2026-01-31T10:05:00Z", ...(to && { to }) });
}

function asked(event: FloorEvent, sender = eve) {
  return questionAbout({ kind: "delegated", event, sender }, view);
}

test.each<[string, FloorEvent, object]>([
  ["a request for the floor", { eventType: "requestFloor" }, { kind: "floor", about: eve }],
  ["one for another speaker", { eventType: "requestFloor", to: { speakerUri: bob } }, { kind: "floor", about: bob }],
  ["one to the convener", { eventType: "requestFloor", to: { speakerUri: self } }, { kind: "floor", about: eve }],
  ["words without the floor", says(), { kind: "words" }],
  ["an invite", { eventType: "invite", to: { serviceUrl: "http://127.0.0.1:1/" } }, { kind: "invite" }],
  ["an uninvite", { eventType: "uninvite", to: { speakerUri: bob } }, { kind: "uninvite", about: bob }],
])("%s is a question for the model", (_name, event, question) => {
  expect(asked(event)).toMatchObject({ ...question, sender: eve });
});

test.each<[string, FloorEvent]>([
  ["a whisper", says({ speakerUri: bob, private: true })],
  ["a whisper to the convener", says({ speakerUri: self, private: true })],
  ["that the owner be sent away", { eventType: "uninvite", to: { speakerUri: ann } }],
  ["that the owner be sent away, by address", { eventType: "uninvite", to: { serviceUrl: "http://127.0.0.1:1/0" } }],
  ["an uninvite by address", { eventType: "uninvite", to: { serviceUrl: "http://127.0.0.1:2/" } }],
  ["that the convener be sent away", { eventType: "uninvite", to: { speakerUri: self } }],
  ["to be sent away oneself", { eventType: "uninvite", to: { speakerUri: eve } }],
  ["the floor for the owner", { eventType: "requestFloor", to: { speakerUri: ann } }],
  ["to grant the floor", { eventType: "grantFloor", to: { speakerUri: eve } }],
  ["to revoke it", { eventType: "revokeFloor", to: { speakerUri: bob } }],
])("%s is decided by rule, without the model", (_name, event) => {
  expect(asked(event)).toBeUndefined();
});

test("a speaker with the floor causes no question", () => {
  const input = { kind: "delegated", event: { eventType: "requestFloor" }, sender: eve } as const;
  expect(questionAbout(input, { ...view, granted: [eve] })).toBeUndefined();
});

test("requests of the owner and observed events cause no question", () => {
  expect(asked({ eventType: "requestFloor" }, ann)).toBeUndefined();
  expect(asked({ eventType: "uninvite", to: { speakerUri: bob } }, ann)).toBeUndefined();
  expect(questionAbout({ kind: "observed", event: says(), sender: eve }, view)).toBeUndefined();
  expect(questionAbout({ kind: "appointed" }, view)).toBeUndefined();
  expect(asked({ eventType: "requestFloor" }, "tag:x,2026:gone")).toBeUndefined();
});
