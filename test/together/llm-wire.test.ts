// The agent alone, with an endpoint that speaks the wire format of chat completions correctly, wrongly, or not at all.
import { createLlm } from "@plenary/agents";
import { expect, test } from "vitest";
import {
  answersWhole,
  breaksAfter,
  chunk,
  done,
  drips,
  ends,
  fallsSilentAfter,
  neverEnds,
  type Play,
  refuses,
  says,
  streamOf,
} from "../support/stub-model.ts";
import {
  ann,
  answerTo,
  clock,
  closeAfterEach,
  dialler,
  key,
  me,
  meet,
  modelFor,
  send,
  words,
} from "./llm-without-floor.ts";

closeAfterEach();

test("the agent sends model, stream and key, and says the received text", async () => {
  const met = await meet([says("Hel", "lo", " Ann.")], { maxTokens: 50, temperature: 0.2 });
  expect(await answerTo(met, "hello")).toBe("Hello Ann.");
  expect(met.model.asked).toMatchObject([
    {
      path: "/v1/chat/completions",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: { model: "stub-7b", stream: true, max_tokens: 50, temperature: 0.2 },
    },
  ]);
});

test("a base URL may end with a slash, and without a key there is no header", async () => {
  const model = await modelFor(says("Yes."));
  const agent = createLlm({ baseUrl: `${model.baseUrl}/`, model: "stub", dialler });
  expect(await answerTo({ agent, model, errors: [] }, "well?")).toBe("Yes.");
  expect(model.asked[0]?.path).toBe("/v1/chat/completions");
  expect(model.asked[0]?.headers).not.toHaveProperty("authorization");
});

const awkward = streamOf(["Grüß ", "Göttin ", "🦜🏳️‍🌈", " 你好"]);

test.each([1, 2, 3, 7, 64])("the agent reads a stream in chunks of %i bytes, wherever they end", async (size) => {
  const met = await meet([drips(awkward, size)]);
  expect(await answerTo(met, "say it")).toBe("Grüß Göttin 🦜🏳️‍🌈 你好");
});

test.each<[name: string, stream: string]>([
  ["CRLF", streamOf(["one ", "two"]).replaceAll("\n", "\r\n")],
  ["lone CR", streamOf(["one ", "two"]).replaceAll("\n", "\r")],
  ["comments, names, ids and retry", `: hi\nretry: 10\n\nid: 4\nevent: message\n${streamOf(["one ", "two"])}`],
  ["no blank after the colon", streamOf(["one ", "two"]).replaceAll("data: ", "data:")],
  ["a document over several data lines", `data: {"choices":[{"delta":\ndata: {"content":"one two"}}]}\n\n${done}`],
  ["no [DONE]", chunk({ content: "one two" }) + chunk({}, "stop")],
  ["no finish_reason", chunk({ content: "one two" }) + done],
  ["no newline at the end", `${chunk({ content: "one two" })}data: [DONE]`],
  [
    "usage without choices",
    `${chunk({ content: "one two" })}data: {"choices":[],"usage":{"total_tokens":3}}\n\n${done}`,
  ],
  ["content in parts", chunk({ content: [{ type: "thinking" }, { type: "text", text: "one two" }] }) + done],
  ["thoughts in a field of their own", chunk({ reasoning_content: "hm" }) + chunk({ content: "one two" }) + done],
  ["thoughts in the text", streamOf(["<thi", "nk>who is", " asking?</th", "ink>\n\n", "one ", "two"])],
  ["its own name first", streamOf(["St", "ub: one ", "two"])],
  ["its own prefix of one letter", streamOf(["o", "ne two"])],
  ["calls of tools", chunk({ tool_calls: [{ index: 0 }] }) + chunk({ content: "one two" }) + done],
])("the agent reads a stream with %s", async (_name, stream) => {
  expect(await answerTo(await meet([drips(stream, 50)]), "count")).toBe("one two");
});

test("the agent reads an endpoint that does not stream", async () => {
  expect(await answerTo(await meet([answersWhole("All at once.")]), "go")).toBe("All at once.");
});

