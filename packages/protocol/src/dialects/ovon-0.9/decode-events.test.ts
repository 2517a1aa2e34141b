import { expect, test } from "vitest";
import type { To } from "../../model/event.ts";
import { parseEnvelope } from "../../parse/parse.ts";
import type { Peers } from "../dialect.ts";

const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };
const span = { startTime: "2025-01-31T10:00:00Z" };
const text = { mimeType: "text/plain", tokens: [{ value: "hi" }] };
const dialogEvent = { id: "de:1", speakerId: "urn:ann", span, features: { text } };
const heard = { id: "de:1", speakerUri: "urn:ann", span, features: { text } };
const whisper = { eventType: "whisper", parameters: { dialogEvent } };

type Options = { peers?: Peers; receiver?: To; senderTo?: string };

function read(events: object[], { senderTo, ...options }: Options = {}) {
  const sender = { from: "https://a.example", ...(senderTo !== undefined && { to: senderTo }) };
  const ovon = { schema: { version: "0.9.3" }, conversation: { id: "c1" }, sender, events };
  const parsed = parseEnvelope(JSON.stringify({ ovon }), { ...mint, ...options });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { envelope, issues, losses } = parsed;
  return { events: envelope.events, issues, losses };
}

const only = (event: object) => read([event]).events;

test("an utterance is read as an utterance, and its speakerId as a speakerUri", () => {
  const { events, issues, losses } = read([{ eventType: "utterance", parameters: { dialogEvent } }]);
  expect(events).toEqual([{ eventType: "utterance", parameters: { dialogEvent: heard } }]);
  expect([issues, losses]).toEqual([[], []]);
});

test("an address in `to` is read as a serviceUrl, with the speakerUri that peers know", () => {
  const peers: Peers = { speakerUriOf: () => "urn:bob", serviceUrlOf: () => undefined };
  const bye = { eventType: "bye", to: "https://b.example" };
  expect(read([bye]).events).toEqual([{ eventType: "bye", to: { serviceUrl: "https://b.example" } }]);
  expect(read([bye], { peers }).events).toEqual([
    { eventType: "bye", to: { speakerUri: "urn:bob", serviceUrl: "https://b.example" } },
  ]);
});

test("a `to` that is no URL is read as a speakerUri", () => {
  expect(only({ eventType: "bye", to: "urn:bob" })).toEqual([{ eventType: "bye", to: { speakerUri: "urn:bob" } }]);
});

test("`private` is moved into `to`", () => {
  expect(only({ eventType: "invite", to: "https://b.example", private: true })).toEqual([
    { eventType: "invite", to: { serviceUrl: "https://b.example", private: true } },
  ]);
});

test("`private` and an addressee in the parameters of an utterance are read", () => {
  const to = { serviceUrl: "https://b.example", private: true };
  const said = { dialogEvent, private: true };
  const [beside] = only({ eventType: "utterance", to: "https://b.example", parameters: said });
  const [within] = only({ eventType: "utterance", parameters: { ...said, to: { url: "https://b.example" } } });
  for (const event of [beside, within])
    expect(event).toEqual({ eventType: "utterance", to, parameters: { dialogEvent: heard } });
  expect(only({ eventType: "utterance", parameters: said })).toEqual([]);
});

test("of two private flags that differ the stricter one counts", () => {
  const parameters = { dialogEvent };
  const flags = [
    { to: { serviceUrl: "https://b.example", private: true }, private: false },
    { to: { serviceUrl: "https://b.example", private: false }, private: "true" },
  ];
  for (const flag of flags) expect(only({ eventType: "utterance", ...flag, parameters })[0]?.to?.private).toBe(true);
});

test("`private` without an addressee is a loss, and the event is kept", () => {
  const { events, losses } = read([{ eventType: "bye", private: true }]);
  expect(events).toEqual([{ eventType: "bye" }]);
  expect(losses).toMatchObject([{ path: "/ovon/events/0/private" }]);
});

test("a whisper is read as a private utterance, even with `private: false`", () => {
  const event = {
    eventType: "utterance",
    to: { serviceUrl: "https://b.example", private: true },
    parameters: { dialogEvent: heard },
  };
  expect(only({ ...whisper, to: "https://b.example" })).toEqual([event]);
  expect(only({ ...whisper, to: "https://b.example", private: false })).toEqual([event]);
});

const addresseeOf = (events: object[], options: Options = {}) =>
  read(events, options).events.flatMap((event) => (event.eventType === "utterance" ? [event.to] : []));

test("a whisper without `to` goes to the agent that is invited or asked in the same envelope", () => {
  for (const eventType of ["invite", "findAssistant", "requestManifest"]) {
    const question = { eventType, to: "https://b.example" };
    const to = { serviceUrl: "https://b.example", private: true };
    expect(addresseeOf([question, whisper])).toEqual([to]);
    expect(addresseeOf([whisper, question], { senderTo: "https://c.example" })).toEqual([to]);
  }
});

test("of several invited agents, the last one before the whisper is the addressee", () => {
  const invite = (to: string) => ({ eventType: "invite", to });
  const events = [invite("https://b.example"), invite("https://c.example"), whisper, invite("https://d.example")];
  expect(addresseeOf(events)).toEqual([{ serviceUrl: "https://c.example", private: true }]);
});

test("a whisper without another addressee goes to `to` of the sender section, which is then no loss", () => {
  const { events, losses } = read([{ eventType: "findAssistant" }, whisper], { senderTo: "https://b.example" });
  expect(events[1]).toMatchObject({ to: { serviceUrl: "https://b.example", private: true } });
  expect(losses).toEqual([]);
});

