import { expect, test } from "vitest";
import type { Identification, TranscriptEntry } from "../transcript.ts";
import { createTranscriptLines } from "./transcript-lines.ts";

const ann = "tag:ann.example,2025:1";
const echo = "tag:echo.example,2025:1";
const floor = "tag:floor.example,2025:plenary";
const at = "2025-01-31T10:05:00Z";

function identification(speakerUri: string, conversationalName: string): Identification {
  return { speakerUri, serviceUrl: "https://x.example/", organization: "", conversationalName, synopsis: "" };
}

function seat(speakerUri: string, name: string, state: "invited" | "joined" = "joined") {
  return { identification: identification(speakerUri, name), kind: "agent" as const, state };
}

function said(seq: number, sender: string, text: string, more: object = {}): TranscriptEntry {
  const dialogEvent = {
    id: `de:${seq}`,
    speakerUri: sender,
    span: { startTime: at },
    features: { text: { mimeType: "text/plain", tokens: [{ value: text }] } },
  };
  return {
    seq,
    at,
    kind: "event",
    sender,
    event: { eventType: "utterance", parameters: { dialogEvent } },
    ...more,
  } as TranscriptEntry;
}

function event(seq: number, sender: string, eventType: string, more: object = {}): TranscriptEntry {
  return { seq, at, kind: "event", sender, event: { eventType }, ...more } as TranscriptEntry;
}

function linesOf(...entries: TranscriptEntry[]) {
  const transcript = createTranscriptLines();
  for (const entry of entries) transcript.add(entry);
  return transcript.lines();
}

/** The notes as text, with each speakerUri in angle brackets. */
function notesOf(...entries: TranscriptEntry[]): string[] {
  return linesOf(...entries).flatMap((line) =>
    line.kind === "note"
      ? [line.words.map((word) => (typeof word === "string" ? word : `<${word.speakerUri}>`)).join("")]
      : [],
  );
}

test("a whisper is marked, with its addressee", () => {
  const to = { speakerUri: echo, private: true };
  const entry = said(5, ann, "psst", { target: echo });
  const whisper = { ...entry, event: { ...("event" in entry ? entry.event : {}), to } } as TranscriptEntry;
  expect(linesOf(whisper)).toMatchObject([{ kind: "utterance", isWhisper: true, to: echo, sender: ann }]);
});

test("a relayed utterance names its sender and its claimed speaker", () => {
  const entry = said(5, echo, "hello");
  const [line] = linesOf(relayed(entry, ann));
  expect(line).toMatchObject({ sender: echo, relayedFrom: ann });
});

test.each(["b5y09lky5KU5", "assistant", ""])(
  "the speaker id %j of a 0.9 agent is not shown as a relayed speaker",
  (speakerId) => {
    const [line] = linesOf(relayed(said(5, echo, "hello"), speakerId));
    expect(line).not.toHaveProperty("relayedFrom");
  },
);

function relayed(entry: TranscriptEntry, speakerUri: string): TranscriptEntry {
  const copy = structuredClone(entry) as TranscriptEntry & {
    event: { parameters: { dialogEvent: { speakerUri: string } } };
  };
  copy.event.parameters.dialogEvent.speakerUri = speakerUri;
  return copy;
}

test.each([
  ["2.2/utterance/granted/no-convener", true],
  ["2.2/utterance/not-granted/no-convener", false],
  ["2.1/addressed", false],
  ["0.4.3/advisory", undefined],
])("the rule %s says whether its speaker had the floor: %s", (because, hadFloor) => {
  const [line] = linesOf(said(5, ann, "hello", { because }));
  expect(line?.kind === "utterance" && line.hadFloor).toBe(hadFloor);
});

test("joining makes one note; acceptInvite and identification add none", () => {
  const notes = notesOf(
    { seq: 1, at, kind: "seated", seat: seat(echo, "", "invited") },
    { seq: 2, at, kind: "seated", seat: seat(echo, ""), because: "1.14/joined-by-answering" },
    event(3, echo, "acceptInvite"),
    { seq: 4, at, kind: "seated", seat: seat(echo, "Echo"), because: "command/identify/operator" },
  );
  expect(notes).toEqual([`<${echo}> joined`]);
});

test("an agent that answers under another name is shown by that name in earlier lines too", () => {
  const transcript = createTranscriptLines();
  const address = "https://echo.example/";
  transcript.add({ seq: 1, at, kind: "seated", seat: seat(address, "", "invited") });
  transcript.add({
    seq: 2,
    at,
    kind: "renamed",
    from: address,
    to: echo,
    identification: identification(echo, "Echo"),
  });
  expect(transcript.identifications().get(address)?.conversationalName).toBe("Echo");
});

