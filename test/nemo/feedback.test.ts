// Feedback on turns: sent with the trace id of a NeMo client, read with the conversation.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { token } from "../support/start-test-floor.ts";
import type { Json } from "./frame-checks.ts";
import { useNemoFloor } from "./nemo-floor.ts";

const nemo = useNemoFloor();

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${nemo.floor.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

type Row = { turn: string; traceId: string; by: string; reaction?: string; comment?: string; at: string };

/** A person at a stock client in HTTP mode, identified by a cookie. */
async function startPerson() {
  const alice = await nemo.agents.start("Alice", (cue) => cue.say("well"));
  const [session, conversation] = [randomUUID(), randomUUID()];
  const headers = { cookie: `nemo-agent-toolkit-session=${session}`, "conversation-id": conversation };
  return {
    alice,
    session,
    conversation,
    /** Returns the trace of its turn. */
    async ask(words: string, more: Json = {}): Promise<string> {
      const body = { messages: [{ role: "user", content: words }], ...more };
      const response = await post(`/chat?agents=${encodeURIComponent(alice.url)}`, body, headers);
      expect(response.status).toBe(200);
      return response.headers.get("observability-trace-id") ?? "";
    },
    think: (observability_trace_id: unknown, more: Json) =>
      post("/feedback", { observability_trace_id, ...more }, { cookie: headers.cookie }),
    speakerUri: () => alice.cues.items[0]?.from ?? "",
  };
}

async function feedbackOf(conversation: string, speaker?: string): Promise<Row[]> {
  const query = speaker === undefined ? "" : `?speaker=${encodeURIComponent(speaker)}`;
  const { status, text } = await nemo.floor.get(`/api/v1/conversations/${conversation}/feedback${query}`);
  expect(status).toBe(200);
  return JSON.parse(text).feedback;
}

test("thumbs and a comment are stored with the turn that they are about", async () => {
  const ann = await startPerson();
  const [first, second] = [await ann.ask("one"), await ann.ask("two")];
  const answered = await ann.think(second, { reaction_type: "thumbs_down" });
  expect([answered.status, await answered.json()]).toMatchObject([200, { observability_trace_id: second }]);
  await ann.think(second, { comment: "too short" });
  await ann.think(second, { reaction_type: "thumbs_up" });
  const [row, other] = await feedbackOf(ann.conversation);
  expect(other).toBeUndefined();
  expect(row).toMatchObject({ traceId: second, reaction: "thumbs_up", comment: "too short", by: ann.speakerUri() });
  const log = await nemo.floor.log(ann.conversation);
  expect(log.find(({ turn }) => turn === row?.turn)?.trace).toBe(second);
  await ann.think(second, { reaction_type: "", comment: "" });
  await ann.think(first, { comment: "fine" });
  expect(await feedbackOf(ann.conversation)).toMatchObject([{ traceId: first, comment: "fine" }]);
});

test("a credential identifies the author of feedback", async () => {
  const alice = await nemo.agents.start("Alice", (cue) => cue.say("well"));
  const [credential, conversation] = [{ authorization: `Bearer ${token}` }, randomUUID()];
  const question = { messages: [{ role: "user", content: "hello" }], model: alice.url };
  const answered = await post("/v1/chat/completions", question, { ...credential, "conversation-id": conversation });
  const observability_trace_id = answered.headers.get("observability-trace-id");
  await post("/feedback", { observability_trace_id, reaction_type: "thumbs_up" }, credential);
  expect(await feedbackOf(conversation)).toMatchObject([{ reaction: "thumbs_up", by: alice.cues.items[0]?.from }]);
});

test("a caller that may see nothing of a conversation cannot rate it, even with a trace id", async () => {
  const [ann, bob] = [await startPerson(), await startPerson()];
  const trace = await ann.ask("hello");
  expect((await bob.think(trace, { reaction_type: "thumbs_down" })).status).toBe(200);
  expect(await feedbackOf(ann.conversation)).toEqual([]);
});

test("feedback on a whisper is visible only to the conversants that could read the whisper", async () => {
  const ann = await startPerson();
  await ann.ask("hello");
  await ann.think(await ann.ask("psst", { to: "Alice", private: true }), { comment: "a secret" });
  expect(await feedbackOf(ann.conversation)).toEqual([]);
  expect(await feedbackOf(ann.conversation, ann.speakerUri())).toMatchObject([{ comment: "a secret" }]);
});

test("feedback is kept, and can still be given, after the conversation has ended", async () => {
  const ann = await startPerson();
  const trace = await ann.ask("hello");
  await ann.think(trace, { reaction_type: "thumbs_up" });
  expect((await nemo.floor.post(`/api/v1/conversations/${ann.conversation}/close`, {})).status).toBe(200);
  await ann.think(trace, { comment: "over" });
  expect(await feedbackOf(ann.conversation)).toMatchObject([{ reaction: "thumbs_up", comment: "over" }]);
});

test.each([
  ["no trace", { reaction_type: "thumbs_up" }, "/observability_trace_id"],
  ["a trace of another kind", { observability_trace_id: "weave-1", comment: "x" }, "/observability_trace_id"],
  ["nothing said", { observability_trace_id: "a".repeat(32) }, "/reaction_type"],
  ["a reaction that is no text", { observability_trace_id: "a".repeat(32), reaction_type: 1 }, "/reaction_type"],
  ["a comment without end", { observability_trace_id: "a".repeat(32), comment: "x".repeat(4_001) }, "/comment"],
])("%s is refused with 422, with the place, the rule and the remedy", async (_name, body, place) => {
  const response = await post("/feedback", body, { cookie: "nat-session=ann" });
  expect([response.status, await response.json()]).toEqual([
    422,
    { code: "invalid_data_content", message: expect.any(String), details: expect.stringContaining(`${place}: `) },
  ]);
});

test("feedback without a speaker is refused", async () => {
  const response = await post("/feedback", { observability_trace_id: "a".repeat(32), comment: "x" });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ details: expect.stringContaining("session cookie") });
});
