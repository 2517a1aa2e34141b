import type { Line } from "@plenary/transcript";
import { afterEach, expect, test, vi } from "vitest";
import type { FloorClient } from "../floor/client.ts";
import { chatColors } from "./screen/colors.ts";
import { liveRows } from "./screen/status-rows.ts";
import { layOutLine } from "./screen/transcript-layout.ts";
import { ChatSession, type Screen } from "./session.ts";

const me = "tag:me";
const clock = "tag:clock";
const open: ChatSession[] = [];

afterEach(() => {
  for (const session of open.splice(0)) session.close();
});

const identification = (speakerUri: string, conversationalName: string) => ({
  speakerUri,
  serviceUrl: "https://x.example/",
  organization: "",
  synopsis: "",
  conversationalName,
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

type Socket = Parameters<FloorClient["socket"]>[1] & { after: string | null };

/** The far end: a floor that tells what a test makes it tell. */
async function openSession(earlier: { entry: object }[] = [], here: object[] = [], awaited: string[] = []) {
  const sockets: Socket[] = [];
  const view = { id: "c1", seq: earlier.length, isClosed: false, isPaused: false, assignedFloorRoles: {} };
  const person = { identification: identification(me, "Ann"), kind: "person", state: "joined", hasFloor: true };
  const client = {
    speakerUri: me,
    name: "Ann",
    canHost: true,
    floorUri: "tag:floor",
    url: () => "http://127.0.0.1:9",
    json: async (path: string) => {
      if (path.includes("/log?")) return { entries: earlier.map(({ entry }) => entry) };
      return path.endsWith("/agents")
        ? { agents: [], invitedByDefault: [] }
        : { ...view, conversants: [person, ...here], floorRequested: [], awaited };
    },
    socket: async (query: URLSearchParams, events: Socket) => {
      sockets.push({ ...events, after: query.get("after") });
      return { send: () => true, close: () => {} };
    },
  } as unknown as FloorClient;
  const printed: string[] = [];
  const messages: string[] = [];
  const screen: Screen = {
    printLine(line: Line, participants) {
      layOutLine(line, participants, { colors: chatColors({ env: {} }), columns: 80 });
      printed.push(wordsOf(line, participants.nameOf));
    },
    showMessage: (text) => void messages.push(text),
    refresh: () => {},
    restoreInput: () => {},
  };
  const session = await ChatSession.open(client, "c1", screen);
  open.push(session);
  session.start();
  await vi.waitFor(() => expect(session.connection).toBe("live"));
  const tell = (frame: object) => sockets.at(-1)?.onText(JSON.stringify(frame));
  return { session, sockets, printed, messages, tell };
}

function wordsOf(line: Line, nameOf: (speakerUri: string) => string): string {
  if (line.kind === "note")
    return line.words.map((word) => (typeof word === "string" ? word : nameOf(word.speakerUri))).join("");
  return `${nameOf(line.sender)}: ${line.dialogEvent.features.text?.tokens[0]?.value}`;
}

test("a repeated entry is shown once", async () => {
  const { printed, tell } = await openSession([said(1, me, "hello")]);
  tell(said(1, me, "hello"));
  tell(said(2, me, "and again"));
  tell(said(2, me, "and again"));
  expect(printed).toEqual(["You: hello", "You: and again"]);
});

test("a reconnect continues after the last entry", async () => {
  const { session, sockets, tell } = await openSession([said(1, me, "hello")]);
  tell(said(2, me, "more"));
  sockets[0]?.onClose(1006);
  expect(session.connection).toBe("reconnecting");
  await vi.waitFor(() => expect(session.connection).toBe("live"));
  expect(sockets.map(({ after }) => after)).toEqual(["1", "2"]);
});

test("a speaker that left the conversation does not reconnect", async () => {
  const { session, sockets } = await openSession();
  sockets[0]?.onClose(4010);
  expect(session.connection).toBe("gone");
  expect(await session.isIdle()).toBe(true);
});

test("a line waits for the name of its speaker, and later lines wait too", async () => {
  const { printed, tell } = await openSession();
  tell(seated(1, ""));
  tell(said(2, clock, "I am here"));
  tell(said(3, me, "hello"));
  expect(printed).toEqual([]);
  tell(seated(4, "Clock", "command/identify/operator"));
  expect(printed).toEqual(["Clock joined", "Clock: I am here", "You: hello"]);
});

test("a line waits at most one second for a name", async () => {
  const { printed, tell } = await openSession();
  tell(seated(1, ""));
  await vi.waitFor(() => expect(printed).toEqual(["clock joined"]), { timeout: 5_000 });
});

test("a draft grows until its utterance is in the log, and does not come back", async () => {
  const { session, tell } = await openSession([seated(1, "Clock")]);
  const draft = (delta: string) => ({ draft: { speakerUri: clock, dialogEventId: "d9", delta } });
  tell(draft("It is "));
  tell(draft("nine"));
  expect(session.drafts.all().map(({ text }) => text)).toEqual(["It is nine"]);
  expect(session.isBusy).toBe(true);
  tell(said(2, clock, "It is nine", "d9"));
  tell(draft(" o'clock"));
  expect(session.drafts.all()).toEqual([]);
});

/** What an object of a stranger may be where words should be. */
const wordless: readonly unknown[] = [
  { toString: 1 },
  { toString: null, valueOf: null },
  [{ toString: 1 }],
  null,
  7,
  true,
  {},
];
const huge = "x".repeat(300_000);

function asked(seq: number, interaction: unknown) {
  const { entry } = said(seq, clock, "Tea?");
  const feature = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value: interaction }] };
  Object.assign(entry.event.parameters.dialogEvent.features, { interaction: feature });
  return { entry, seq };
}