test("events of the floor itself are shown without a sender", () => {
  const opened: TranscriptEntry = { seq: 1, at, kind: "opened", self: { speakerUri: floor } };
  const notes = notesOf(
    opened,
    event(2, floor, "revokeFloor", { target: echo }),
    event(3, ann, "revokeFloor", { target: echo }),
  );
  expect(notes).toEqual([`<${echo}> lost the floor`, `<${ann}> took the floor from <${echo}>`]);
});

test("equal notes in a row become one line with a count", () => {
  const whisper = { at, from: ann, to: echo };
  const [line, ...more] = linesOf(
    { seq: 1, at, kind: "hidden", whisper },
    { seq: 2, at, kind: "hidden", whisper },
    { seq: 3, at, kind: "hidden", whisper },
  );
  expect(line).toMatchObject({ sign: "whisper", times: 3, seq: 3 });
  expect(more).toEqual([]);
});

test("a hidden entry that is no whisper makes no line", () => {
  expect(linesOf({ seq: 1, at, kind: "hidden" })).toEqual([]);
});

test("a refusal names what was tried and why it was refused", () => {
  const [line] = linesOf({
    seq: 1,
    at,
    kind: "refused",
    sender: ann,
    problem: "nobody removes the owner",
    event: { eventType: "uninvite", to: { speakerUri: echo } },
  });
  expect(line).toMatchObject({
    tone: "warning",
    reason: "nobody removes the owner",
    words: [{ speakerUri: ann }, " could not remove a conversant"],
  });
});

test.each([
  ["@error refused what it was sent", "refused what it was sent"],
  ["@unavailable", "could not be reached"],
])("a declined invite because of %s is shown without the token", (reason, words) => {
  const declined = { eventType: "declineInvite", reason };
  const [line] = linesOf(
    event(1, floor, "declineInvite", { event: declined, target: echo, because: "1.15/on-its-behalf" }),
  );
  expect(line).toMatchObject({ tone: "warning", words: [{ speakerUri: echo }, ` did not come: it ${words}`] });
  expect(line).not.toHaveProperty("reason");
});

test("notes about pause, resume and title name the person who did it", () => {
  const done = (entry: object) => linesOf({ seq: 1, at, ...entry } as TranscriptEntry)[0];
  const by = { by: ann };
  const words = (...rest: string[]) => ({ kind: "note", words: [{ speakerUri: ann }, ...rest] });
  const paused = done({ kind: "paused", because: "command/pause/person", ...by });
  expect(paused).toMatchObject({ ...words(" pressed Stop"), tone: "warning" });
  expect(paused).not.toHaveProperty("reason");
  expect(done({ kind: "resumed", ...by })).toMatchObject(words(" let the agents go on"));
  expect(done({ kind: "titled", title: "Birds", ...by })).toMatchObject(words(" changed the title to “Birds”"));
  expect(done({ kind: "titled", ...by })).toMatchObject(words(" took the title away"));
  expect(done({ kind: "resumed" })).toMatchObject({ words: ["The agents go on"] });
  expect(done({ kind: "chosen", serviceUrl: "https://x.example/" })).toMatchObject({
    words: ["x.example is to convene once it has joined"],
  });
  expect(done({ kind: "titled", title: "Birds" })).toMatchObject({ words: ["The title is now “Birds”"] });
});

test.each([
  ["loop/depth", "answers to answers went on too long"],
  ["command/pause/person", "a person pressed Stop"],
])("the note about a pause because of %s gives the reason in words", (because, reason) => {
  expect(linesOf({ seq: 1, at, kind: "paused", because })).toMatchObject([{ reason }]);
});

test("a note about getManifests names the addressee; without one it says that the sender asks who can help", () => {
  expect(notesOf(event(5, ann, "getManifests", { target: echo }))).toEqual([`<${ann}> asked <${echo}> what it can do`]);
  expect(notesOf(event(5, ann, "getManifests"))).toEqual([`<${ann}> asked who can help`]);
});

test("an assigned and a removed role make one line each, and no second line about joining", () => {
  const role = { at, kind: "role", role: "archivist", speakerUri: echo } as const;
  const seated = { at, kind: "seated", seat: seat(echo, "Echo"), because: "1.12/expected-role" } as const;
  const lines = linesOf(
    { seq: 1, ...seated },
    { seq: 2, ...role, isAdded: true },
    { seq: 3, ...role, isRemoved: true },
  );
  expect(lines.map((line) => (line.kind === "note" ? line.words[1] : ""))).toEqual([
    " is archivist now",
    " is archivist no longer",
  ]);
});

test("the note that a convener seems idle offers to end its role", () => {
  const refused = { at, kind: "refused", sender: ann, event: { eventType: "invite" }, problem: "no" } as const;
  const lines = linesOf(
    { seq: 1, ...refused, because: "2.2/convener-dropped" },
    { seq: 2, ...refused, problem: "no again", because: "convener/seems-idle" },
  );
  expect(lines.map((line) => (line.kind === "note" ? line.offer : ""))).toEqual([undefined, "endConvening"]);
});
