import { expect, test } from "vitest";
import { checkDocument } from "../../parse/check-document.ts";

const mint = { now: "2025-01-31T10:05:00Z", newId: () => "minted" };
const span = { startTime: "2025-01-31T10:00:00Z" };
const text = { mimeType: "text/plain", tokens: [{ value: "hi" }] };
const dialogEvent = { id: "de:1", speakerId: "ann", span, features: { text } };
const document = {
  schema: { version: "0.9.3" },
  conversation: { id: "c1", persistentState: { k: {} } },
  sender: { from: "https://a.example" },
  events: [] as object[],
};

function check(parts: object) {
  const { kind, valid, issues } = checkDocument(JSON.stringify({ ovon: { ...document, ...parts } }), mint);
  expect(kind).toBe("envelope");
  return { valid, found: issues.map(({ path, severity, repaired }) => [path, severity, repaired]), issues };
}

const say = (more: object) =>
  check({ events: [{ eventType: "utterance", parameters: { dialogEvent: { ...dialogEvent, ...more } } }] });
const at = "/ovon/events/0/parameters/dialogEvent";

test("all eight events, written as the specification says, give no issue", () => {
  const to = "https://b.example";
  const identification = { serviceEndpoint: to, organization: "B", conversationalName: "Bob", synopsis: "" };
  const capability = { keyphrases: [], descriptions: [], languages: ["en"], supportedLayers: ["text"] };
  const manifest = { identification, capabilities: [capability] };
  const proposal = { identification: { serviceEndpoint: to, synopsis: "" }, score: 100 };
  const { found } = check({
    events: [
      { eventType: "utterance", to, parameters: { dialogEvent } },
      {
        eventType: "whisper",
        to,
        private: true,
        parameters: { dialogEvent: { ...dialogEvent, id: "de:2", context: "x" } },
      },
      { eventType: "invite", to },
      { eventType: "bye" },
      { eventType: "requestManifest", to },
      { eventType: "publishManifest", to, parameters: { manifest } },
      { eventType: "findAssistant" },
      { eventType: "proposeAssistant", parameters: { servicingManifests: [proposal], discoveryManifests: [] } },
    ],
  });
  expect(found).toEqual([]);
});

test("every version of 0.9 is valid, a version of Open Floor is a warning, and a missing one is an error", () => {
  for (const version of ["0.9.0", "0.9.1", "0.9.2", "0.9.3"]) expect(check({ schema: { version } }).found).toEqual([]);
  for (const version of ["1.0", "1.1.0", " 0.9.3"]) {
    expect(check({ schema: { version } }).found).toEqual([["/ovon/schema/version", "warning", true]]);
  }
  expect(check({ schema: undefined }).found).toEqual([["/ovon/schema", "error", true]]);
});

test("blanks around `from` are a warning, and so is a `from` that is no URI", () => {
  for (const from of ["https://a.example ", "agent 7"]) {
    expect(check({ sender: { from } }).found).toEqual([["/ovon/sender/from", "warning", true]]);
  }
});

test("removed keys of the sender section are warnings", () => {
  const { found } = check({ sender: { from: "urn:a", to: "urn:b", replyTo: "urn:c", reply_to: "urn:d" } });
  expect(found).toEqual([
    ["/ovon/sender/to", "warning", true],
    ["/ovon/sender/replyTo", "warning", true],
    ["/ovon/sender/reply_to", "warning", true],
  ]);
});

test("a state that is not an object is kept with a warning", () => {
  const { found } = check({ conversation: { id: "c1", persistentState: { "a/b": "49kwu698" } } });
  expect(found).toEqual([["/ovon/conversation/persistentState/a~1b", "warning", true]]);
});

test("a `to` that is no URI, a list, an object or empty is a warning", () => {
  for (const to of ["someBotOrPerson.com", ["urn:b"], { serviceUrl: "https://b.example" }, "", null]) {
    expect(check({ events: [{ eventType: "bye", to }] }).found).toEqual([["/ovon/events/0/to", "warning", true]]);
  }
});

test("the known deviations of published dialog events are warnings", () => {
  const { speakerId, ...nameless } = dialogEvent;
  const events = [{ eventType: "utterance", parameters: { dialogEvent: { ...nameless, speakerID: speakerId } } }];
  expect(check({ events }).found).toEqual([[`${at}/speakerID`, "warning", true]]);
  expect(say({ id: undefined }).found).toEqual([[`${at}/id`, "warning", true]]);
  expect(say({ span: undefined }).found).toEqual([[`${at}/span`, "warning", true]]);
  expect(say({ span: { "start-time": span.startTime } }).found).toEqual([[`${at}/span/start-time`, "warning", true]]);
  expect(say({ span: { startTime: "2023-06-14 02:06:07+00:00" } }).found).toEqual([]);
  expect(say({ span: { startTime: "2023-06-14 02:06:07" } }).found).toEqual([
    [`${at}/span/startTime`, "warning", true],
  ]);
  expect(say({ features: { text: { ...text, mimeType: "plain/text" } } }).found).toEqual([
    [`${at}/features/text/mimeType`, "warning", true],
  ]);
});

