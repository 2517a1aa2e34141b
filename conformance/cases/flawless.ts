import {
  bye,
  capability,
  dialogEvent,
  envelope,
  floor,
  getManifests,
  identification,
  invite,
  manifest,
  media,
  multimedia,
  ovon,
  ovonBye,
  ovonDialogEvent,
  ovonInvite,
  ovonManifest,
  ovonPropose,
  ovonPublish,
  ovonUtterance,
  ovonWhisper,
  publishManifests,
  toBot,
  utterance,
} from "../bases.ts";
import { type PositiveCase, set } from "../case.ts";

const text = "/openFloor/events/0/parameters/dialogEvent/features/text";
const fine = (name: string, document: unknown): PositiveCase => ({ name, document });
const spanning = (name: string, span: object) => fine(name, { ...dialogEvent, span });

const eventCases: readonly PositiveCase[] = [
  ...["acceptInvite", "declineInvite", "bye", "requestFloor", "grantFloor", "revokeFloor", "yieldFloor"].flatMap(
    (eventType) => [
      fine(`a bare ${eventType} is fine`, envelope({ eventType })),
      fine(
        `a ${eventType} with addressee, reason and empty parameters is fine`,
        envelope({ eventType, to: toBot, reason: "@error: no idea", parameters: {} }),
      ),
    ],
  ),
  fine(
    "an uninvite is fine",
    envelope({ eventType: "uninvite", to: toBot, reason: "@error: no idea", parameters: {} }),
  ),
  fine("an utterance is fine", utterance),
  fine("an utterance in every medium is fine", multimedia),
  fine("a whisper is fine", set(utterance, "/openFloor/events/0/to/private", true).document),
  fine(
    "an utterance whose text is behind a URL is fine",
    set(utterance, `${text}/tokens/0`, { valueUrl: "https://ann.example/1.txt" }).document,
  ),
  fine(
    "an utterance with empty text beside other text is fine",
    set(utterance, `${text}/tokens/1`, { value: "" }).document,
  ),
  fine("a text in pieces is fine", set(utterance, `${text}/tokens`, [{ value: "Hel" }, { value: "lo" }]).document),
  fine(
    "a MIME type with a parameter is fine",
    set(utterance, `${text}/mimeType`, "text/plain; charset=utf-8").document,
  ),
  fine("an invite with history and expected roles is fine", invite),
  fine("an invite with neither is fine", envelope({ eventType: "invite", to: { serviceUrl: "https://bot.example" } })),
  fine(
    "an invite with an empty history is fine",
    envelope({ eventType: "invite", to: toBot, parameters: { dialogHistory: [] } }),
  ),
  fine("getManifests is fine", getManifests),
  fine("a bare getManifests is fine", envelope({ eventType: "getManifests" })),
  ...["internal", "external", "all"].map((recommendScope) =>
    fine(
      `the scope ${recommendScope} is fine`,
      envelope({ eventType: "getManifests", parameters: { recommendScope } }),
    ),
  ),
  fine("publishManifests is fine", publishManifests),
  fine("a bare publishManifests is fine", envelope({ eventType: "publishManifests" })),
  fine(
    "publishManifests with empty lists is fine",
    envelope({ eventType: "publishManifests", parameters: { servicingManifests: [], discoveryManifests: [] } }),
  ),
  ...[0, 0.25, 1].map((score) =>
    fine(
      `a score of ${score} is fine`,
      envelope({ eventType: "publishManifests", parameters: { servicingManifests: [{ ...manifest, score }] } }),
    ),
  ),
  fine("an envelope without events is an acknowledgement", envelope()),
  fine("several events in one envelope are fine", envelope({ eventType: "yieldFloor" }, { eventType: "bye" })),
];

