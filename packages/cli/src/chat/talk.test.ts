import { afterEach, expect, test, vi } from "vitest";
import type { Caller } from "./caller.ts";
import type { Line } from "./lines.ts";
import { type Screen, Talk } from "./talk.ts";

const me = "tag:me";
const clock = "tag:clock";
const open: Talk[] = [];

afterEach(() => {
  for (const talk of open.splice(0)) talk.close();
});

const identification = (speakerUri: string, conversationalName: string) => ({
  ...{ speakerUri, serviceUrl: "https://x.example/", organization: "", synopsis: "", conversationalName },
});

function said(seq: number, sender: string, text: string, id = `d${seq}`) {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const dialogEvent = { id, speakerUri: sender, span: { startTime: "2026-11-16T10:00:00Z" }, features };
  const event = { eventType: "utterance", parameters: { dialogEvent } };
  return { entry: { seq, at: "2026-11-16T10:00:00Z", kind: "event", sender, event }, seq };
}

function seated(seq: number, conversationalName: string, because = "1.14/joined-by-answering") {
  const seat = { identification: identification(clock, conversationalName), kind: "agent", state: "joined" };
  return { entry: { seq, at: "", kind: "seated", because, seat }, seq };
}

type Socket = Parameters<Caller["socket"]>[1] & { after: string | null };

/** The far end: a floor that tells what a test makes it tell. */
async function talkOn(earlier: { entry: object }[] = []) {
  const sockets: Socket[] = [];
  const view = { id: "c1", seq: earlier.length, isClosed: false, isPaused: false, assignedFloorRoles: {} };
  const person = { identification: identification(me, "Ann"), kind: "person", state: "joined", hasFloor: true };
  const caller = {
    ...{ speakerUri: me, name: "Ann", mayHost: true, floorUri: "tag:floor", url: () => "http://127.0.0.1:9" },
    json: async (path: string) => {
      if (path.includes("/log?")) return { entries: earlier.map(({ entry }) => entry) };
      return path.endsWith("/agents") ? { agents: [] } : { ...view, conversants: [person], floorRequested: [] };
    },
    socket: async (query: URLSearchParams, events: Socket) => {
      sockets.push({ ...events, after: query.get("after") });
      return { send: () => true, close: () => {} };
    },
  } as unknown as Caller;
  const printed: string[] = [];
  const screen: Screen = {
    print: (line: Line, people) => void printed.push(wordsOf(line, people.nameOf)),
    ...{ tell: () => {}, refresh: () => {}, giveBack: () => {} },
  };
  const talk = await Talk.open(caller, "c1", screen);
  open.push(talk);
  talk.begin();
  await vi.waitFor(() => expect(talk.connection).toBe("live"));
  const tell = (frame: object) => sockets.at(-1)?.onText(JSON.stringify(frame));
  return { talk, sockets, printed, tell };
}

function wordsOf(line: Line, nameOf: (speakerUri: string) => string): string {
  if (line.kind === "note")
    return line.words.map((word) => (typeof word === "string" ? word : nameOf(word.speakerUri))).join("");
  return `${nameOf(line.sender)}: ${line.dialogEvent.features.text?.tokens[0]?.value}`;
}

test("whatever comes twice is shown once", async () => {
  const { printed, tell } = await talkOn([said(1, me, "hello")]);
  tell(said(1, me, "hello"));
  tell(said(2, me, "and again"));
  tell(said(2, me, "and again"));
  expect(printed).toEqual(["You: hello", "You: and again"]);
});

test("after a cut it goes on where it was", async () => {
  const { talk, sockets, tell } = await talkOn([said(1, me, "hello")]);
  tell(said(2, me, "more"));
  sockets[0]?.onClose(1006);
  expect(talk.connection).toBe("reconnecting");
  await vi.waitFor(() => expect(talk.connection).toBe("live"));
  expect(sockets.map(({ after }) => after)).toEqual(["1", "2"]);
});

test("who has no seat any more is not connected again", async () => {
  const { talk, sockets } = await talkOn();
  sockets[0]?.onClose(4010);
  expect(talk.connection).toBe("gone");
  expect(await talk.isIdle()).toBe(true);
});

test("a line about somebody without a name waits for it, and those after it wait too", async () => {
  const { printed, tell } = await talkOn();
  tell(seated(1, ""));
  tell(said(2, clock, "I am here"));
  tell(said(3, me, "hello"));
  expect(printed).toEqual([]);
  tell(seated(4, "Clock", "command/identify/operator"));
  expect(printed).toEqual(["Clock joined", "Clock: I am here", "You: hello"]);
});

test("a name that never comes is waited for no longer than a second", async () => {
  const { printed, tell } = await talkOn();
  tell(seated(1, ""));
  await vi.waitFor(() => expect(printed).toEqual(["clock joined"]), { timeout: 5_000 });
});

test("a draft grows until its utterance stands in the log, and stays gone", async () => {
  const { talk, tell } = await talkOn([seated(1, "Clock")]);
  const draft = (delta: string) => ({ draft: { speakerUri: clock, dialogEventId: "d9", delta } });
  tell(draft("It is "));
  tell(draft("nine"));
  expect(talk.drafts.all().map(({ text }) => text)).toEqual(["It is nine"]);
  expect(talk.isBusy).toBe(true);
  tell(said(2, clock, "It is nine", "d9"));
  tell(draft(" o'clock"));
  expect(talk.drafts.all()).toEqual([]);
});
