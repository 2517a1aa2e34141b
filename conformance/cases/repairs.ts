import {
  addressed,
  bye,
  dialogEvent,
  envelope,
  floor,
  identification,
  invite,
  manifest,
  multimedia,
  publishManifests,
  toBot,
  utterance,
} from "../bases.ts";
import { drop, type RepairCase, set } from "../case.ts";

const event = "/openFloor/events/0";
const said = `${event}/parameters/dialogEvent`;
const saidIn = "/events/0/parameters/dialogEvent";
const now = "2025-01-31T12:00:00Z";
const ann = "tag:ann.example,2025:1";
const bot = "tag:bot.example,2025:1";
const { document: withoutRoles } = drop(floor, "/openFloor/conversation/assignedFloorRoles");

const version = (name: string, written: unknown, read: string): RepairCase => ({
  name,
  rule: "schema-version",
  document: set(bye, "/openFloor/schema/version", written).document,
  becomes: { "/schema/version": read },
});

const speaking = (
  name: string,
  rule: RepairCase["rule"],
  { document }: { document: unknown },
  becomes: Record<string, unknown>,
  leavesOut: readonly string[] = [],
): RepairCase => ({
  name,
  rule,
  document,
  becomes: Object.fromEntries(Object.entries(becomes).map(([key, value]) => [`${saidIn}${key}`, value])),
  leavesOut: leavesOut.map((key) => `${saidIn}${key}`),
});

const envelopeRepairs: readonly RepairCase[] = [
  version("blanks around the version are cut", " 1.1.0 ", "1.1.0"),
  version("an abbreviated version is completed", "1.1", "1.1.0"),
  version("a number is read as a version", 1.1, "1.1.0"),
  version("a version nobody published becomes the newest", "1.7.0", "1.1.0"),
  {
    name: "a version of the old format becomes our own",
    rule: "schema-version-root",
    document: set(bye, "/openFloor/schema/version", "0.9.3").document,
    becomes: { "/schema/version": "1.1.0" },
  },
  {
    name: "a missing schema becomes our own",
    rule: "schema",
    document: drop(bye, "/openFloor/schema").document,
    becomes: { "/schema": { version: "1.1.0" } },
  },
  {
    name: "a root key in lower case opens the same envelope",
    rule: "root",
    document: { openfloor: bye.openFloor },
    becomes: { "": bye.openFloor },
  },
  {
    name: "currentRoles becomes assignedFloorRoles",
    rule: "current-roles",
    document: set(withoutRoles, "/openFloor/conversation/currentRoles", { convener: [bot] }).document,
    becomes: { "/conversation/assignedFloorRoles": { convener: [bot] } },
    leavesOut: ["/conversation/currentRoles"],
  },
  {
    name: "roles and grants without conversants stand as they are",
    rule: "conversants-present",
    document: drop(floor, "/openFloor/conversation/conversants").document,
    becomes: { "/conversation/floorGranted": [ann, bot] },
    leavesOut: ["/conversation/conversants"],
  },
  {
    name: "a conversant without the mandatory texts has empty ones",
    rule: "identification-synopsis",
    document: set(floor, "/openFloor/conversation/conversants/1/identification", {
      speakerUri: bot,
      serviceUrl: "https://bot.example/floor",
    }).document,
    becomes: {
      "/conversation/conversants/1/identification": {
        ...identification,
        organization: "",
        conversationalName: "",
        synopsis: "",
      },
    },
  },
  {
    name: "blanks around the sender's address are cut",
    rule: "sender-service-url",
    document: set(bye, "/openFloor/sender/serviceUrl", " https://ann.example/floor\n").document,
    becomes: { "/sender/serviceUrl": "https://ann.example/floor" },
  },
  {
    name: "a sender named by a word keeps it",
    rule: "sender-speaker-uri",
    document: set(bye, "/openFloor/sender/speakerUri", "Parrot").document,
    becomes: { "/sender/speakerUri": "Parrot" },
  },
];