/** With something else in one place of it. */
function spoilt(frame: { entry: object; seq: number }, path: string, value: unknown) {
  const copy = structuredClone(frame);
  const names = path.split(".");
  const last = names.pop() ?? "";
  let place: Record<string, unknown> = copy.entry as never;
  for (const name of names) place = place[name] as never;
  place[last] = value;
  return copy;
}

const question = { id: "q", text: "Tea?", timeout: 3, input_type: "radio", required: true, options: ["a"] };
const event = (eventType: string, parameters?: object) => (seq: number) => ({
  entry: { seq, at: "", kind: "event", sender: clock, reason: "", event: { eventType, parameters } },
  seq,
});
const fact = (kind: string, facts: object) => (seq: number) => ({ entry: { seq, at: "", kind, ...facts }, seq });
const publish = event("publishManifests", {
  servicingManifests: [
    { identification: { ...identification(clock, "Clock") }, capabilities: [{ keyphrases: ["x"] }] },
  ],
});
const manifest = "event.parameters.servicingManifests.0";

test.each<[(seq: number) => { entry: object; seq: number }, readonly string[]]>([
  [
    (seq) => asked(seq, question),
    ["timeout", "id", "text", "options", "options.0", "input_type", "required"].map(
      (name) => `event.parameters.dialogEvent.features.interaction.tokens.0.value.${name}`,
    ),
  ],
  [
    (seq) => said(seq, clock, "hello"),
    [
      ...["sender", "target", "at", "turn", "event", "event.eventType", "event.to", "event.parameters"],
      ...["", ".id", ".speakerUri", ".span", ".features", ".features.text", ".features.text.mimeType"].map(
        (name) => `event.parameters.dialogEvent${name}`,
      ),
      ...[".tokens", ".tokens.0", ".tokens.0.value"].map((name) => `event.parameters.dialogEvent.features.text${name}`),
    ],
  ],
  [
    publish,
    ["event.reason", manifest, `${manifest}.identification`, `${manifest}.identification.conversationalName`].concat(
      [".identification.synopsis", ".identification.serviceUrl", ".capabilities", ".capabilities.0"].map(
        (name) => manifest + name,
      ),
    ),
  ],
  [(seq) => seated(seq, "Clock"), ["seat", "seat.identification", "seat.identification.conversationalName", "because"]],
  [(seq) => seated(seq, "Clock"), ["seat.identification.speakerUri", "seat.kind"]],
  [fact("refused", { sender: clock, event: { eventType: "utterance" }, problem: "" }), ["problem", "event", "sender"]],
  [fact("titled", { title: "T", by: clock }), ["title", "by", "kind"]],
  [fact("chosen", { serviceUrl: "https://x.example/" }), ["serviceUrl"]],
  [fact("paused", { by: clock }), ["by", "because"]],
  [
    fact("renamed", { from: clock, to: "tag:x", identification: identification("tag:x", "X") }),
    ["from", "identification"],
  ],
  [fact("role", { role: "convener", speakerUri: clock }), ["role", "speakerUri"]],
  [fact("hidden", { whisper: { at: "", from: clock, to: me } }), ["whisper", "whisper.from", "whisper.to"]],
])("whatever strangers put where words should be, nothing throws and the rest goes on (%#)", async (make, paths) => {
  const { session, printed, tell, sockets } = await openSession([seated(1, "Clock")]);
  let seq = 1;
  for (const path of paths) for (const value of [...wordless, huge]) tell(spoilt(make(++seq), path, value));
  tell({ draft: { speakerUri: clock, dialogEventId: "d", delta: { toString: 1 } } });
  tell({ draft: { speakerUri: { toString: 1 }, dialogEventId: 7, delta: "x" } });
  tell({ draft: null });
  sockets[0]?.onText("no JSON");
  tell({ entry: null, seq: ++seq });
  tell({ entry: { toString: 1 }, seq: ++seq });
  tell(said(++seq, me, "the rest goes on"));
  await vi.waitFor(() => expect(printed.at(-1)).toBe("You: the rest goes on"), { timeout: 5_000 });
  liveRows(session, { colors: chatColors({ env: {} }), columns: 80 }, 10);
});

