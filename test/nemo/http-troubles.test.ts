// Failures of NeMo clients in HTTP mode and of OpenAI clients.
import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { patience } from "../support/wait-for.ts";
import { allLines, bodyOf, contentOf, postTo, user } from "./http-client.ts";
import { startNemoFloor, useNemoFloor } from "./nemo-floor.ts";
import type { Cue } from "./scripted-agents.ts";

const { agents, post, echo, stateOf } = useNemoFloor();

async function closed(conversation: string | null): Promise<boolean> {
  await vi.waitFor(async () => expect((await stateOf(conversation ?? "")).isClosed).toBe(true), patience);
  return true;
}

test.concurrent("a failed agent gives 422, and an error in the format of OpenAI", async () => {
  const alice = await agents.start("Alice", (cue) => cue.fail(400, "no envelope"));
  const body = { messages: [user("hi")] };
  const response = await post({ path: "/chat", body, agents: [alice] });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ code: "workflow_error", details: expect.any(String) });
  const openai = await post({ body, agents: [alice] });
  expect([openai.status, await openai.json()]).toMatchObject([422, { error: { type: "server_error" } }]);
  const lines = await allLines(await post({ path: "/chat/stream", body, agents: [alice] }));
  const said = lines.flatMap(({ field, value }) => (field === "data" && value !== "[DONE]" ? [JSON.parse(value)] : []));
  expect(said.find(({ code }) => code !== undefined)).toMatchObject({ code: "workflow_error" });
  expect(said.map(({ choices }) => choices?.[0].delta.content ?? "").join("")).not.toBe("");
  const failed = await allLines(await post({ body: { ...body, stream: true }, agents: [alice] }));
  expect(JSON.stringify(failed)).not.toContain("stop");
  expect(JSON.parse(failed.at(-2)?.value ?? "")).toMatchObject({ error: { code: "workflow_error" } });
});

test.concurrent("the error of an agent beside an agent that answers is part of the answer", async () => {
  const alice = await echo();
  const bob = await agents.start("Bob", (cue) => cue.fail(400, "no envelope"));
  const response = await post({ path: "/chat", body: { messages: [user("hi")] }, agents: [alice, bob] });
  expect(response.status).toBe(200);
  expect(await contentOf(response)).toContain("you said hi");
});

const bad: [name: string, body: string, place: RegExp][] = [
  ["no JSON", "{", /JSON/u],
  ["a list", "[]", /JSON object/u],
  ["nothing said", "{}", /messages/u],
  ["no message of the user", '{"messages":[{"role":"assistant","content":"hi"}]}', /role user/u],
  ["an unknown role", '{"messages":[{"role":"boss","content":"hi"}]}', /messages\[0\]\.role/u],
  ["an unknown part", '{"messages":[{"role":"user","content":[{"type":"smell"}]}]}', /content\[0\]\.type/u],
];

test.concurrent.each(bad)("%s is refused with the fault, its place and the remedy", async (_name, body, place) => {
  const chat = await post({ path: "/chat", body });
  expect([chat.status, await chat.json()]).toEqual([
    422,
    { code: expect.stringMatching(/^invalid_/u), message: expect.any(String), details: expect.stringMatching(place) },
  ]);
  const openai = await post({ body });
  expect([openai.status, await openai.json()]).toMatchObject([
    400,
    { error: { type: "invalid_request_error", message: expect.stringMatching(place) } },
  ]);
});

test.concurrent("a body of another content type, a body that is too large, or a page of another origin is refused", async () => {
  const body = { messages: [user("hi")] };
  const form = await post({ path: "/chat", body, headers: { "content-type": "application/x-www-form-urlencoded" } });
  expect([form.status, (await bodyOf(form)).details]).toEqual([422, expect.stringContaining("application/json")]);
  const narrow = await startNemoFloor({ bodyBytesMax: 1_000 });
  const large = await postTo(narrow, { path: "/chat", body: { messages: [user("x".repeat(1_100))] } });
  expect([large.status, (await bodyOf(large)).details]).toEqual([422, expect.stringContaining("at most 1000 bytes")]);
  await narrow.close();
  const foreign = await post({ body, headers: { origin: "http://evil.example" } });
  expect([foreign.status, (await bodyOf(foreign)).error.code]).toEqual([403, "forbidden-origin"]);
});

