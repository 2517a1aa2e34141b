import { expect, test } from "vitest";
import type { DialogEvent } from "../../model/dialog-event.ts";
import type { Conversation, Envelope } from "../../model/envelope.ts";
import type { FloorEvent, To } from "../../model/event.ts";
import { parseEnvelope } from "../../parse/parse.ts";
import { noPeers, type Peers } from "../dialect.ts";
import { encodeEnvelope } from "../encode.ts";

const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };
const span = { startTime: "2025-01-31T10:00:00Z" };
const text = { mimeType: "text/plain", tokens: [{ value: "hi" }] };
const dialogEvent: DialogEvent = { id: "de:1", speakerUri: "urn:ann", span, features: { text } };
const bob = { serviceUrl: "https://b.example" };

type Options = { peers?: Peers; conversation?: Conversation };

function write(events: FloorEvent[], { peers = noPeers, conversation = { id: "c1" } }: Options = {}) {
  const schema = { version: "1.1.0" };
  const envelope: Envelope = { schema, conversation, sender: { speakerUri: "urn:ann" }, events };
  const { document, losses } = encodeEnvelope(envelope, "0.9", { peers });
  const back = parseEnvelope(JSON.stringify(document), { ...mint, peers });
  if (!back.ok) throw new Error(JSON.stringify(back.issues));
  const { events: written } = document.ovon as { events: Record<string, unknown>[] };
  return { written, losses, paths: losses.map(({ path }) => path), back: back.envelope.events, issues: back.issues };
}

const utterance = (to?: To): FloorEvent => ({ eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } });
const whisper = utterance({ ...bob, private: true });
const said = { id: "de:1", speakerId: "urn:ann", span, features: { text } };

test("an utterance is written as an utterance", () => {
  const { written, losses } = write([utterance(bob)]);
  expect(written).toEqual([{ eventType: "utterance", to: "https://b.example", parameters: { dialogEvent: said } }]);
  expect(losses).toEqual([]);
});

test("a private utterance is written as a whisper", () => {
  const { written, losses } = write([whisper]);
  expect(written).toEqual([
    { eventType: "whisper", to: "https://b.example", private: true, parameters: { dialogEvent: said } },
  ]);
  expect(losses).toEqual([]);
});

test("an addressee is written by its address, and a speakerUri that the peers do not know is a loss", () => {
  const to = { speakerUri: "urn:bob", serviceUrl: "https://b.example" };
  const peers: Peers = { speakerUriOf: () => "urn:bob", serviceUrlOf: () => undefined };
  const { written, paths } = write([{ eventType: "bye", to }]);
  expect(written).toEqual([{ eventType: "bye", to: "https://b.example" }]);
  expect(paths).toEqual(["/openFloor/events/0/to/speakerUri"]);
  expect(write([{ eventType: "bye", to }], { peers }).losses).toEqual([]);
});

test("the address of an addressee is looked up among peers, then among the conversants", () => {
  const bye: FloorEvent = { eventType: "bye", to: { speakerUri: "urn:bob" } };
  const peers: Peers = { speakerUriOf: () => "urn:bob", serviceUrlOf: () => "https://peer.example" };
  const identification = {
    ...{ speakerUri: "urn:bob", serviceUrl: "https://listed.example" },
    ...{ organization: "", conversationalName: "Bob", synopsis: "" },
  };
  const conversation = { id: "c1", conversants: [{ identification }] };
  expect(write([bye], { peers, conversation }).written).toMatchObject([{ to: "https://peer.example" }]);
  expect(write([bye], { conversation }).written).toMatchObject([{ to: "https://listed.example" }]);
  expect(write([bye]).written).toMatchObject([{ to: "urn:bob" }]);
  const nowhere = { id: "c1", conversants: [{ identification: { ...identification, serviceUrl: "" } }] };
  expect(write([bye], { conversation: nowhere }).written).toMatchObject([{ to: "urn:bob" }]);
});

test("`private` is written beside `to` in other events too, and a reason is a loss", () => {
  const { written, paths } = write([{ eventType: "bye", to: { ...bob, private: true }, reason: "@complete" }]);
  expect(written).toEqual([{ eventType: "bye", to: "https://b.example", private: true }]);
  expect(paths).toEqual(["/openFloor/events/0/reason"]);
});

test("`private: false` is not written, and a context beside the parameters of an utterance is a loss", () => {
  const { written, paths } = write([{ ...utterance({ ...bob, private: false }), ...{ context: "x" } }]);
  expect(written).toEqual([{ eventType: "utterance", to: "https://b.example", parameters: { dialogEvent: said } }]);
  expect(paths).toEqual(["/openFloor/events/0/context"]);
});

const history = (dialogHistory: DialogEvent[]) => ({ parameters: { dialogHistory } });
const invite = (past: DialogEvent[]): FloorEvent => ({ eventType: "invite", to: bob, ...history(past) });