test("an agent with a pending reply is shown as thinking until its first text", async () => {
  const agent = { identification: identification(clock, "Clock"), kind: "agent", state: "joined", hasFloor: true };
  const { session, tell } = await openSession([], [agent], [clock]);
  const status = () => liveRows(session, { colors: chatColors({ env: {} }), columns: 80 }, 10).at(-1);
  expect(status()).toContain("● Clock thinking …");
  tell({ draft: { speakerUri: clock, dialogEventId: "d1" } });
  expect(status()).toContain("● Clock thinking …");
  tell({ draft: { speakerUri: clock, dialogEventId: "d1", delta: "It is" } });
  expect(status()).toContain("● Clock …");
});

test("before the first text the running step is shown in the status and the draft", async () => {
  const agent = { identification: identification(clock, "Clock"), kind: "agent", state: "joined", hasFloor: true };
  const { session, tell } = await openSession([seated(1, "Clock")], [agent], [clock]);
  const rows = () => liveRows(session, { colors: chatColors({ env: {} }), columns: 80 }, 10);
  const step = (id: string, title: string, state: string) => ({ id, title, state });
  const draft = (more: object) => tell({ draft: { speakerUri: clock, dialogEventId: "d1", ...more } });
  draft({ step: step("1", "Searching\u001b[2J flights …", "running") });
  draft({ step: step("2", "Asking", "running") });
  expect(rows()).toEqual(["Clock  Asking", expect.stringContaining("● Clock Asking")]);
  draft({ step: step("2", "Asking", "done") });
  expect(rows().join()).not.toContain("\u001b");
  expect(rows()[0]).toMatch(/^Clock {2}Searching.* flights …$/u);
  draft({ step: step("1", "Searching", "failed") });
  for (const unsound of [{ toString: 1 }, null]) draft({ step: unsound });
  expect(rows().at(-1)).toContain("● Clock thinking …");
  draft({ step: step("3", "Asking", "running") });
  draft({ delta: "It is" });
  expect(rows()).toEqual(["Clock  It is▍", expect.stringContaining("● Clock …")]);
});

test("an entry that cannot be shown is reported by its number", async () => {
  const { messages, printed, tell } = await openSession();
  tell({ entry: { seq: 1, at: "", kind: "seated", seat: null }, seq: 1 });
  tell(said(2, me, "hello"));
  expect(messages).toEqual(["Entry 1 could not be shown: /raw 1 shows it."]);
  expect(printed).toEqual(["You: hello"]);
});
