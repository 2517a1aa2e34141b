// How long a NeMo client is kept waiting, and how long it may keep the floor waiting.
import { expect, test, vi } from "vitest";
import type { Clock } from "../ports/clock.ts";
import { systemClock } from "../ports/system.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import {
  type Frame,
  type Mind,
  nemoFixture,
  operatorToken,
  saying,
  startNemoFixture,
  textIn,
  uriOf,
} from "../testing/nemo-fixture.ts";

const echo: Mind = ({ texts }) => (texts.includes("hello") ? [saying(uriOf("echo"), "echo hello")] : []);

/** Answers when it is let, and tells that it was asked. */
function late() {
  let [go, asked] = [() => {}, () => {}];
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const mind: Mind = async ({ texts }) => {
    if (!texts.includes("hello")) return [];
    asked();
    await gate;
    return [saying(uriOf("late"), "at last hello")];
  };
  return { mind, isAsked, go };
}

// Nobody answers a ping while the time of a test leaps; and the floor is to wait longer for an agent than a client does.
const patient = {
  streams: { limits: { pingMs: 1_000_000_000 } },
  deliveryLimits: { silenceMs: 2_000_000, answerMs: 3_000_000 },
};
const isOver = ({ status }: Frame) => status === "complete";

test("a turn stays open as long as an agent is at work on it", async () => {
  const clock = createFakeClock();
  const { mind, go } = late();
  const { connect, withAgents } = await nemoFixture({ late: mind, echo }, patient, { clock });
  const client = await connect(withAgents("session=s"));
  client.send(client.message("hello", { conversation_id: "c" }));
  await client.until(({ content }) => String(content.text).includes("echo hello"));
  for (const ms of [121_000, 1_000_000, 10_000]) {
    await clock.advance(ms);
    // Whatever was told by now comes before the answer to this.
    client.answer("nothing was asked", { conversation_id: "c" });
    expect((await client.until(({ type }) => type === "error_message")).some(isOver)).toBe(false);
  }
  go();
  expect(textIn(await client.untilOver())).toContain("at last hello");
});

test("an agent that never answers ends the turn when its own time is up", async () => {
  const clock = createFakeClock();
  const { mind, isAsked } = late();
  const { connect, withAgents } = await nemoFixture({ late: mind }, patient, { clock });
  const client = await connect(withAgents("session=s"));
  client.send(client.message("hello", { conversation_id: "c" }));
  await isAsked;
  await clock.advance(1_999_000);
  client.answer("nothing was asked", { conversation_id: "c" });
  expect((await client.until(({ type }) => type === "error_message")).some(isOver)).toBe(false);
  await clock.advance(2_000);
  const frames = await client.untilOver();
  expect(frames.find(({ type }) => type === "error_message")?.content.code).toBe("workflow_error");
});

test("a whole answer over HTTP is waited for ten minutes, and comes later with the next message", async () => {
  const clock = createFakeClock();
  const { mind, isAsked, go } = late();
  const { url, withAgents } = await nemoFixture({ late: mind }, patient, { clock });
  const answer = fetch(`${url}/chat${withAgents()}`, {
    method: "POST",
    headers: { "content-type": "application/json", "conversation-id": "c" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }] }),
  });
  await isAsked;
  await clock.advance(601_000);
  expect(await (await answer).text()).toMatch(/Somebody is still at work on this/u);
  go();
});

