// The official client of OpenAI and the AI SDK, unchanged, at a real floor with agents that are plain HTTP servers.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { expect, test, vi } from "vitest";
import { patience } from "../support/wait-for.ts";
import { useNemoFloor, wordsOf } from "./nemo-floor.ts";
import { asking } from "./questions.ts";

const { agents, url, post, echo, stateOf, log } = useNemoFloor();

/** With an arbitrary key, and without retries, so that each failure is visible. */
const official = (apiKey = "anything") => new OpenAI({ baseURL: `${url()}/v1`, apiKey, maxRetries: 0 });
const compatible = () => createOpenAICompatible({ name: "plenary", baseURL: `${url()}/v1`, apiKey: "anything" });
const hi = [{ role: "user" as const, content: "hi" }];

const failing = () => agents.start("Alice", (cue) => cue.fail(400, "no envelope"));
const ourWords = /Alice/u;

async function allOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

test.concurrent("the official client gets a whole answer, and lists the agents", async () => {
  const { url: model } = await echo();
  const { data, response } = await official().chat.completions.create({ model, messages: hi }).withResponse();
  expect(wordsOf(data.choices[0]?.message.content ?? "", "Alice")).toBe("you said hi");
  expect([data.model, response.headers.get("plenary-ignored")]).toEqual([model, null]);
  expect((await official().models.list()).data.map(({ id }) => id)).toContain("plenary");
});

test.concurrent("the official client gets a stream, with its usage", async () => {
  const { url: model } = await echo();
  const stream = await official().chat.completions.create({
    model,
    messages: hi,
    stream: true,
    stream_options: { include_usage: true },
  });
  let [text, last] = ["", ""];
  for await (const { choices, usage } of stream) {
    text += choices[0]?.delta.content ?? "";
    last = usage === undefined || usage === null ? last : `took ${usage.total_tokens}`;
  }
  expect([wordsOf(text, "Alice"), last]).toEqual(["you said hi", "took 0"]);
});

test.concurrent("the official client throws with our error text when an agent fails, for a whole answer and a stream", async () => {
  const { url: model } = await failing();
  const whole = official().chat.completions.create({ model, messages: hi });
  await expect(whole).rejects.toThrow(ourWords);
  const failure = await whole.then(undefined, (error: unknown) => error);
  expect(failure).toBeInstanceOf(OpenAI.APIError);
  const stream = await official().chat.completions.create({ model, messages: hi, stream: true });
  const reasons: unknown[] = [];
  const read = async () => {
    for await (const { choices } of stream) reasons.push(choices[0]?.finish_reason);
  };
  await expect(read()).rejects.toThrow(ourWords);
  expect(reasons).not.toContain("stop");
});

test.concurrent("tools and temperature cause no error, and a header names them", async () => {
  const { url: model } = await echo();
  const tools = [{ type: "function" as const, function: { name: "f", parameters: { type: "object" } } }];
  const asked = official().chat.completions.create({ model, messages: hi, tools, temperature: 0.1 });
  const { data, response } = await asked.withResponse();
  expect([data.choices[0]?.finish_reason, data.choices[0]?.message.tool_calls]).toEqual(["stop", undefined]);
  expect(response.headers.get("plenary-ignored")).toBe("tools, temperature");
});

test.concurrent("an unknown key in the format of our keys is refused as an unknown key", async () => {
  await expect(official("plenary_wrong").models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
});

test.concurrent("a response is whole, and the next request continues its conversation", async () => {
  const alice = await echo();
  const client = official();
  const first = await client.responses.create({ model: alice.url, input: "one", instructions: "be brief" });
  expect([first.status, wordsOf(first.output_text, "Alice")]).toEqual(["completed", "you said one"]);
  const { data: second, response } = await client.responses
    .create({ model: alice.url, input: "two", previous_response_id: first.id })
    .withResponse();
  expect([second.previous_response_id, wordsOf(second.output_text, "Alice")]).toEqual([first.id, "you said two"]);
  expect(new Set(alice.cues.items.map(({ conversation }) => conversation)).size).toBe(1);
  expect(alice.requests.find((request) => request.includes('"invite"'))).toContain("be brief");
  expect((await stateOf(response.headers.get("conversation-id") ?? "")).isClosed).toBe(false);
  // Another person cannot continue it.
  const other = official("another-key").responses.create({ model: "any", input: "x", previous_response_id: first.id });
  await expect(other).rejects.toBeInstanceOf(OpenAI.NotFoundError);
});

test.concurrent("a client without a key continues a conversation by the id of its response", async () => {
  const alice = await echo();
  const ask = async (input: string, previous?: string) => {
    const body = { model: alice.url, input, ...(previous !== undefined && { previous_response_id: previous }) };
    return (await (await post({ path: "/v1/responses", body })).json()) as { id: string };
  };
  const first = await ask("one");
  expect(JSON.stringify(await ask("two", first.id))).toContain("you said two");
  expect(new Set(alice.cues.items.map(({ conversation }) => conversation)).size).toBe(1);
});

test.concurrent("a question is answered by the next request", async () => {
  const alice = await agents.start("Alice", asking);
  const first = await official().responses.create({ model: alice.url, input: "ask radio" });
  expect(first.output_text).toContain("Which one do you prefer?");
  const second = await official().responses.create({ input: "2", previous_response_id: first.id });
  expect(second.output_text).toContain("chosen: sms");
});

test.concurrent("a response that is not stored ends with its request", async () => {
  const { url: model } = await echo();
  const { response } = await official().responses.create({ model, input: "hi", store: false }).withResponse();
  const conversation = response.headers.get("conversation-id") ?? "";
  await vi.waitFor(async () => expect((await stateOf(conversation)).isClosed).toBe(true), patience);
});

test.concurrent("a response is streamed as events, which the client assembles", async () => {
  const { url: model } = await echo();
  const stream = official().responses.stream({ model, input: [{ role: "user", content: "hi" }] });
  const types: string[] = [];
  let text = "";
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === "response.output_text.delta") text += event.delta;
  }
  expect([types[0], types.at(-1)]).toEqual(["response.created", "response.completed"]);
  expect(wordsOf(text, "Alice")).toBe("you said hi");
  expect((await stream.finalResponse()).output_text).toBe(text);
});

