import type { ConversationView } from "@plenary/client";
import type { DialogEvent, Identification } from "@plenary/protocol";
import type { TranscriptEntry as Entry, Line } from "@plenary/transcript";
import { describe, expect, test } from "vitest";
import type { ConversationState } from "../state/types.ts";
import { announcementsOf } from "./announcements.tsx";

const me = "tag:me";
const names: Readonly<Record<string, string>> = { "tag:ada": "Ada", "tag:bob": "Bob", "tag:cy": "Cy", "tag:me": "Me" };

function identified(speakerUri: string): Identification {
  return {
    speakerUri,
    serviceUrl: "",
    conversationalName: names[speakerUri] ?? "",
    organization: "",
    role: "",
    synopsis: "",
  };
}

function viewOf(joined: readonly string[], change: Partial<ConversationView> = {}): ConversationView {
  return {
    id: "c1",
    seq: 10,
    isClosed: false,
    isPaused: false,
    conversants: joined.map((speakerUri) => ({
      identification: identified(speakerUri),
      kind: "agent",
      state: "joined",
      since: 0,
      misses: 0,
      hasFloor: false,
    })),
    floorGranted: [],
    assignedFloorRoles: {},
    floorRequested: [],
    options: {} as ConversationView["options"],
    ...change,
  };
}

const entry = (seq: number): Entry => ({ seq, at: "2026-01-01T10:00:00Z", kind: "resumed" });

const start: ConversationState = {
  id: "c1",
  me,
  connection: "live",
  view: viewOf([me, "tag:ada", "tag:bob"]),
  entries: [entry(10)],
  lines: [],
  prompts: [],
  drafts: [],
  awaited: [],
  unsent: [],
  identifications: new Map(Object.keys(names).map((speakerUri) => [speakerUri, identified(speakerUri)])),
  hasOlder: false,
};

function line(seq: number, sender: string, text: string, change: { isWhisper?: boolean; to?: string } = {}): Line {
  const dialogEvent: DialogEvent = {
    id: `d${seq}`,
    speakerUri: sender,
    span: { startTime: "2026-01-01T10:00:00Z" },
    features: text === "" ? {} : { text: { mimeType: "text/plain", tokens: [{ value: text }] } },
  };
  return { kind: "utterance", seq, at: "2026-01-01T10:00:00Z", sender, dialogEvent, isWhisper: false, ...change };
}

function news(change: Partial<ConversationState>, before: ConversationState | undefined = start): string[] {
  return announcementsOf(before, { ...start, ...change }).map(({ sentence }) => sentence);
}

describe("known content", () => {
  test("is not announced when the page opens", () => {
    expect(announcementsOf(undefined, { ...start, lines: [line(11, "tag:ada", "Hello")] })).toEqual([]);
  });

  test("is not announced while the conversation loads", () => {
    expect(news({ lines: [line(11, "tag:ada", "Hello")] }, { ...start, connection: "loading" })).toEqual([]);
  });

  test("is not announced for another conversation", () => {
    expect(news({ lines: [line(11, "tag:ada", "Hello")] }, { ...start, id: "c0" })).toEqual([]);
  });

  test("is not announced when an earlier page is loaded", () => {
    expect(news({ lines: [line(3, "tag:ada", "Hello"), line(4, "tag:bob", "Hi")] })).toEqual([]);
  });
});