test("the history of an invite is written as a whisper after it, and read back as history", () => {
  const { written, losses, back } = write([invite([dialogEvent])]);
  expect(written).toEqual([
    { eventType: "invite", to: "https://b.example" },
    {
      eventType: "whisper",
      to: "https://b.example",
      private: true,
      parameters: { dialogEvent: { ...said, id: "de:1:plenary:history" } },
    },
  ]);
  expect(losses).toEqual([]);
  expect(back).toEqual([invite([dialogEvent])]);
});

test("the same history can be written for two agents", () => {
  const events: FloorEvent[] = [
    { eventType: "invite", to: bob, parameters: { dialogHistory: [dialogEvent] } },
    { eventType: "invite", to: { serviceUrl: "https://c.example" }, parameters: { dialogHistory: [dialogEvent] } },
  ];
  expect(write(events)).toMatchObject({ losses: [], issues: [], back: events });
});

test("only the last spoken item of a longer history is written, and the rest is a loss", () => {
  const silent = { ...dialogEvent, id: "de:3", features: {} };
  const { written, paths } = write([invite([dialogEvent, { ...dialogEvent, id: "de:2" }, silent])]);
  expect(written[1]).toMatchObject({ parameters: { dialogEvent: { id: "de:2:plenary:history" } } });
  expect(paths).toEqual(["/openFloor/events/0/parameters/dialogHistory"]);
});

test("the speaker of a history item is a loss if it is not the inviter", () => {
  const { written, paths } = write([invite([{ ...dialogEvent, speakerUri: "urn:carl" }])]);
  expect(written[1]).toMatchObject({ parameters: { dialogEvent: { speakerId: "urn:ann" } } });
  expect(paths).toEqual(["/openFloor/events/0/parameters/dialogHistory/0/speakerUri"]);
});

test("a lost speaker of a history item is reported once, whatever names the peers know", () => {
  const peers: Peers = { speakerUriOf: () => "urn:carl", serviceUrlOf: () => undefined };
  const past = { ...dialogEvent, speakerUri: "https://c.example" };
  expect(write([{ eventType: "invite", to: { speakerUri: "urn:bob" }, ...history([past]) }], { peers }).paths).toEqual([
    "/openFloor/events/0/parameters/dialogHistory/0/speakerUri",
  ]);
});

test("the history is a loss if the envelope has a whisper to the same agent", () => {
  const { written, paths } = write([invite([dialogEvent]), whisper]);
  expect(written.map(({ eventType }) => eventType)).toEqual(["invite", "whisper"]);
  expect(paths).toEqual(["/openFloor/events/0/parameters/dialogHistory"]);
});

test("a whisper whose id looks like a history mark is read back as a whisper", () => {
  const own = { ...dialogEvent, id: "x:plenary:history" };
  const events: FloorEvent[] = [
    { eventType: "invite", to: bob },
    { eventType: "utterance", to: { ...bob, private: true }, parameters: { dialogEvent: own } },
  ];
  expect(write(events)).toMatchObject({ losses: [], back: events });
});

test("expectedFloorRoles are a loss", () => {
  const event: FloorEvent = { eventType: "invite", to: bob, parameters: { expectedFloorRoles: ["convener"] } };
  const { written, paths } = write([event]);
  expect(written).toEqual([{ eventType: "invite", to: "https://b.example" }]);
  expect(paths).toEqual(["/openFloor/events/0/parameters/expectedFloorRoles"]);
});

test("events that 0.9 does not have are not written", () => {
  for (const eventType of [
    "acceptInvite",
    "uninvite",
    "requestFloor",
    "revokeFloor",
    "yieldFloor",
    "grantFloor",
  ] as const) {
    const { written, losses } = write([{ eventType, to: bob }]);
    expect([written, losses]).toEqual([[], [{ path: "/openFloor/events/0", why: `0.9 has no ${eventType}` }]]);
  }
});

test("grantFloor with a whisper to the same agent is written as an invite with that whisper", () => {
  const { written, losses } = write([{ eventType: "grantFloor", to: bob }, whisper]);
  expect(written.map(({ eventType, to }) => [eventType, to])).toEqual([
    ["invite", "https://b.example"],
    ["whisper", "https://b.example"],
  ]);
  expect(losses).toMatchObject([{ path: "/openFloor/events/0", becomes: "invite" }]);
});

test("grantFloor adds no second invite for an agent that the envelope invites", () => {
  const { written } = write([{ eventType: "grantFloor", to: bob }, { eventType: "invite", to: bob }, whisper]);
  expect(written.map(({ eventType }) => eventType)).toEqual(["invite", "whisper"]);
});

test("declineInvite is written as bye, after an utterance with its reason without tokens", () => {
  const { written, losses, back } = write([{ eventType: "declineInvite", reason: "@unavailable I am  asleep" }]);
  expect(written).toMatchObject([
    {
      eventType: "utterance",
      parameters: { dialogEvent: { speakerId: "urn:ann", features: { text: { tokens: [{ value: "I am asleep" }] } } } },
    },
    { eventType: "bye" },
  ]);
  expect(losses).toMatchObject([{ path: "/openFloor/events/0", becomes: "bye" }]);
  expect(back).toEqual([{ eventType: "bye" }]);
});