test.concurrent("a client that disconnects does not end its turn when it has a conversation", async () => {
  const seen: string[] = [];
  const onPresence = (_: string, state: string) => seen.push(state);
  const quiet = await startNemoFloor({ streams: { limits: { awayMs: 1 }, onPresence } });
  const alice = await agents.start("Alice", () => {});
  const headers = { "conversation-id": randomUUID() };
  const hangUp = new AbortController();
  const ask = { path: "/chat", agents: [alice], headers };
  const asking = postTo(quiet, { ...ask, body: { messages: [user("hi")] }, signal: hangUp.signal });
  const [cue] = await alice.cues.until((cues) => cues.length === 1, "the question");
  hangUp.abort();
  await expect(asking).rejects.toThrow();
  await vi.waitFor(() => expect(seen).toEqual(["here", "away"]), patience);
  (cue as Cue).say("still here");
  expect(await (cue as Cue).cut).toBe(false);
  const said = async () => JSON.stringify(await quiet.log(headers["conversation-id"]));
  await vi.waitFor(async () => expect(await said()).toContain("still here"), patience);
  // Utterances from the meantime come with the next answer.
  const next = postTo(quiet, { ...ask, body: { messages: [user("and?")] } });
  const [, second] = await alice.cues.until((cues) => cues.length === 2, "the second question");
  (second as Cue).say("that was all");
  expect(await contentOf(await next)).toMatch(/still here.*that was all/su);
  await quiet.close();
});

test.concurrent("text that was not sent before a client disconnected comes with the next answer, apart from it", async () => {
  const seen: string[] = [];
  const onPresence = (_: string, state: string) => seen.push(state);
  const quiet = await startNemoFloor({ streams: { limits: { awayMs: 1 }, onPresence } });
  const alice = await agents.start("Alice", () => {});
  const ask = { path: "/chat", agents: [alice], headers: { "conversation-id": randomUUID() } };
  const hangUp = new AbortController();
  const asking = postTo(quiet, { ...ask, body: { messages: [user("hi")] }, signal: hangUp.signal });
  const [cue] = await alice.cues.until((cues) => cues.length === 1, "the question");
  const onlooker = await quiet.onlooker(cue as Cue);
  const speech = (cue as Cue).stream();
  speech.write("one ");
  await onlooker.saw("one ");
  onlooker.close();
  hangUp.abort();
  await expect(asking).rejects.toThrow();
  await vi.waitFor(() => expect(seen).toEqual(["here", "away"]), patience);
  speech.write("two");
  speech.finish("one two");
  const said = async () => JSON.stringify(await quiet.log(ask.headers["conversation-id"]));
  await vi.waitFor(async () => expect(await said()).toContain("one two"), patience);
  const next = postTo(quiet, { ...ask, body: { messages: [user("and?")] } });
  const [, second] = await alice.cues.until((cues) => cues.length === 2, "the second question");
  (second as Cue).say("that was all");
  expect(await contentOf(await next)).toMatch(/one two\n\n(?:\*\*Alice:\*\* )?that was all$/u);
  await quiet.close();
});

test.concurrent("an old message that is repeated during another turn gets its answer to the end", async () => {
  const alice = await agents.start("Alice", (cue) => (cue.text === "one" ? cue.say("you said one") : undefined));
  const conversation = randomUUID();
  const ask = (words: string) =>
    post({
      path: "/chat",
      body: { messages: [user(words)] },
      agents: [alice],
      headers: { "conversation-id": conversation, "user-message-id": words },
    });
  await ask("one");
  const two = ask("two");
  const [, cue] = await alice.cues.until((cues) => cues.length === 2, "the second question");
  expect(await contentOf(await ask("one"))).toMatch(/you said one$/u);
  (cue as Cue).say("late");
  expect((await two).status).toBe(200);
  expect(alice.cues.items).toHaveLength(2);
});

test.concurrent("a client that disconnects from a stateless stream leaves no conversation open", async () => {
  const alice = await agents.start("Alice", () => {});
  const hangUp = new AbortController();
  const body = { stream: true, messages: [user("hi")] };
  const response = await post({ body, agents: [alice], signal: hangUp.signal });
  const [cue] = await alice.cues.until((cues) => cues.length === 1, "the question");
  hangUp.abort();
  expect(await closed(response.headers.get("conversation-id"))).toBe(true);
  expect(await (cue as Cue).cut).toBe(true);
});

test.concurrent("a public floor requires a credential, and reports this in the format of each kind of client", async () => {
  const away = await startNemoFloor({ proxies: 1 });
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${away.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ messages: [user("hi")] }),
    });
  const openai = await ask("/v1/chat/completions");
  expect([openai.status, await openai.json()]).toMatchObject([401, { error: { code: "invalid_api_key" } }]);
  for (const path of ["/chat", "/generate/stream", "/v1/chat", "/v1/chat/stream", "/v1/workflow/full", "/feedback"]) {
    const response = await ask(path);
    expect([path, response.status, await response.json()]).toMatchObject([path, 401, { code: "user_auth_error" }]);
  }
  expect((await ask("/chat", { "x-api-key": "operators-token" })).status).toBe(200);
  expect((await ask("/chat", { authorization: "Bearer wrong" })).status).toBe(401);
  await away.close();
});