describe("an answer", () => {
  const draft = { dialogEventId: "d11", speakerUri: "tag:ada", text: "Hel", isWhisper: false };

  test("is announced once when it begins and not while it grows", () => {
    const begun = { ...start, drafts: [draft] };
    expect(news({ drafts: [draft] })).toEqual(["Ada is answering"]);
    expect(news({ drafts: [{ ...draft, text: "Hello, I am" }] }, begun)).toEqual([]);
  });

  test("is announced in full when it is finished", () => {
    expect(news({ lines: [line(11, "tag:ada", "Hello you")] }, { ...start, drafts: [draft] })).toEqual([
      "Ada: Hello you",
    ]);
  });

  test("is cut to 200 characters", () => {
    const [sentence = ""] = news({ lines: [line(11, "tag:ada", "word ".repeat(100))] });
    expect(sentence.length).toBeLessThanOrEqual("Ada: ".length + 200);
    expect(sentence.endsWith("…")).toBe(true);
  });

  test("without text is announced too", () => {
    expect(news({ lines: [line(11, "tag:ada", "")] })).toEqual(["Ada: something without words"]);
  });

  test("of one's own is not announced", () => {
    expect(news({ lines: [line(11, me, "Hello")], drafts: [{ ...draft, speakerUri: me }] })).toEqual([]);
  });

  test("in private names the recipient", () => {
    const whispers = [
      line(11, "tag:ada", "psst", { isWhisper: true, to: me }),
      line(12, "tag:ada", "hush", { isWhisper: true, to: "tag:bob" }),
    ];
    expect(news({ lines: whispers })).toEqual(["Ada, whispering to you: psst", "Ada, whispering to Bob: hush"]);
  });

  test("that is relayed names its sender", () => {
    const relayed = (relayedFrom: string) => [{ ...line(11, "tag:ada", "Hi"), relayedFrom } as Line];
    expect(news({ lines: relayed("tag:bob") })).toEqual(["Ada, relaying Bob: Hi"]);
    expect(news({ lines: relayed(me) })).toEqual(["Ada, relaying you: Hi"]);
  });

  test("among many missed ones is announced as a count and the newest", () => {
    const lines = [11, 12, 13, 14, 15].map((seq) => line(seq, "tag:ada", `number ${seq}`));
    expect(news({ lines })).toEqual(["5 new utterances", "Ada: number 15"]);
  });
});

describe("the floor", () => {
  test("announces holders, and separately that you have it", () => {
    const view = viewOf([me, "tag:ada", "tag:bob"], { floorGranted: ["tag:bob", me] });
    expect(news({ view })).toEqual(["Bob has the floor", "You have the floor"]);
  });

  test("announces that you lost it and that no one has it", () => {
    const before = { ...start, view: viewOf([me], { floorGranted: [me] }) };
    expect(news({ view: viewOf([me]) }, before)).toEqual(["You no longer have the floor", "No one has the floor"]);
  });

  test("announces requests of others, but not your own", () => {
    const view = viewOf([me, "tag:ada", "tag:bob"], { floorRequested: ["tag:ada", me] });
    expect(news({ view })).toEqual(["Ada asked for the floor"]);
  });

  test("announces who joined and who left", () => {
    expect(news({ view: viewOf([me, "tag:ada", "tag:cy"]) })).toEqual(["Cy joined", "Bob left"]);
  });

  test("announces several conversants in one sentence", () => {
    expect(news({}, { ...start, view: viewOf([me]) })).toEqual(["Ada and Bob joined"]);
  });

  test("announces that the agents are paused and resumed", () => {
    const paused = { ...start, view: viewOf([me, "tag:ada", "tag:bob"], { isPaused: true }) };
    expect(announcementsOf(start, paused).map(({ sentence }) => sentence)).toEqual(["The agents were paused"]);
    expect(news({}, paused)).toEqual(["The agents continue"]);
  });
});

describe("the connection", () => {
  test("is announced once when it is lost, and when it is back", () => {
    expect(news({ connection: "reconnecting" })).toEqual(["Connection lost, trying again"]);
    expect(news({ connection: "offline" }, { ...start, connection: "reconnecting" })).toEqual([]);
    expect(news({ connection: "live" }, { ...start, connection: "offline" })).toEqual(["Connected again"]);
  });

  test("that ended for good announces the reason", () => {
    expect(news({ connection: "gone", problem: "You were asked to leave" })).toEqual(["You were asked to leave"]);
  });
});