test("a reason of only a token is written as it is, and none if the envelope has another utterance", () => {
  const decline: FloorEvent = { eventType: "declineInvite", reason: "@refused" };
  expect(JSON.stringify(write([decline]).written[0])).toContain('"@refused"');
  const { written } = write([decline, utterance()]);
  expect(written.map(({ eventType }) => eventType)).toEqual(["bye", "utterance"]);
  expect(write([{ eventType: "declineInvite" }]).written).toEqual([{ eventType: "bye" }]);
  const thrice = write([{ eventType: "declineInvite" }, decline, decline]).written.map(({ eventType }) => eventType);
  expect(thrice).toEqual(["bye", "utterance", "bye", "bye"]);
});

const question = (recommendScope?: "internal" | "external" | "all"): FloorEvent => ({
  eventType: "getManifests",
  to: bob,
  ...(recommendScope && { parameters: { recommendScope } }),
});

test("getManifests with scope internal is written as requestManifest", () => {
  for (const event of [question(), question("internal")]) {
    expect(write([event])).toMatchObject({
      written: [{ eventType: "requestManifest", to: "https://b.example" }],
      losses: [],
    });
  }
});

test("getManifests with another scope is written as findAssistant, and external is a loss", () => {
  expect(write([question("all")])).toMatchObject({ written: [{ eventType: "findAssistant" }], losses: [] });
  expect(write([question("external")])).toMatchObject({
    written: [{ eventType: "findAssistant" }],
    paths: ["/openFloor/events/0/parameters/recommendScope"],
  });
});

test("getManifests with scope internal and a whisper to the same agent is written as findAssistant", () => {
  const { written, paths } = write([question(), whisper]);
  expect(written.map(({ eventType }) => eventType)).toEqual(["findAssistant", "whisper"]);
  expect(paths).toEqual(["/openFloor/events/0/parameters/recommendScope"]);
});

test("a plain text context of a whisper is written beside its features, and any other stays a feature", () => {
  const context = { mimeType: "text/plain", tokens: [{ value: "in a hurry" }] };
  const featuresOf = (features: DialogEvent["features"], to: To) => {
    const event: FloorEvent = { eventType: "utterance", to, parameters: { dialogEvent: { ...dialogEvent, features } } };
    const { written, losses, back } = write([event]);
    expect([losses, back]).toEqual([[], [event]]);
    const [{ parameters } = {}] = written;
    return (parameters as { dialogEvent: unknown }).dialogEvent;
  };
  const secret = { ...bob, private: true };
  const rich = { ...context, lang: "en" };
  const unsure = { ...context, tokens: [{ value: "in a hurry", confidence: 0.5 }] };
  expect(featuresOf({ text, context }, secret)).toEqual({ ...said, context: "in a hurry" });
  expect(featuresOf({ text, context: rich }, secret)).toEqual({ ...said, features: { text, context: rich } });
  expect(featuresOf({ text, context: unsure }, secret)).toEqual({ ...said, features: { text, context: unsure } });
  expect(featuresOf({ text, context }, bob)).toEqual({ ...said, features: { text, context } });
});

test("features and unspecified keys are written unchanged", () => {
  const video = { mimeType: "video/mpeg", tokens: [{ valueUrl: "https://v.example/1", x: 1 }], lang: "en", y: 2 };
  const rich = { ...dialogEvent, features: { text, video }, previousId: "de:0", "custom-mode": "voice" };
  const event: FloorEvent = { eventType: "utterance", parameters: { dialogEvent: rich }, ...{ z: 3 } };
  const { written, losses, back } = write([event]);
  expect(written).toMatchObject([
    { z: 3, parameters: { dialogEvent: { features: { text, video }, "custom-mode": "voice" } } },
  ]);
  expect([losses, back]).toEqual([[], [event]]);
});

test("a speakerUri that wraps an id of 0.9 is written as that id", () => {
  const wrapped = { ...dialogEvent, speakerUri: "tag:plenary.invalid,2024:speaker/b%20k" };
  const { written, losses } = write([{ eventType: "utterance", parameters: { dialogEvent: wrapped } }]);
  expect(written).toMatchObject([{ parameters: { dialogEvent: { speakerId: "b k" } } }]);
  expect(losses).toEqual([]);
});

test("a public utterance to another agent is written with its addressee", () => {
  const toAddress = write([utterance({ speakerUri: "urn:bob", serviceUrl: "https://b.example" })]);
  expect(toAddress.written).toMatchObject([{ eventType: "utterance", to: "https://b.example" }]);
  // Without `to`, an agent of 0.9 reads an utterance as addressed to itself, so the URI is written if no address is known.
  const toName = write([utterance({ speakerUri: "urn:stranger" })]);
  expect(toName.written).toMatchObject([{ eventType: "utterance", to: "urn:stranger" }]);
  for (const { written } of [toAddress, toName]) expect(written[0]).not.toHaveProperty("private");
});
