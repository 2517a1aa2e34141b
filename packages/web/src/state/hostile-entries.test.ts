import type { ConversantView, ConversationView } from "@plenary/client";
import { type DialogEvent, shownValue } from "@plenary/protocol";
import {
  createTranscriptLines,
  type TranscriptEntry as Entry,
  faceOf,
  floorHistory,
  nameOf,
} from "@plenary/transcript";
import fc from "fast-check";
import { expect, test } from "vitest";
import { announcementsOf } from "../a11y/announcements.tsx";
import { featuresOf } from "../features/feature-kind.ts";
import { plainTextOf, spokenTextOf } from "../features/plain-text.ts";
import { createReadAloud } from "../features/speech/read-aloud.ts";
import { parseSsml } from "../features/ssml/parse-ssml.ts";
import { promptStatus } from "../prompts/answer-status.ts";
import { promptsOf, withoutQuestion } from "../prompts/read-prompts.ts";
import { excerptOf, foundLines } from "../search/search-lines.ts";
import { transcriptItems } from "../transcript/transcript-items.ts";
import type { ConversationState } from "./types.ts";

const at = "2026-11-16T10:00:00.000Z";
const me = "tag:me";
const speakers = ["tag:ann", "tag:guide", me, "https://x.example/"] as const;

/** What has no words, although every object seems to have some. */
const wordless = fc.constantFrom<unknown>(
  { toString: 1 },
  { toString: null, valueOf: null },
  [{ toString: 1 }],
  { toString: { toString: 1 }, valueOf: 0 },
  { toJSON: 1, length: 3 },
);
const anything: fc.Arbitrary<unknown> = fc.oneof(wordless, fc.jsonValue({ maxDepth: 3 }), fc.string());
const mostly = <Value>(usual: fc.Arbitrary<Value>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: anything });

