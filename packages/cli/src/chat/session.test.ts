import { expect, test, vi } from "vitest";
import { clock, identification, me, openSession, said, seated } from "../testing/chat-session.ts";
import { chatColors } from "./screen/colors.ts";
import { liveRows } from "./screen/status-rows.ts";

test("a repeated entry is shown once", async () => {
  const { printed, tell } = await openSession({ earlier: [said(1, me, "hello")] });
  await tell(said(1, me, "hello"), said(2, me, "and again"), said(2, me, "and again"));
  expect(printed).toEqual(["You: hello", "You: and again"]);
});

test("a reconnect continues after the last entry", async () => {
  const { session, sockets, tell } = await openSession({ earlier: [said(1, me, "hello")] });
  await tell(said(2, me, "more"));
  sockets[0]?.onclose?.({ code: 1006 });
  await vi.waitFor(() => expect(sockets.map(({ after }) => after)).toEqual(["1", "2"]));
  await vi.waitFor(() => expect(session.connection).toBe("live"));
});

test("a speaker that left the conversation does not reconnect", async () => {
  const { session, sockets, messages } = await openSession();
  sockets[0]?.onclose?.({ code: 4010 });
  await vi.waitFor(() => expect(session.connection).toBe("gone"));
  expect(await session.isIdle()).toBe(true);
  expect(messages).toEqual(["You are no longer in this conversation."]);
});

test("a line waits for the name of its speaker, and later lines wait too", async () => {
  const { printed, tell } = await openSession();
  await tell(seated(1, ""), said(2, clock, "I am here"), said(3, me, "hello"));
  expect(printed).toEqual([]);
  await tell(seated(4, "Clock", "command/identify/operator"));
  expect(printed).toEqual(["Clock joined", "Clock: I am here", "You: hello"]);
});

test("a line waits at most one second for a name", async () => {
  const { printed, tell } = await openSession();
  await tell(seated(1, ""));
  await vi.waitFor(() => expect(printed).toEqual(["clock joined"]), { timeout: 5_000 });
});

test("a draft grows until its utterance is in the log, and does not come back", async () => {
  const { session, tell } = await openSession({ earlier: [seated(1, "Clock")] });
  const draft = (delta: string) => ({ draft: { speakerUri: clock, dialogEventId: "d9", delta } });
  await tell(draft("It is "), draft("nine"));
  expect(session.drafts.map(({ text }) => text)).toEqual(["It is nine"]);
  expect(session.isBusy).toBe(true);
  await tell(said(2, clock, "It is nine", "d9"), draft(" o'clock"));
  expect(session.drafts).toEqual([]);
});

test("an agent with a pending reply is shown as thinking until its first text", async () => {
  const agent = { identification: identification(clock, "Clock"), kind: "agent", state: "joined", hasFloor: true };
  const { session, tell } = await openSession({ here: [agent], awaited: [clock] });
  const status = () => liveRows(session, { colors: chatColors({ env: {} }), columns: 80 }, 10).at(-1);
  expect(status()).toContain("● Clock thinking …");
  await tell({ draft: { speakerUri: clock, dialogEventId: "d1" } });
  expect(status()).toContain("● Clock thinking …");
  await tell({ draft: { speakerUri: clock, dialogEventId: "d1", delta: "It is" } });
  expect(status()).toContain("● Clock …");
});

test("before the first text the running step is shown in the status and the draft", async () => {
  const agent = { identification: identification(clock, "Clock"), kind: "agent", state: "joined", hasFloor: true };
  const { session, tell } = await openSession({ earlier: [seated(1, "Clock")], here: [agent], awaited: [clock] });
  const rows = () => liveRows(session, { colors: chatColors({ env: {} }), columns: 80 }, 10);
  const step = (id: string, title: string, state: string) => ({ id, title, state });
  const draft = (more: object) => tell({ draft: { speakerUri: clock, dialogEventId: "d1", ...more } });
  await draft({ step: step("1", "Searching\u001b[2J flights …", "running") });
  await draft({ step: step("2", "Asking", "running") });
  expect(rows()).toEqual(["Clock  Asking", expect.stringContaining("● Clock Asking")]);
  await draft({ step: step("2", "Asking", "done") });
  expect(rows().join()).not.toContain("\u001b");
  expect(rows()[0]).toMatch(/^Clock {2}Searching.* flights …$/u);
  await draft({ step: step("1", "Searching", "failed") });
  for (const unsound of [{ toString: 1 }, null]) await draft({ step: unsound });
  expect(rows().at(-1)).toContain("● Clock thinking …");
  await draft({ step: step("3", "Asking", "running") });
  await draft({ delta: "It is" });
  expect(rows()).toEqual(["Clock  It is▍", expect.stringContaining("● Clock …")]);
});

test("an entry that cannot be shown is reported by its number", async () => {
  const { messages, printed, tell } = await openSession();
  await tell({ entry: { seq: 1, at: "", kind: "seated", seat: null }, seq: 1 }, said(2, me, "hello"));
  expect(messages).toEqual(["Entry 1 could not be shown: /raw 1 shows it."]);
  expect(printed).toEqual(["You: hello"]);
});

test("a refused utterance returns to the input: a whisper as a whisper, an answer as an answer", async () => {
  const { session, messages, restored, printed, tell } = await openSession({
    earlier: [seated(1, "Clock")],
    refusal: "you do not have the floor: send requestFloor",
  });
  const features = { interactionReply: { mimeType: "application/json", tokens: [{ value: { id: "q" } }] } };
  session.say({ text: "one" });
  session.say({ text: "two", to: clock, isWhisper: true });
  session.say({ text: "three", to: clock, isWhisper: true, features });
  const [{ id } = { id: "" }] = session.unsent();
  await vi.waitFor(() => expect(restored).toEqual(["one", "/whisper Clock two", "/answer three"]));
  expect(messages[0]).toBe("Not sent: you do not have the floor: /request asks for it");
  // The log reports it too, and it is shown once.
  const { event } = said(2, me, "one", id).entry;
  await tell({ entry: { seq: 2, at: "", kind: "refused", sender: me, event, problem: "no floor" }, seq: 2 });
  expect(printed).toEqual(["Clock joined"]);
});

test("an utterance that waits for the convener returns to the input when the convener changes", async () => {
  const { session, messages, restored, tell } = await openSession({ earlier: [seated(1, "Clock")] });
  session.say({ text: "one", to: clock, isWhisper: true });
  await vi.waitFor(() => expect(session.unsent()).toMatchObject([{ state: "taken" }]));
  await tell({ entry: { seq: 2, at: "", kind: "role", role: "convener" }, seq: 2 });
  expect(restored).toEqual(["/whisper Clock one"]);
  expect(messages).toEqual(["Not sent: The convener changed before it was delivered."]);
  expect(session.unsent()).toEqual([]);
});