test("the known deviations of published speech features are warnings", () => {
  const ssml = { mimeType: "ssml+xml", tokens: [{ value: "<speak>hi</speak>" }] };
  const audio = { mimeType: "audio/mpeg", "value-uri": "https://tts.example/?q: { hi }" };
  expect(say({ features: { text, ssml, audio } }).found).toEqual([
    [`${at}/features/audio/value-uri`, "warning", true],
    [`${at}/features/audio`, "warning", true],
    [`${at}/features/ssml/mimeType`, "warning", true],
  ]);
});

test("an utterance or whisper without a text is refused", () => {
  expect(say({ features: {} })).toMatchObject({ valid: false, found: [[`${at}/features`, "error", false]] });
  const silent = { ...dialogEvent, features: { text: { ...text, tokens: [{ value: "" }] } } };
  const events = [{ eventType: "whisper", to: "urn:b", parameters: { dialogEvent: silent } }];
  expect(check({ events }).found).toEqual([[`${at}/features`, "error", false]]);
});

test("an event that 0.9 does not have is left out, and one without a type is refused", () => {
  const type = "/ovon/events/0/eventType";
  expect(check({ events: [{ eventType: "uninvite" }] }).found).toEqual([[type, "error", true]]);
  expect(check({ events: [{ eventType: "toString" }] }).found).toEqual([[type, "error", true]]);
  expect(check({ events: [{}] }).found).toEqual([[type, "error", false]]);
  expect(check({ events: [7] }).found).toEqual([["/ovon/events/0", "error", false]]);
});

test("a document without a sender, a conversation or events is refused", () => {
  expect(check({ sender: {} }).found).toEqual([["/ovon/sender/from", "error", false]]);
  expect(check({ conversation: { id: "" } }).found).toEqual([["/ovon/conversation/id", "error", false]]);
  expect(check({ events: {} }).found).toEqual([["/ovon/events", "error", false]]);
});

test("a `private` that is no boolean is refused, so that no event becomes public by mistake", () => {
  const found = [["/ovon/events/0/private", "error", false]];
  expect(check({ events: [{ eventType: "bye", to: "urn:b", private: "perhaps" }] }).found).toEqual(found);
});

test("proposeAssistant without one of its lists is an error, and the list is read as empty", () => {
  const events = [{ eventType: "proposeAssistant", parameters: { servicingManifests: [] } }];
  expect(check({ events }).found).toEqual([["/ovon/events/0/parameters/discoveryManifests", "error", true]]);
});

test("every issue names a rule of 0.9 with its section", () => {
  const { issues } = check({ sender: {} });
  expect(issues).toMatchObject([
    { rule: "ovon-sender-from", spec: "Conversation Envelope 0.9.3, section 1.7", fix: expect.any(String) },
  ]);
});

const manifest = {
  identification: { serviceEndpoint: "https://b.example", organization: "B", conversationalName: "Bob", role: "r" },
  capabilities: [{ keyphrases: [], descriptions: [], supportedLayers: ["text"] }],
};

test("a manifest with a serviceEndpoint is checked as 0.9.0, or as 0.9.1 if it has newer keys", () => {
  const judge = (value: object) => checkDocument(JSON.stringify(value), mint);
  const identification = { ...manifest.identification, department: "d" };
  expect(judge(manifest)).toEqual({ kind: "manifest", version: "0.9.0", valid: true, issues: [] });
  expect(judge({ ...manifest, identification })).toEqual({
    kind: "manifest",
    version: "0.9.1",
    valid: true,
    issues: [],
  });
});

test("a dialog event with a speakerId is judged as 1.0.1, and with an older spelling as 1.0.0", () => {
  const { speakerId, ...nameless } = dialogEvent;
  const judge = (value: object) => checkDocument(JSON.stringify(value), mint);
  expect(judge(dialogEvent)).toEqual({ kind: "dialogEvent", version: "1.0.1", valid: true, issues: [] });
  for (const key of ["speakerID", "speaker-id"]) {
    expect(judge({ ...nameless, [key]: speakerId })).toMatchObject({
      version: "1.0.0",
      valid: true,
      issues: [{ path: `/${key}`, severity: "warning" }],
    });
  }
  expect(judge({ ...nameless, speakerUri: "urn:ann" })).toMatchObject({ version: "1.0.2", issues: [] });
});
