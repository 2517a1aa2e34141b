// Timeouts of NeMo clients: how long they wait, and how long the floor waits for them.
import { expect, test, vi } from "vitest";
import { type Clock, systemClock } from "../ports/clock.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import {
  type AgentHandler,
  type Frame,
  nemoFixture,
  operatorToken,
  startNemoFixture,
  textIn,
  uriOf,
  utteranceEvent,
} from "../testing/nemo-fixture.ts";

const echo: AgentHandler = ({ texts }) =>
  texts.includes("hello") ? [utteranceEvent(uriOf("echo"), "echo hello")] : [];

/** Answers when `go` is called. `isAsked` resolves when it gets the message. */
function late() {
  let [go, asked] = [() => {}, () => {}];
  const deferred = new Promise<void>((resolve) => {
    go = resolve;
  });
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const handler: AgentHandler = async ({ texts }) => {
    if (!texts.includes("hello")) return [];
    asked();
    await deferred;
    return [utteranceEvent(uriOf("late"), "at last hello")];
  };
  return { handler, isAsked, go };
}

// Clients cannot answer pings while the fake clock jumps. The floor waits longer for an agent than a client does.
const longTimeouts = {
  streams: { limits: { pingMs: 1_000_000_000 } },
  deliveryLimits: { silenceMs: 2_000_000, answerMs: 3_000_000 },
};
const isOver = ({ status }: Frame) => status === "complete";

test("a turn stays open while an agent works on it", async () => {
  const clock = createFakeClock();
  const { handler, go } = late();
  const { connect, withAgents } = await nemoFixture({ late: handler, echo }, longTimeouts, { clock });
  const client = await connect(withAgents("session=s"));
  client.send(client.message("hello", { conversation_id: "c" }));
  await client.until(({ content }) => String(content.text).includes("echo hello"));
  for (const ms of [121_000, 1_000_000, 10_000]) {
    await clock.advance(ms);
    // Output up to now comes before the error for this answer.
    client.answer("nothing was asked", { conversation_id: "c" });
    expect((await client.until(({ type }) => type === "error_message")).some(isOver)).toBe(false);
  }
  go();
  expect(textIn(await client.untilOver())).toContain("at last hello");
});

test("an agent that never answers ends the turn at its delivery timeout", async () => {
  const clock = createFakeClock();
  const { handler, isAsked } = late();
  const { connect, withAgents } = await nemoFixture({ late: handler }, longTimeouts, { clock });
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

test("an answer over HTTP that is not streamed ends after ten minutes with a notice", async () => {
  const clock = createFakeClock();
  const { handler, isAsked, go } = late();
  const { url, withAgents } = await nemoFixture({ late: handler }, longTimeouts, { clock });
  const answer = fetch(`${url}/chat${withAgents()}`, {
    method: "POST",
    headers: { "content-type": "application/json", "conversation-id": "c" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }] }),
  });
  await isAsked;
  await clock.advance(601_000);
  expect(await (await answer).text()).toMatch(/An agent is still working on this/u);
  go();
});