test("a silent stream over HTTP sends a comment every 15 seconds", async () => {
  const clock = createFakeClock();
  const { mind, isAsked, go } = late();
  const { url, withAgents } = await nemoFixture({ late: mind }, patient, { clock });
  const response = await fetch(`${url}/v1/chat/completions${withAgents()}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ stream: true, messages: [{ role: "user", content: "hello" }] }),
  });
  await isAsked;
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const until = async (words: string) => {
    let text = "";
    while (!text.includes(words)) text += (await reader?.read())?.value ?? words;
    return text;
  };
  await until("assistant");
  for (const _ of [1, 2]) {
    await clock.advance(15_000);
    expect(await until("\n\n")).toBe(": keep-alive\n\n");
  }
  go();
  expect(await until("[DONE]")).toContain("at last hello");
});

const interactionType = "application/vnd.plenary.interaction+json";
const question = { id: "q", input_type: "text", text: "Who are you?", required: true };
/** Asks a question, and greets after the answer. */
const asker: Mind = ({ texts }) => {
  if (texts.includes("Ada")) return [saying(uriOf("asker"), "hello Ada")];
  const features = { interaction: { mimeType: interactionType, tokens: [{ value: question }] } };
  return texts.includes("hello") ? [saying(uriOf("asker"), "Who are you?", { features })] : [];
};

test("an execution waits for an hour at each question, and is kept for half an hour after its end", async () => {
  const clock = createFakeClock();
  const { url, withAgents } = await nemoFixture({ asker }, patient, { clock });
  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify(body),
    });
  const look = async (path: string) => {
    const response = await fetch(`${url}${path}`);
    return { ...((await response.json()) as { status?: string }), http: response.status };
  };
  const begin = async () => {
    const response = await post(`/v1/chat${withAgents()}`, { messages: [{ role: "user", content: "hello" }] });
    return (await response.json()) as { status_url: string; response_url: string };
  };
  const asked = await begin();
  await clock.advance(59 * 60_000);
  expect(await look(asked.status_url)).toMatchObject({ status: "interaction_required" });
  expect((await post(asked.response_url, { response: { type: "text", text: "Ada" } })).status).toBe(204);
  await vi.waitFor(async () => expect(await look(asked.status_url)).toMatchObject({ status: "completed" }));
  await clock.advance(29 * 60_000);
  expect(await look(asked.status_url)).toMatchObject({ status: "completed" });
  await clock.advance(60_000);
  expect(await look(asked.status_url)).toMatchObject({ http: 404 });
  const forgotten = await begin();
  await clock.advance(60 * 60_000);
  await vi.waitFor(async () => expect(await look(forgotten.status_url)).toMatchObject({ status: "completed" }));
});

test("a floor that closes leaves no timer behind for executions and open questions", async () => {
  const pending = new Set<object>();
  const clock: Clock = {
    now: systemClock.now,
    at(atMs, ring) {
      const timer = {};
      pending.add(timer);
      const cancel = systemClock.at(atMs, () => {
        pending.delete(timer);
        ring();
      });
      return () => {
        pending.delete(timer);
        cancel();
      };
    },
  };
  const scene = await startNemoFixture({ asker }, {}, { clock });
  for (const path of ["/v1/chat", "/chat"]) {
    const asked = await fetch(`${scene.url}${path}${scene.withAgents()}`, {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify({ messages: [{ role: "user", content: "hello" }] }),
    });
    expect(await asked.text()).toContain("Who are you?");
  }
  await scene.close();
  await vi.waitFor(() => expect(pending.size).toBe(0));
  expect(scene.errors).toEqual([]);
});

test("a whole answer is waited for at most ten minutes, while a question keeps its turn open", async () => {
  const clock = createFakeClock();
  const { mind, isAsked, go } = late();
  const deliveryLimits = { silenceMs: 1_000_000_000, answerMs: 1_000_000_000 };
  const { url, withAgents } = await nemoFixture({ asker, late: mind }, { ...patient, deliveryLimits }, { clock });
  let isAnswered = false;
  const answer = fetch(`${url}/chat${withAgents()}`, {
    method: "POST",
    headers: { "content-type": "application/json", "conversation-id": "c" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }] }),
  }).then((response) => {
    isAnswered = true;
    return response.text();
  });
  await isAsked;
  await clock.advance(590_000);
  expect(isAnswered).toBe(false);
  await clock.advance(20_000);
  expect(await answer).toMatch(/Who are you\?.*Somebody is still at work on this/u);
  go();
});

test("a question to a client that names no conversation is open for half an hour", async () => {
  const clock = createFakeClock();
  const { url, withAgents } = await nemoFixture({ asker }, patient, { clock });
  const ask = async (messages: object[]) => {
    const response = fetch(`${url}/chat${withAgents()}`, {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify({ messages }),
    });
    return (await (await response).json()) as { choices: { message: object }[] };
  };
  const asking = { role: "user", content: "hello" };
  const question = await ask([asking]);
  const answer = [asking, question.choices[0]?.message ?? {}, { role: "user", content: "Ada" }];
  await clock.advance(29 * 60_000);
  expect(JSON.stringify(await ask(answer))).toMatch(/^(?!.*no longer open).*hello Ada/u);
  await ask([asking]);
  await clock.advance(30 * 60_000);
  expect(JSON.stringify(await ask(answer))).toContain("no longer open");
});

// More than the buffers of the system take, so that what is not read stays with the floor.
const page = "x".repeat(900_000);

test("a client that reads nothing is cut off, and told the rest when it comes back", async () => {
  const { mind, go } = late();
  const limits = { streams: { limits: { lagEntriesMax: 8 } } };
  const { url, connect, withAgents } = await nemoFixture({ late: mind, echo }, limits);
  const client = await connect(withAgents("session=s"));
  client.send(client.message("hello", { conversation_id: "c" }));
  const heard = await client.until(({ content }) => String(content.text).includes("echo hello"));
  client.ws.pause();
  const numbers = Array.from({ length: 16 }, (_, number) => `(${number})`);
  for (const number of numbers) {
    const openFloor = {
      ...{ schema: { version: "1.1.0" }, conversation: { id: "c" }, sender: { speakerUri: uriOf("echo") } },
      events: [saying(uriOf("echo"), `${number} ${page}`)],
    };
    const said = await fetch(`${url}/openfloor`, {
      method: "POST",
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      body: JSON.stringify({ openFloor }),
    });
    expect(said.status).toBe(200);
  }
  client.ws.resume();
  expect(await client.closed).toBe(4008);
  const again = await connect("?session=s&conversation_id=c");
  const rest = await again.until(({ content }) => String(content.text).includes("(15)"));
  go();
  const text = textIn([...heard, ...client.frames, ...rest, ...(await again.untilOver())]);
  expect(text).toContain("at last hello");
  for (const number of numbers) expect(text).toContain(number);
});