const envelopeCases: readonly PositiveCase[] = [
  ...["1.0.1", "1.1.0", "1.1.1"].map((version) =>
    fine(`version ${version} is fine`, set(bye, "/openFloor/schema/version", version).document),
  ),
  fine("a schema url is fine", set(bye, "/openFloor/schema/url", "https://example.com/schema.json").document),
  ...["0.9.4", "1.0.0"].map((version) =>
    fine(`version ${version} is still spoken`, set(bye, "/openFloor/schema/version", version).document),
  ),
  fine("a floor with roles and grants is fine", floor),
  fine(
    "an archivist of 1.1.1 is fine, and there may be two",
    set(floor, "/openFloor/conversation/assignedFloorRoles/archivist", [
      "tag:ann.example,2025:1",
      "tag:bot.example,2025:1",
    ]).document,
  ),
  fine(
    "a role without holders is fine",
    set(floor, "/openFloor/conversation/assignedFloorRoles/convener", []).document,
  ),
  fine("nobody having the floor is fine", set(floor, "/openFloor/conversation/floorGranted", []).document),
  fine(
    "a decline for a rejected role of 1.1.1 is fine",
    envelope({ eventType: "declineInvite", to: toBot, reason: "@roleRejected" }),
  ),
  fine(
    "a sender without an address is fine",
    set(bye, "/openFloor/sender", { speakerUri: "tag:ann.example,2025:1" }).document,
  ),
  ...[
    "tag:sandro@w3.org,2004:Sandro",
    "urn:isbn:978-3-16-148410-0",
    "mailto:info@example.com",
    "tel:+1-212-555-1212",
    "https://a.example/agent#3456",
  ].map((speakerUri) =>
    fine(`${speakerUri} is a speakerUri`, set(bye, "/openFloor/sender/speakerUri", speakerUri).document),
  ),
  fine("a conversation id may be any text", set(bye, "/openFloor/conversation/id", " 💬 \n").document),
  fine("keys of others beside the root are fine", { ...bye, signature: "abc", nested: { any: [1, null] } }),
  fine("keys of others in the envelope are fine", {
    openFloor: {
      schema: { version: "1.1.0", note: 1 },
      conversation: { id: "c", mood: null },
      sender: { speakerUri: "tag:ann.example,2025:1", app: {} },
      events: [{ eventType: "bye", to: { ...toBot, nickname: "B" }, trace: "1" }],
      via: [],
    },
  }),
  fine("a document of 32 levels is fine", { ...bye, deep: JSON.parse(`${"[".repeat(31)}${"]".repeat(31)}`) }),
  { name: "blanks around a document are fine", text: ` \r\n\t${JSON.stringify(bye)}\n` },
  { name: "escapes in strings are fine", text: JSON.stringify(bye).replace("bye", "\\u0062ye") },
  { name: "keys inside strings are not keys", text: JSON.stringify({ ...bye, quote: '{"a":1,"a":2,"__proto__":3}' }) },
  { name: "the same key in two objects is fine", text: JSON.stringify({ ...bye, a: { id: 1 }, b: { id: 1 } }) },
  { name: "the largest double is fine", text: JSON.stringify({ ...bye, big: Number.MAX_VALUE }) },
];

const times = [
  "2025-01-31T10:05:00Z",
  "2025-01-31t10:05:00z",
  "2025-01-31 10:05:00.25+00:00",
  "2025-01-31T10:05:00.123456789+05:30",
  "2024-02-29T00:00:00Z",
  "2000-02-29T00:00:00Z",
  "2016-12-31T23:59:60Z",
  "1985-04-12T23:20:50.52-00:00",
];
const durations = ["PT0S", "PT1.5S", "P1W", "P1Y2M3DT4H5M6S", "PT36H", "P3D", "PT0,5S"];
const languages = [
  "en",
  "en-US",
  "de-CH-1996",
  "zh-Hant-TW",
  "es-419",
  "sl-rozaj-biske",
  "x-whatever",
  "i-klingon",
  "en-GB-oed",
  "de-DE-u-co-phonebk",
];
const mimeTypes = [
  "image/svg+xml",
  "application/vnd.plenary.interaction+json",
  'video/mp4; codecs="avc1"',
  "text/plain;charset=UTF-8",
];