const words = fc.oneof(fc.string(), fc.constantFrom("yes", "Tea?", "<speak>a<break time='1s'/>b", "[".repeat(20_000)));
const options = mostly(
  fc.array(mostly(fc.dictionary(fc.constantFrom("id", "label", "value", "description"), anything))),
);
const question = fc.record(
  {
    id: mostly(fc.constantFrom("q1", "q2")),
    input_type: mostly(fc.constantFrom("text", "radio", "checkbox", "dropdown", "binary_choice", "notification")),
    text: mostly(words),
    options,
    required: anything,
    placeholder: anything,
    timeout: mostly(fc.oneof(fc.double(), fc.string())),
    error: anything,
  },
  { requiredKeys: [] },
);
const reply = fc.record({ id: mostly(fc.constantFrom("q1", "q2")), values: mostly(fc.array(anything)) });
const deep = `{"text":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
const value = fc.oneof(
  anything,
  words,
  question,
  reply,
  fc.constant(deep),
  question.map((one) => JSON.stringify(one)),
);
const token = fc.record(
  { value, valueUrl: anything, confidence: mostly(fc.double({ min: 0, max: 1 })), span: anything, alt: anything },
  { requiredKeys: [] },
);
const feature = fc.record(
  {
    mimeType: mostly(fc.constantFrom("text/plain", "text/html", "image/png", "application/ssml+xml", "x/y")),
    tokens: mostly(fc.array(mostly(token), { maxLength: 4 })),
    alternates: mostly(fc.array(mostly(fc.array(mostly(token), { maxLength: 3 })), { maxLength: 3 })),
    lang: anything,
  },
  { requiredKeys: ["tokens"] },
);
const featureNames = ["text", "html", "ssml", "audio", "image", "interaction", "interactionReply", "toString", "x"];
const featureOf = (what: fc.Arbitrary<unknown>) =>
  what.map((value) => ({ mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value }] }));
const talk = fc.record(
  { interaction: featureOf(fc.oneof(question, fc.constant(deep))), interactionReply: featureOf(reply) },
  { requiredKeys: [] },
);
const features = fc.oneof(talk, mostly(fc.dictionary(fc.constantFrom(...featureNames), mostly(feature))));
const dialogEvent = mostly(
  fc.record(
    { id: mostly(fc.string()), speakerUri: mostly(fc.constantFrom(...speakers)), span: anything, features },
    { requiredKeys: [] },
  ),
);

const speaker = fc.constantFrom(...speakers);
const seat = fc.record({
  identification: fc.record({ speakerUri: speaker, conversationalName: anything, organization: anything }),
  kind: fc.constantFrom("person", "agent"),
  state: fc.constantFrom("invited", "joined"),
});
const address = fc.option(fc.record({ speakerUri: speaker, private: fc.boolean() }), { nil: undefined });
const eventTypes = ["invite", "declineInvite", "bye", "uninvite", "getManifests", "requestFloor", "revokeFloor"];
const manifests = fc.record({
  servicingManifests: mostly(fc.array(anything)),
  discoveryManifests: mostly(fc.array(fc.record({ identification: anything }))),
});
const event = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      eventType: fc.constant("utterance"),
      to: address,
      parameters: fc.record({ dialogEvent }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ eventType: fc.constantFrom(...eventTypes), to: address, reason: anything }) },
  {
    weight: 1,
    arbitrary: fc.record({
      eventType: fc.constant("publishManifests"),
      reason: anything,
      parameters: mostly(manifests),
    }),
  },
);
const becauses = fc.constantFrom(undefined, "1.15/on-its-behalf", "2.2/utterance/granted/x", "command/pause/person");
const fact = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("event"), sender: speaker, event, because: becauses }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("refused"), sender: speaker, event, problem: anything }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("seated"), seat }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("titled"), title: anything }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("chosen"), serviceUrl: anything }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("paused", "resumed", "closed"), because: becauses }),
  },
);
/** Entries as the floor shapes them, with whatever strangers put where they may put anything. */
const log = fc
  .tuple(seat, fc.array(fact, { maxLength: 8 }))
  .map(([owner, facts]) =>
    [{ kind: "opened", self: { speakerUri: "tag:floor" }, owner }, ...facts].map(
      (one, index) => ({ seq: index + 1, at, turn: `t${index}`, ...one }) as unknown as Entry,
    ),
  );

function viewOf(seats: readonly unknown[]): ConversationView {
  return {
    id: "c",
    seq: 1,
    isClosed: false,
    isPaused: false,
    floorGranted: [me],
    floorRequested: [],
    conversants: seats as ConversantView[],
    options: {} as ConversationView["options"],
    assignedFloorRoles: {},
  };
}

/** Everything the page reads of a log without a browser. */
function readAll(entries: readonly Entry[], view: ConversationView): void {
  const transcript = createTranscriptLines();
  transcript.look(view);
  for (const entry of entries) transcript.add(entry);
  const lines = transcript.lines();
  const identifications = transcript.identifications();
  const name = (speakerUri: string) => nameOf(speakerUri, identifications.get(speakerUri));
  transcriptItems({ me, lines, drafts: [], unsent: [] });
  floorHistory(entries, identifications, view);
  for (const speakerUri of speakers) faceOf(speakerUri, identifications.get(speakerUri));
  for (const found of foundLines(lines, ["a"], name)) excerptOf(plainTextOf(found.dialogEvent), ["a"]);
  const prompts = promptsOf(entries, view.conversants);
  for (const prompt of prompts) promptStatus(prompt, me, Date.parse(at));
  for (const line of lines) {
    if (line.kind === "utterance") readUtterance(line.dialogEvent);
    const prompt = prompts.find(({ seq }) => seq === line.seq);
    if (line.kind === "utterance" && prompt !== undefined) withoutQuestion(line.dialogEvent, prompt);
    if (line.kind === "note") for (const word of line.words) expect(["string", "object"]).toContain(typeof word);
    if (line.kind === "note") expect(["string", "undefined"]).toContain(typeof line.reason);
  }
  const state = { id: "c", me, connection: "live", view, drafts: [], unsent: [], awaited: [], identifications };
  const before = { ...state, entries: [], lines: [], prompts: [], hasOlder: false } as ConversationState;
  announcementsOf(before, { ...before, view: { ...view }, entries, lines, prompts });
  const aloud = createReadAloud({ speak: () => undefined }, me);
  aloud.read([], name);
  aloud.read(lines, name);
}

function readUtterance(dialogEvent: DialogEvent): void {
  expect(typeof dialogEvent.id).toBe("string");
  for (const { feature } of featuresOf(dialogEvent)) for (const { value } of feature.tokens) shownValue(value);
  expect(typeof plainTextOf(dialogEvent)).toBe("string");
  spokenTextOf(dialogEvent);
}

test("no entry of another sender makes the page throw", () => {
  fc.assert(
    fc.property(log, fc.array(seat, { maxLength: 2 }), (entries, seats) => readAll(entries, viewOf(seats))),
    { numRuns: 400 },
  );
});

test("features are read from any value", () => {
  fc.assert(
    fc.property(features, (any) => {
      for (const { feature } of featuresOf({ features: any } as DialogEvent)) {
        for (const { value } of feature.tokens) shownValue(value);
        expect(typeof feature.mimeType).toBe("string");
      }
    }),
  );
});

test("any text can be parsed as SSML", () => {
  const pieces = fc.constantFrom("<", ">", "/", "&#x1;", "&", "speak", " a='", "!", "[");
  fc.assert(fc.property(fc.string({ unit: pieces }), (source) => void parseSsml(source)));
});

test("a value without a text is shown as JSON of limited length", () => {
  expect(shownValue({ toString: 1 })).toBe('{"toString":1}');
  expect([shownValue("a"), shownValue(0), shownValue(false), shownValue(undefined)]).toEqual(["a", "0", "false", ""]);
  expect(shownValue(JSON.parse(deep))).toBe("");
});