test("a silent stream over HTTP sends a comment every 15 seconds", async () => {
  const clock = createFakeClock();
  const { handler, isAsked, go } = late();
  const { url, withAgents } = await nemoFixture({ late: handler }, longTimeouts, { clock });
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
const asker: AgentHandler = ({ texts }) => {
  if (texts.includes("Ada")) return [utteranceEvent(uriOf("asker"), "hello Ada")];
  const features = { interaction: { mimeType: interactionType, tokens: [{ value: question }] } };
  return texts.includes("hello") ? [utteranceEvent(uriOf("asker"), "Who are you?", { features })] : [];
};

test("an execution waits one hour at each question, and is kept for 30 minutes after its end", async () => {
  const clock = createFakeClock();
  const { url, withAgents } = await nemoFixture({ asker }, longTimeouts, { clock });
  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const statusOf = async (path: string) => {
    const response = await fetch(`${url}${path}`);
    return { ...((await response.json()) as { status?: string }), http: response.status };
  };
  const begin = async () => {
    const response = await post(`/v1/chat${withAgents()}`, { messages: [{ role: "user", content: "hello" }] });
    return (await response.json()) as { status_url: string; response_url: string };
  };
  const asked = await begin();
  await clock.advance(59 * 60_000);
  expect(await statusOf(asked.status_url)).toMatchObject({ status: "interaction_required" });
  expect((await post(asked.response_url, { response: { type: "text", text: "Ada" } })).status).toBe(204);
  await vi.waitFor(async () => expect(await statusOf(asked.status_url)).toMatchObject({ status: "completed" }));
  await clock.advance(29 * 60_000);
  expect(await statusOf(asked.status_url)).toMatchObject({ status: "completed" });
  await clock.advance(60_000);
  expect(await statusOf(asked.status_url)).toMatchObject({ http: 404 });
  const forgotten = await begin();
  await clock.advance(60 * 60_000);
  await vi.waitFor(async () => expect(await statusOf(forgotten.status_url)).toMatchObject({ status: "completed" }));
});

test("closing the floor cancels the timers of executions and open questions", async () => {
  const pending = new Set<object>();
  const clock: Clock = {
    now: systemClock.now,
    at(atMs, callback) {
      const timer = {};
      pending.add(timer);
      const cancel = systemClock.at(atMs, () => {
        pending.delete(timer);
        callback();
      });
      return () => {
        pending.delete(timer);
        cancel();
      };
    },
  };
  const fixture = await startNemoFixture({ asker }, {}, { clock });
  for (const path of ["/v1/chat", "/chat"]) {
    const asked = await fetch(`${fixture.url}${path}${fixture.withAgents()}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "hello" }] }),
    });
    expect(await asked.text()).toContain("Who are you?");
  }
  await fixture.close();
  await vi.waitFor(() => expect(pending.size).toBe(0));
  expect(fixture.errors).toEqual([]);
});

test("an answer with an open question ends after ten minutes while an agent works", async () => {
  const clock = createFakeClock();
  const { handler, isAsked, go } = late();
  const deliveryLimits = { silenceMs: 1_000_000_000, answerMs: 1_000_000_000 };
  const { url, withAgents } = await nemoFixture(
    { asker, late: handler },
    { ...longTimeouts, deliveryLimits },
    { clock },
  );
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
  expect(await answer).toMatch(/Who are you\?.*An agent is still working on this/u);
  go();
});

test("a question to a client without a conversation id stays open for 30 minutes", async () => {
  const clock = createFakeClock();
  const { url, withAgents } = await nemoFixture({ asker }, longTimeouts, { clock });
  const ask = async (messages: object[]) => {
    const response = fetch(`${url}/chat${withAgents()}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
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

// Larger than the socket buffers of the system, so that unread output stays in the floor.
const page = "x".repeat(900_000);

test("a client that reads nothing is disconnected, and gets the rest when it reconnects", async () => {
  const { handler, go } = late();
  const limits = { streams: { limits: { lagEntriesMax: 8 } } };
  const { url, connect, withAgents } = await nemoFixture({ late: handler, echo }, limits);
  const client = await connect(withAgents("session=s"));
  client.send(client.message("hello", { conversation_id: "c" }));
  const received = await client.until(({ content }) => String(content.text).includes("echo hello"));
  client.ws.pause();
  const numbers = Array.from({ length: 16 }, (_, number) => `(${number})`);
  for (const number of numbers) {
    const openFloor = {
      schema: { version: "1.1.0" },
      conversation: { id: "c" },
      sender: { speakerUri: uriOf("echo") },
      events: [utteranceEvent(uriOf("echo"), `${number} ${page}`)],
    };
    const posted = await fetch(`${url}/openfloor`, {
      method: "POST",
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      body: JSON.stringify({ openFloor }),
    });
    expect(posted.status).toBe(200);
  }
  client.ws.resume();
  expect(await client.closed).toBe(4008);
  const again = await connect("?session=s&conversation_id=c");
  const rest = await again.until(({ content }) => String(content.text).includes("(15)"));
  go();
  const text = textIn([...received, ...client.frames, ...rest, ...(await again.untilOver())]);
  expect(text).toContain("at last hello");
  for (const number of numbers) expect(text).toContain(number);
});
