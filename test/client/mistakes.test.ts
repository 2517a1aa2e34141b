// Mistakes that programs without TypeScript make: each is refused at once, with the place and the remedy.
import { type ConnectOptions, type Conversation, connect, createHostClient, type Floor } from "@plenary/client";
import { beforeEach, expect, test } from "vitest";
import { token } from "../support/start-test-floor.ts";
import { useClientFloor } from "./client-floor.ts";

const client = useClientFloor();

let floor: Floor;
let talk: Conversation;

beforeEach(async () => {
  const { url } = await client.start();
  floor = await client.connect({ url });
  talk = await floor.open();
});

/** What a program without types may pass. */
const wrong = <T>(value: unknown) => value as T;

async function utterances(): Promise<number> {
  const entries = await talk.log({ limit: 1_000 });
  return entries.filter((entry) => entry.kind === "event" && entry.event.eventType === "utterance").length;
}

test.each([undefined, null, "", 7])("a whisper to %j is refused, and nobody hears it", async (to) => {
  await expect(talk.whisper(wrong(to), "secret")).rejects.toMatchObject({
    status: 400,
    message: expect.stringMatching(/^Expected a speakerUri for `to`, got .*Give the speakerUri of one conversant/u),
  });
  await expect(talk.answer(wrong({ id: "q", sender: to, isWhisper: true, options: [] }), ["secret"])).rejects.toThrow(
    "Expected a speakerUri for `to`",
  );
  expect(await utterances()).toBe(0);
});

test.each(["uninvite", "grantFloor", "revokeFloor"] as const)("%s without a speakerUri is refused", async (call) => {
  for (const speakerUri of [undefined, ""]) {
    await expect(talk[call](wrong(speakerUri))).rejects.toThrow("Expected a speakerUri");
  }
});

test.each([undefined, null, "", 7, ["a"]])("the text %j is refused", async (text) => {
  await expect(talk.say(wrong(text))).rejects.toMatchObject({ name: "FloorProblem", status: 400 });
  expect(await utterances()).toBe(0);
  expect(talk.outbox.unsent()).toEqual([]);
});

test.each([-1, 1.5, Number.NaN, "begin", null])("the position %j is refused", async (position) => {
  const refusal = { status: 400, message: expect.stringContaining("Give a sequence number") };
  await expect(talk.follow({ after: wrong(position) }).next()).rejects.toMatchObject(refusal);
  await expect(talk.lines({ from: wrong(position) }).next()).rejects.toMatchObject(refusal);
});

test("the sequence number of an utterance is no agent to wait for", async () => {
  const { seq } = await talk.say("hello");
  const replied = talk.waitForReply({ from: wrong(seq) });
  await expect(replied).rejects.toMatchObject({ status: 400, message: expect.stringContaining("for `from`") });
});

test("a stream that the floor refuses for good ends with the problem", async () => {
  const refuseStreams: typeof fetch = async (input, init) => {
    const isStream = String(input).includes("/openfloor/events");
    return isStream ? Response.json({ detail: "the query is wrong" }, { status: 400 }) : fetch(input, init);
  };
  const other = await client.connect({
    url: floor.url,
    token: floor.token ?? "",
    WebSocket: false,
    fetch: refuseStreams,
  });
  const joined = await other.join(talk.id);
  await expect(joined.follow().next()).rejects.toMatchObject({ status: 400, detail: "the query is wrong" });
});

test.each([
  [undefined, "got undefined"],
  ["", 'got ""'],
  ["localhost:7536", 'got "localhost:7536"'],
  ["127.0.0.1:7536", "such as http://127.0.0.1:7536"],
  ["ftp://floor.example", "such as http://127.0.0.1:7536"],
])("the address %j of a floor is refused", async (url, text) => {
  const refusal = { status: 400, message: expect.stringContaining(text) };
  await expect(connect({ url: wrong(url), token })).rejects.toMatchObject(refusal);
  expect(() => createHostClient({ url: wrong(url), token })).toThrow(text);
});

test.each(["bob", "", " tag:bob.example,2026:bob", 7, null])("the speaker %j is refused", async (speaker) => {
  const refusal = { status: 400, message: expect.stringContaining("Expected a speakerUri for `speaker`") };
  await expect(connect({ url: floor.url, token, speaker: wrong(speaker) })).rejects.toMatchObject(refusal);
});

test("one agent is invited without a list", async () => {
  const opened = await floor.open({ invite: "/agents/clock" });
  expect((await opened.view()).conversants.map(({ kind }) => kind)).toEqual(["person", "agent"]);
});

test("connect without options says what is missing", async () => {
  await expect(connect(wrong<ConnectOptions>(undefined))).rejects.toThrow(
    "Expected the address of the floor, got undefined",
  );
});

test.each(["/api/v1", "/openfloor", "/nothing"])("an address with the path %s is no floor", async (path) => {
  const url = `${floor.url}${path}`;
  await expect(connect({ url, token })).rejects.toMatchObject({
    status: 404,
    message: `There is no floor at ${url}. Use the address that the floor printed.`,
  });
});

test("an agent without an address is refused before the conversation is opened", async () => {
  for (const address of ["clock", "", undefined]) {
    const refusal = { status: 400, message: expect.stringContaining("/agents/NAME") };
    await expect(floor.open({ invite: [wrong(address)] })).rejects.toMatchObject(refusal);
    await expect(talk.invite(wrong(address))).rejects.toMatchObject(refusal);
  }
  const open: string[] = [];
  for await (const { id } of floor.conversations()) open.push(id);
  expect(open).toEqual([talk.id]);
});

test("the floor names a misspelt option of a conversation", async () => {
  await expect(floor.open(wrong({ titel: "Plan" }))).rejects.toMatchObject({
    pointer: "/titel",
    fix: "rename it to title",
  });
});

test.each([
  ["getMe", {}, 'an operation, got "getMe"'],
  [undefined, {}, "an operation, got undefined"],
  ["GET /api/v1/conversations/:id", {}, "Expected the parameter id of GET /api/v1/conversations/:id, got undefined"],
  [
    "GET /api/v1/conversations/:id",
    { params: { id: "" } },
    'the parameter id of GET /api/v1/conversations/:id, got ""',
  ],
])("the operation %j with %j is refused", async (operation, options, text) => {
  await expect(floor.call(wrong<"GET /api/v1/me">(operation), options)).rejects.toThrow(text);
});

test("a conversation without an id is refused", async () => {
  for (const id of [undefined, ""]) await expect(floor.join(wrong(id))).rejects.toThrow("id of a conversation");
});