const dialogEventRepairs: readonly RepairCase[] = [
  speaking("a missing id is made up", "dialog-event-id", drop(utterance, `${said}/id`), { "/id": "minted-id" }),
  speaking("a missing span begins on arrival", "dialog-event-span", drop(utterance, `${said}/span`), {
    "/span": { startTime: now },
  }),
  speaking(
    "a space in a time becomes a T",
    "span-start-time",
    set(utterance, `${said}/span/startTime`, "2025-01-31 10:05:00+00:00"),
    {
      "/span/startTime": "2025-01-31T10:05:00+00:00",
    },
  ),
  speaking(
    "a time without zone is UTC",
    "span-start-time",
    set(utterance, `${said}/span/startTime`, "2025-01-31T10:05:00.5"),
    {
      "/span/startTime": "2025-01-31T10:05:00.5Z",
    },
  ),
  speaking(
    "a duration without designator is in seconds",
    "span-end-offset",
    set(utterance, `${said}/span/endOffset`, "PT0.1045"),
    {
      "/span/endOffset": "PT0.1045S",
    },
  ),
  speaking(
    "kebab-case keys become camelCase",
    "span-keys",
    set(utterance, `${said}/span`, { "start-offset": "PT1S", "end-offset": "PT2S" }),
    {
      "/span": { startOffset: "PT1S", endOffset: "PT2S" },
    },
  ),
  speaking(
    "speakerID becomes speakerUri",
    "dialog-event-speaker-uri",
    set(drop(utterance, `${said}/speakerUri`).document, `${said}/speakerID`, ann),
    {
      "/speakerUri": ann,
    },
    ["/speakerID"],
  ),
  speaking(
    "a context becomes a feature",
    "dialog-event-context",
    set(utterance, `${said}/context`, "a party"),
    {
      "/features/context": { mimeType: "text/plain", tokens: [{ value: "a party" }] },
    },
    ["/context"],
  ),
  speaking(
    "the span of a feature stands",
    "feature-span",
    set(utterance, `${said}/features/text/span`, { startOffset: "PT1S" }),
    {
      "/features/text/span": { startOffset: "PT1S" },
    },
  ),
  speaking(
    "audio by URL becomes a token",
    "feature-tokens",
    set(multimedia, `${said}/features/audio`, { mimeType: "audio/wav", "value-uri": "https://ann.example/1.wav" }),
    { "/features/audio": { mimeType: "audio/wav", tokens: [{ valueUrl: "https://ann.example/1.wav" }] } },
  ),
  speaking("a locale becomes a language tag", "feature-lang", set(utterance, `${said}/features/text/lang`, "de_AT"), {
    "/features/text/lang": "de-AT",
  }),
  speaking(
    "a number in the text is spelled out",
    "text-value",
    set(utterance, `${said}/features/text/tokens/0/value`, 42),
    {
      "/features/text/tokens/0/value": "42",
    },
  ),
  {
    name: "a dialog event beside the parameters moves into them",
    rule: "utterance-dialog-event",
    document: envelope({ eventType: "utterance", dialogEvent }),
    becomes: { "/events/0": { eventType: "utterance", parameters: { dialogEvent } } },
  },
];

const one = { servicingManifests: [manifest] };

const eventRepairs: readonly RepairCase[] = [
  {
    name: "publishManifest with one manifest becomes publishManifests",
    rule: "event-type-retired",
    document: envelope({ eventType: "publishManifest", parameters: { manifest } }),
    becomes: { "/events/0": { eventType: "publishManifests", parameters: one } },
  },
  {
    name: "publishManifest with lists becomes publishManifests",
    rule: "event-type-retired",
    document: envelope({ eventType: "publishManifest", parameters: one }),
    becomes: { "/events/0": { eventType: "publishManifests", parameters: one } },
  },
  {
    name: "findAssistant becomes getManifests of scope all",
    rule: "event-type-retired",
    document: envelope({ eventType: "findAssistant", to: toBot }),
    becomes: { "/events/0": { eventType: "getManifests", to: toBot, parameters: { recommendScope: "all" } } },
  },
  {
    name: "the history of a context event goes into the invite beside it",
    rule: "event-type-retired",
    document: envelope(
      { eventType: "invite", to: toBot },
      { eventType: "context", to: toBot, parameters: { dialogHistory: [dialogEvent] } },
    ),
    becomes: { "/events": [{ eventType: "invite", to: toBot, parameters: { dialogHistory: [dialogEvent] } }] },
  },
  {
    name: "a context event without an invite is taken off the floor",
    rule: "event-type-retired",
    document: envelope({ eventType: "context", parameters: { dialogHistory: [dialogEvent] } }),
    becomes: { "/events": [] },
  },
  {
    name: "an invite to a speakerUri alone stands",
    rule: "invite-service-url",
    document: drop(invite, `${event}/to/serviceUrl`).document,
    becomes: { "/events/0/to": { speakerUri: bot } },
  },
  {
    name: "an addressee among the parameters of an invite moves out of them",
    rule: "invite-parameters",
    document: envelope({ eventType: "invite", parameters: { to: toBot } }),
    becomes: { "/events/0": { eventType: "invite", to: toBot } },
  },
  {
    name: "a bare URL becomes an addressee by address",
    rule: "to-object",
    document: set(addressed, `${event}/to`, "https://bot.example").document,
    becomes: { "/events/0/to": { serviceUrl: "https://bot.example" } },
  },
  {
    name: "a bare URI becomes an addressee by name",
    rule: "to-object",
    document: set(addressed, `${event}/to`, bot).document,
    becomes: { "/events/0/to": { speakerUri: bot } },
  },
  {
    name: "a list of one addressee becomes that one",
    rule: "to-object",
    document: set(addressed, `${event}/to`, [toBot]).document,
    becomes: { "/events/0/to": toBot },
  },
  {
    name: "a score in percent becomes a fraction",
    rule: "score",
    document: set(publishManifests, `${event}/parameters/servicingManifests/0/score`, 25).document,
    becomes: { "/events/0/parameters/servicingManifests/0/score": 0.25 },
  },
  {
    name: "serviceName becomes department",
    rule: "identification-service-name",
    document: set(publishManifests, `${event}/parameters/servicingManifests/0/identification/serviceName`, "Passports")
      .document,
    becomes: {
      "/events/0/parameters/servicingManifests/0/identification": { ...identification, department: "Passports" },
    },
  },
  {
    name: "one list of layers becomes two",
    rule: "supported-layers",
    document: set(publishManifests, `${event}/parameters/servicingManifests/0/capabilities/0/supportedLayers`, ["text"])
      .document,
    becomes: {
      "/events/0/parameters/servicingManifests/0/capabilities/0/supportedLayers": { input: ["text"], output: ["text"] },
    },
  },
];

export const repairCases: readonly RepairCase[] = [...envelopeRepairs, ...dialogEventRepairs, ...eventRepairs];