test("a whisper without any addressee in its envelope goes to the receiver", () => {
  const receiver = { speakerUri: "urn:bob" };
  expect(addresseeOf([whisper], { receiver })).toEqual([{ speakerUri: "urn:bob", private: true }]);
});

test("a whisper or private utterance without an addressee is dropped and never becomes public", () => {
  for (const event of [whisper, { ...whisper, eventType: "utterance", private: true }]) {
    const { events, losses } = read([event]);
    expect(events).toEqual([]);
    expect(losses).toMatchObject([{ path: "/ovon/events/0" }]);
  }
});

test("the context of a whisper is read as the feature `context`", () => {
  const context = "The user is in a hurry.";
  const inside = { ...whisper, to: "urn:bob", parameters: { dialogEvent: { ...dialogEvent, context } } };
  const beside = { ...whisper, to: "urn:bob", context };
  const features = { text, context: { mimeType: "text/plain", tokens: [{ value: context }] } };
  const event = {
    eventType: "utterance",
    to: { speakerUri: "urn:bob", private: true },
    parameters: { dialogEvent: { ...heard, features } },
  };
  expect(read([inside])).toEqual({ events: [event], issues: [], losses: [] });
  expect(read([beside])).toMatchObject({
    events: [event],
    issues: [{ path: "/ovon/events/0/context", severity: "warning" }],
  });
});

test("a context beside a feature of that name is a loss", () => {
  const features = { text, context: text };
  const said = { eventType: "utterance", parameters: { dialogEvent: { ...dialogEvent, features, context: "x" } } };
  const { events, losses } = read([said]);
  expect(events).toMatchObject([{ parameters: { dialogEvent: { features } } }]);
  expect(losses).toMatchObject([{ path: "/ovon/events/0/parameters/dialogEvent/context" }]);
});

test("an invite is also read with its addressee in the parameters, as in the published schemas", () => {
  const { events, issues } = read([{ eventType: "invite", parameters: { to: { url: "https://b.example" } } }]);
  expect(events).toEqual([{ eventType: "invite", to: { serviceUrl: "https://b.example" } }]);
  expect(issues).toMatchObject([{ path: "/ovon/events/0/parameters", severity: "warning" }]);
});

test("a bye is read as bye", () => {
  expect(only({ eventType: "bye", parameters: {} })).toEqual([{ eventType: "bye" }]);
});

test("requestManifest is read as getManifests without a scope", () => {
  expect(only({ eventType: "requestManifest" })).toEqual([{ eventType: "getManifests" }]);
});

test("findAssistant is read as getManifests with scope all", () => {
  expect(only({ eventType: "findAssistant" })).toEqual([
    { eventType: "getManifests", parameters: { recommendScope: "all" } },
  ]);
});

test("acknowledge is left out with a warning", () => {
  const { events, issues } = read([{ eventType: "acknowledge" }]);
  expect(events).toEqual([]);
  expect(issues).toMatchObject([{ path: "/ovon/events/0/eventType", severity: "warning" }]);
});

test("parameters that 0.9 does not have are reported and left out, even if 1.1.0 has them", () => {
  const { events, issues } = read([{ eventType: "invite", parameters: { dialogHistory: "junk" } }]);
  expect(events).toEqual([{ eventType: "invite" }]);
  expect(issues).toMatchObject([{ path: "/ovon/events/0/parameters/dialogHistory", severity: "error" }]);
});

test("a dialog event without a speaker gets the sender as its speaker", () => {
  const { speakerId: _, ...nameless } = dialogEvent;
  const { events, issues } = read([{ eventType: "utterance", parameters: { dialogEvent: nameless } }]);
  expect(events).toMatchObject([{ parameters: { dialogEvent: { speakerUri: "https://a.example" } } }]);
  expect(issues).toMatchObject([
    { path: "/ovon/events/0/parameters/dialogEvent/speakerId", severity: "warning", repaired: true },
  ]);
});

test("two dialog events with one id are an error", () => {
  const said = { eventType: "utterance", parameters: { dialogEvent } };
  expect(read([said, { ...whisper, to: "urn:bob" }]).issues).toMatchObject([
    { path: "/ovon/events/1/parameters/dialogEvent/id", rule: "dialog-event-id-once", severity: "error" },
  ]);
});

test("a dialog event whose id only looks like a history or reason mark is kept as an utterance", () => {
  const marked = (eventType: string, id: string) => ({
    eventType,
    parameters: { dialogEvent: { ...dialogEvent, id } },
  });
  const invite = { eventType: "invite", to: "urn:bob" };
  const whispered = { ...marked("whisper", "x:plenary:history"), to: "urn:carl" };
  expect(read([invite, whispered]).events).toMatchObject([
    { eventType: "invite", to: { speakerUri: "urn:bob" } },
    { eventType: "utterance", to: { speakerUri: "urn:carl", private: true } },
  ]);
  expect(only(marked("utterance", "x:plenary:reason"))).toMatchObject([{ eventType: "utterance" }]);
});

test("a dialogEvent beside the parameters is moved there with a warning", () => {
  const { events, issues } = read([{ eventType: "utterance", dialogEvent }]);
  expect(events).toEqual([{ eventType: "utterance", parameters: { dialogEvent: heard } }]);
  expect(issues).toMatchObject([{ path: "/ovon/events/0/dialogEvent", severity: "warning" }]);
});