test.each<[name: string, play: Play, said: string]>([
  [
    "reaches its length",
    ends("length", "It was a dark"),
    "It was a dark … (cut: the answer reached the maximum length)",
  ],
  ["is filtered", ends("content_filter", "First you"), "First you … (cut: a content filter removed the rest)"],
  ["breaks off", breaksAfter("It was ", "a dark"), "It was a dark … (cut: the connection to my model broke)"],
  ["ends without an end", drips(chunk({ content: "It was" }), 99), "It was … (cut: the connection to my model broke)"],
  [
    "fails in the middle",
    drips(`${chunk({ content: "It was" })}data: {"error":{"message":"CUDA out of memory","code":500}}\n\n`, 99),
    "It was … (cut: my model failed)",
  ],
  [
    "turns into nonsense",
    drips(`${chunk({ content: "It was" })}data: {"choices": nonsense\n\n`, 99),
    "It was … (cut: my model sent an answer that I cannot read)",
  ],
])("the received part of an answer that %s is said, and marked", async (_name, play, said) => {
  const met = await meet([play]);
  expect(await answerTo(met, "a story")).toBe(said);
});

const error = { error: { message: `wrong: ${key} is bad`, type: "invalid_request_error" } };

test.each<[play: Play, reason: string]>([
  [refuses(401, error), "my model does not accept my key. The operator has been informed."],
  [refuses(404, error), "my model was not found at its address. The operator has been informed."],
  [
    refuses(400, { error: { code: "model_not_found", message: "" } }),
    "my model was not found at its address. The operator has been informed.",
  ],
  [refuses(400, error), "my model failed. The operator has been informed."],
  [
    refuses(429, error, { "retry-after": "3600" }),
    "my model is getting too many requests. Please ask me again in a moment.",
  ],
  [
    refuses(429, { error: { code: "insufficient_quota" } }),
    "the account for my model has no credit left. The operator has been informed.",
  ],
  [refuses(200, "<html>a proxy</html>"), "my model sent an answer that I cannot read. The operator has been informed."],
  [refuses(200, ""), "my model sent an answer that I cannot read. The operator has been informed."],
  [
    refuses(200, { error: "model 'stub-7b' not found" }),
    "my model was not found at its address. The operator has been informed.",
  ],
  [refuses(302, "", { location: "http://127.0.0.1:1/" }), "my model failed. The operator has been informed."],
])("a person gets the reason for a missing answer (%#)", async (play, reason) => {
  const met = await meet([play]);
  expect(await answerTo(met, "hello")).toBe(`Sorry, I cannot answer: ${reason}`);
  expect(met.model.asked).toHaveLength(1);
  expect(met.errors).toHaveLength(1);
});

test("a model that stops sending is given up", async () => {
  const met = await meet([fallsSilentAfter("It was"), fallsSilentAfter()], { timeouts: { silenceMs: 200 } });
  expect(await answerTo(met, "a story")).toBe("It was … (cut: my model took too long)");
  expect(await answerTo(met, "again")).toContain("my model took too long. Please ask me again in a moment.");
  expect(met.model.asked).toHaveLength(2);
});

test("a model without a server is reported as unreachable", async () => {
  const met = await meet([says("never")]);
  await met.model.close();
  expect(await answerTo(met, "hello")).toContain("my model cannot be reached");
});

test("an agent gets no error message, because it would answer it", async () => {
  const met = await meet([refuses(401, error)]);
  expect(await send(met, [words("hello", clock, { speakerUri: me })], clock)).toEqual([]);
  expect(met.errors).toHaveLength(1);
});