test.concurrent("a failed response throws when it is whole, and has the state failed in a stream", async () => {
  const { url: model } = await failing();
  await expect(official().responses.create({ model, input: "hi" })).rejects.toThrow(ourWords);
  const stream = await official().responses.create({ model, input: "hi", stream: true });
  const all = await allOf(stream);
  const last = all.at(-1);
  expect(last).toMatchObject({
    type: "response.failed",
    response: { status: "failed", error: { message: expect.stringMatching(ourWords) } },
  });
});

test.concurrent("missing responses and bad input get errors in the format of OpenAI", async () => {
  const client = official();
  await expect(client.responses.retrieve("resp_1")).rejects.toThrow(/does not store responses.*log/u);
  const unknown = client.responses.create({ input: "hi", previous_response_id: "resp_none" });
  await expect(unknown).rejects.toThrow(/previous_response_id/u);
  await expect(client.responses.create({ input: [] })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
});

test.concurrent("a picture and a text file reach the agents", async () => {
  const alice = await echo();
  const picture = "data:image/png;base64,iVBORw0KGgo=";
  const { response } = await official()
    .responses.create({
      model: alice.url,
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "look" },
            { type: "input_image", image_url: picture, detail: "auto" },
            { type: "input_file", filename: "a.txt", file_data: "data:text/plain;base64,aGVsbG8=" },
          ],
        },
      ],
    })
    .withResponse();
  const said = JSON.stringify(await log(response.headers.get("conversation-id") ?? ""));
  expect(said).toContain("iVBORw0KGgo=");
  expect(alice.cues.items[0]?.text).toContain("hello");
});

test.concurrent("the AI SDK gets whole answers and streams", async () => {
  const { url: model } = await echo();
  const whole = await generateText({ model: compatible()(model), prompt: "hi", maxRetries: 0 });
  expect([wordsOf(whole.text, "Alice"), whole.finishReason]).toEqual(["you said hi", "stop"]);
  const stream = streamText({ model: compatible()(model), prompt: "hi", maxRetries: 0 });
  expect(wordsOf((await allOf(stream.textStream)).join(""), "Alice")).toBe("you said hi");
});

test.concurrent("the AI SDK throws with our error text when an agent fails, and its streams contain the error", async () => {
  const { url: model } = await failing();
  const whole = generateText({ model: compatible()(model), prompt: "hi", maxRetries: 0 });
  await expect(whole).rejects.toThrow(ourWords);
  const errors: string[] = [];
  const onError = ({ error }: { error: unknown }) => void errors.push(JSON.stringify(error));
  const stream = streamText({ model: compatible()(model), prompt: "hi", maxRetries: 0, onError });
  await stream.consumeStream();
  expect(errors.join()).toMatch(ourWords);
});

test.concurrent("the OpenAI provider of the AI SDK talks to the floor by responses", async () => {
  const { url: model } = await echo();
  const openai = createOpenAI({ baseURL: `${url()}/v1`, apiKey: "anything" });
  const whole = await generateText({ model: openai(model), prompt: "hi", maxRetries: 0 });
  expect(wordsOf(whole.text, "Alice")).toBe("you said hi");
  const stream = streamText({ model: openai(model), prompt: "hi", maxRetries: 0 });
  expect(wordsOf((await allOf(stream.textStream)).join(""), "Alice")).toBe("you said hi");
});

test.concurrent("the OpenAI provider of the AI SDK reports our error text when an agent fails", async () => {
  const { url: model } = await failing();
  const openai = createOpenAI({ baseURL: `${url()}/v1`, apiKey: "anything" });
  await expect(generateText({ model: openai(model), prompt: "hi", maxRetries: 0 })).rejects.toThrow(ourWords);
  const errors: string[] = [];
  const onError = ({ error }: { error: unknown }) => void errors.push(`${error} ${JSON.stringify(error)}`);
  await streamText({ model: openai(model), prompt: "hi", maxRetries: 0, onError }).consumeStream();
  expect(errors.join()).toMatch(ourWords);
});