const dialogEventCases: readonly PositiveCase[] = [
  fine("a dialog event is fine", dialogEvent),
  fine("a dialog event with everything is fine", media),
  fine("a dialog event without features is fine outside an utterance", { ...dialogEvent, features: {} }),
  ...times.map((startTime) => spanning(`${startTime} is a time`, { startTime })),
  ...durations.map((startOffset) => spanning(`${startOffset} is a duration`, { startOffset })),
  spanning("a span from a time to an offset is fine", { startTime: times[0], endOffset: "PT1S" }),
  spanning("a span from an offset to a time is fine", { startOffset: "PT1S", endTime: times[0] }),
  ...languages.map((lang) => fine(`${lang} is a language`, set(media, "/features/picture/lang", lang).document)),
  ...mimeTypes.map((type) => fine(`${type} is a MIME type`, set(media, "/features/picture/mimeType", type).document)),
  ...["UTF-8", "utf-8", "ISO-8859-1", "iso-8859-1"].map((encoding) =>
    fine(`${encoding} is an encoding`, set(media, "/features/picture/encoding", encoding).document),
  ),
  ...["text", 5, 0, false, { a: null }, [null], ""].map((value) =>
    fine(`${JSON.stringify(value)} is a value`, set(media, "/features/picture/tokens/1/value", value).document),
  ),
  ...[0, 1].map((confidence) =>
    fine(
      `a confidence of ${confidence} is fine`,
      set(media, "/features/picture/tokens/0/confidence", confidence).document,
    ),
  ),
  fine("a feature without tokens to speak of is fine", set(media, "/features/picture/tokens", []).document),
  fine("alternates may be empty", set(media, "/features/picture/alternates", []).document),
  fine("keys of others in a dialog event are fine", {
    ...dialogEvent,
    mode: "custom",
    features: { note: { mimeType: "text/plain", tokens: [{ value: "x", author: 1 }], mood: "good" } },
  }),
  fine("a feature may have any name", { ...dialogEvent, features: { toString: { mimeType: "a/b", tokens: [] } } }),
];

const manifestCases: readonly PositiveCase[] = [
  fine("a manifest is fine", manifest),
  fine("a manifest without capabilities to speak of is fine", { ...manifest, capabilities: [] }),
  fine("a capability with the mandatory keys alone is fine", {
    ...manifest,
    capabilities: [{ keyphrases: [], descriptions: [] }],
  }),
  fine("a manifest with every key is fine", {
    identification: {
      ...identification,
      department: "Passports",
      role: "Clerk",
      openFloorRoles: { convener: true, discovery: false },
    },
    capabilities: [capability, { ...capability, languages: languages }],
  }),
  fine("empty texts in a manifest are fine", {
    identification: { ...identification, organization: "", conversationalName: "", synopsis: "" },
    capabilities: [],
  }),
  fine("keys of others in a manifest are fine", {
    identification: { ...identification, character: "grumpy" },
    capabilities: [{ ...capability, price: 5, supportedLayers: { input: [], output: [], both: [] } }],
    licence: "MIT",
  }),
];

const ovonCases: readonly PositiveCase[] = [
  fine("an old utterance is fine", ovonUtterance),
  fine("an old whisper with context is fine", ovonWhisper),
  fine("an old invite is fine", ovonInvite),
  fine("an old bye is fine", ovonBye),
  fine("requestManifest is fine", ovon({ eventType: "requestManifest", to: "https://bot.example" })),
  fine("findAssistant is fine", ovon({ eventType: "findAssistant", to: "https://bot.example" })),
  fine("publishManifest is fine", ovonPublish),
  fine("proposeAssistant is fine", ovonPropose),
  fine("an old envelope without events is fine", ovon()),
  fine("an old response code is fine", set(ovonBye, "/ovon/responseCode", { code: 200, description: "OK" }).document),
  fine("old persistent state is fine", set(ovonBye, "/ovon/conversation/persistentState", { bot: { n: 1 } }).document),
  fine("an old dialog event is fine", ovonDialogEvent),
  fine("an old manifest is fine", ovonManifest),
  ...["0.9.0", "0.9.1", "0.9.2", "0.9.3"].map((version) =>
    fine(`version ${version} is still read`, set(ovonBye, "/ovon/schema/version", version).document),
  ),
];

export const positiveCases: readonly PositiveCase[] = [
  ...eventCases,
  ...envelopeCases,
  ...dialogEventCases,
  ...manifestCases,
  ...ovonCases,
];