test.each<[name: string, play: Play]>([
  ["429 with a wish", refuses(429, error, { "retry-after": "0" })],
  ["429 with a wish in milliseconds", refuses(429, error, { "retry-after-ms": "5" })],
  ["503 with a date that is over", refuses(503, error, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" })],
  ["502 without a word", refuses(502, "bad gateway")],
  [
    "an event of the name error",
    drips('event: error\ndata: {"message":"Overloaded","type":"overloaded_error"}\n\n', 99),
  ],
  ["an error of its stream before the first word", drips('data: {"error":{"code":503,"message":"loading"}}\n\n', 99)],
])("the agent asks again after %s", async (_name, play) => {
  const met = await meet([play, says("Here I am.")]);
  expect(await answerTo(met, "hello")).toBe("Here I am.");
  expect(met.model.asked).toHaveLength(2);
  expect(met.errors).toEqual([]);
});

test("the agent does not ask again after the first text was said", async () => {
  const met = await meet([drips(`${chunk({ content: "Half" })}data: {"error":{"code":503}}\n\n`, 99), says("Whole")]);
  expect(await answerTo(met, "hello")).toBe("Half … (cut: my model is overloaded)");
  expect(met.model.asked).toHaveLength(1);
});

test("the agent gives up on a model that stays busy", async () => {
  const met = await meet([refuses(503, error)], { timeouts: { retryMs: 300 } });
  expect(await answerTo(met, "hello")).toContain("my model is overloaded. Please ask me again in a moment.");
});

test("the key is in no error, manifest or utterance", async () => {
  const met = await meet([refuses(400, error), drips(`data: ${JSON.stringify(error)}\n\n`, 99), says("Done.")]);
  const said = [await answerTo(met, "one"), await answerTo(met, "two"), await answerTo(met, "three")];
  const events = await send(met, [{ eventType: "getManifests", to: { speakerUri: me } }]);
  const reported = met.errors.map(
    (error) => `${(error as Error).stack} ${JSON.stringify(error)} ${String((error as Error).cause)}`,
  );
  expect(reported).toHaveLength(2);
  expect(reported.join()).toContain("[key] is bad");
  expect(JSON.stringify({ said, reported, events, messages: met.model.asked.map(({ body }) => body) })).not.toContain(
    key,
  );
});

test("the agent says that a model has nothing to say", async () => {
  expect(await answerTo(await meet([says()]), "hello")).toBe("Sorry, my model had nothing to say to that.");
});

test("an endless answer is cut, and its connection is closed", async () => {
  const met = await meet([neverEnds]);
  const said = await answerTo(met, "go on");
  expect(said).toMatch(/^and so on .*… \(cut: the answer reached the maximum length\)$/u);
  expect(said.length).toBeLessThan(33_000);
  await (await met.model.request(0)).cut;
});

test("text after the token is not read", async () => {
  const met = await meet([fallsSilentAfter("@outOf", "Domain", " because")], { instructions: "You cook." });
  expect(await answerTo(met, "book me a flight")).toBe("Sorry, that is outside of what I am here for.");
  await (await met.model.request(0)).cut;
});

test("at most sixteen answers run at once", async () => {
  const met = await meet([fallsSilentAfter("Well")]);
  const leaving = new AbortController();
  const ask = (number: number) =>
    send(met, [words(`Stub, ${number}?`, ann)], ann, { signal: leaving.signal }).catch(
      (reason: Error) => reason.message,
    );
  const answers = Array.from({ length: 16 }, (_, number) => ask(number));
  await met.model.request(15);
  expect(await answerTo(met, "one more")).toContain("my model is overloaded");
  leaving.abort();
  expect(new Set(await Promise.all(answers))).toEqual(new Set(["all callers of this delivery have gone"]));
  met.model.play(says("Here."));
  expect(await answerTo(met, "and now?")).toBe("Here.");
});

test("an endless event is given up", async () => {
  const met = await meet([drips(`data: ${"x".repeat(300_000)}`, 65_536)]);
  expect(await answerTo(met, "go on")).toContain("an answer that I cannot read");
});

test("a model that thinks for long is not given up", async () => {
  const thinking = `${chunk({ reasoning_content: "hm" })}`.repeat(40);
  const met = await meet([drips(thinking + streamOf(["At last."]), 20)], { timeouts: { patienceMs: 1 } });
  expect(await answerTo(met, "why?")).toBe("At last.");
});

test("a caller that no longer waits closes the connection to the model", async () => {
  const met = await meet([fallsSilentAfter("Once upon ")]);
  const leaving = new AbortController();
  const answer = send(met, [words("a story", ann, { speakerUri: me })], ann, { signal: leaving.signal });
  const isRefused = expect(answer).rejects.toThrow("all callers of this delivery have gone");
  const { cut } = await met.model.request(0);
  leaving.abort();
  await cut;
  await isRefused;
});

test("the wait for a busy model ends with the wait of the caller", async () => {
  const met = await meet([refuses(429, error, { "retry-after": "15" })]);
  const leaving = new AbortController();
  const answer = send(met, [words("hello", ann, { speakerUri: me })], ann, { signal: leaving.signal });
  const isRefused = expect(answer).rejects.toThrow("all callers of this delivery have gone");
  await met.model.request(0);
  leaving.abort();
  await isRefused;
});

test.each([
  ["at once", 10_000],
  ["while others watch", 0],
])("a failure is shown as text, and as an error for clients that show errors (%s)", async (_, patienceMs) => {
  const met = await meet([refuses(401, {})], { timeouts: { patienceMs } });
  const [event] = await send(met, [words("hello", ann, { speakerUri: me })]);
  expect(event?.parameters?.dialogEvent.features).toMatchObject({
    text: { tokens: [{ value: expect.stringMatching(/^Sorry, I cannot answer: my model does not accept my key/u) }] },
    error: {
      mimeType: "application/vnd.plenary.error+json",
      tokens: [
        { value: { code: "workflow_error", message: "ModelError", details: "my model does not accept my key" } },
      ],
    },
  });
});
