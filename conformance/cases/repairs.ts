import { bye, dialogEvent, envelope, floor, identification, multimedia, ovonBye, utterance } from "../bases.ts";
import { drop, type RepairCase, set } from "../case.ts";
import { eventRepairs } from "./event-repairs.ts";

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
  version("an unpublished version becomes the newest", "1.7.0", "1.1.0"),
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
    name: "a misspelt root key opens the same envelope",
    rule: "root",
    document: { OpenFlor: bye.openFloor },
    becomes: { "": bye.openFloor },
  },
  {
    name: "of two root keys openFloor is read",
    rule: "two-roots",
    document: { ...ovonBye, ...bye },
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
  speaking("a missing speaker is the sender", "dialog-event-speaker-uri", drop(utterance, `${said}/speakerUri`), {
    "/speakerUri": ann,
  }),
  speaking("a missing span begins on arrival", "dialog-event-span", drop(utterance, `${said}/span`), {
    "/span": { startTime: now },
  }),
  speaking(
    "a time with a space and without zone is UTC",
    "span-start-time",
    set(utterance, `${said}/span/startTime`, "2025-01-31 10:05:00"),
    { "/span/startTime": "2025-01-31 10:05:00Z" },
  ),
  speaking(
    "a time without zone is UTC",
    "span-start-time",
    set(utterance, `${said}/span/startTime`, "2025-01-31T10:05:00.5"),
    { "/span/startTime": "2025-01-31T10:05:00.5Z" },
  ),
  speaking(
    "a duration without designator is in seconds",
    "span-end-offset",
    set(utterance, `${said}/span/endOffset`, "PT0.1045"),
    { "/span/endOffset": "PT0.1045S" },
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
    { "/speakerUri": ann },
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
    { "/features/text/tokens/0/value": "42" },
  ),
  {
    name: "a dialog event beside the parameters moves into them",
    rule: "utterance-dialog-event",
    document: envelope({ eventType: "utterance", dialogEvent }),
    becomes: { "/events/0": { eventType: "utterance", parameters: { dialogEvent } } },
  },
];

export const repairCases: readonly RepairCase[] = [...envelopeRepairs, ...dialogEventRepairs, ...eventRepairs];
