import { createMemoryStore } from "@plenary/server";
import { afterEach, expect, test, vi } from "vitest";
import { ann, textOf, utterance } from "../support/envelopes.ts";
import { answer, type Behaviour, echo, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";

let floor: TestFloor;

afterEach(() => floor.close());

type Shown = {
  id: string;
  conversation: string;
  delivery: string;
  to: { serviceUrl: string };
  events: { eventType: string; parameters?: unknown; to?: unknown }[];
  failure: string;
  detail: string;
  at: string;
};

async function deadLetters(query = ""): Promise<{ deadLetters: Shown[]; next: string | null }> {
  const { body, status } = await floor.call("GET", `/api/v1/dead-letters${query}`);
  expect(status).toBe(200);
  return body as unknown as { deadLetters: Shown[]; next: string | null };
}

async function untilDead(count = 1): Promise<Shown[]> {
  await vi.waitFor(async () => expect((await deadLetters()).deadLetters).toHaveLength(count), patience);
  return (await deadLetters()).deadLetters;
}

/** Joins, and then fails until the test ends the failure. */
async function startBroken(repaired: Behaviour = echo) {
  const state = { isBroken: true };
  const agent = await startAgent((heard, self) => {
    if (textsIn(heard).length === 0) return silent(heard, self);
    return state.isBroken ? { status: 500, body: "out of order" } : repaired(heard, self);
  });
  return { agent, state };
}

const words = async (conversation: string) =>
  (await floor.log(conversation)).map(({ event }) => textOf(event)).filter((text) => text !== undefined);

test("a failed delivery is kept with its reason, and its redelivery takes effect under the same id", async () => {
  floor = await startTestFloor();
  const { agent, state } = await startBroken();
  await floor.invite("c", agent);
  await floor.say("c", "hello");
  const [letter] = await untilDead();
  expect(letter).toMatchObject({
    conversation: "c",
    to: { speakerUri: agent.speakerUri, serviceUrl: agent.url },
    failure: "no-envelope",
    events: [{ eventType: "utterance" }],
  });
  expect(letter?.detail).toContain("500");
  const one = await floor.call("GET", `/api/v1/dead-letters/${letter?.id}`);
  expect(one.body).toEqual(letter);
  state.isBroken = false;
  const redriven = await floor.call("POST", `/api/v1/dead-letters/${letter?.id}/redrive`);
  expect(redriven.status).toBe(202);
  await floor.until("c", (entries) => entries.some(({ event }) => textOf(event) === "echo hello"));
  const delivered = agent.heard.filter((heard) => textsIn(heard).length > 0);
  expect(new Set(delivered.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(new Set(delivered.map(({ text }) => text)).size).toBe(1);
  expect((await deadLetters()).deadLetters).toEqual([]);
  expect((await floor.store.outbox.pending()).deliveries).toEqual([]);
  const again = await floor.call("POST", `/api/v1/dead-letters/${letter?.id}/redrive`);
  expect(again.status).toBe(404);
  expect(await words("c")).toEqual(["hello", "echo hello"]);
});

test("a redelivery that fails is a dead letter again", async () => {
  floor = await startTestFloor();
  const { agent } = await startBroken();
  await floor.invite("c", agent);
  await floor.say("c", "hello");
  const [letter] = await untilDead();
  const before = agent.heard.length;
  await floor.call("POST", `/api/v1/dead-letters/${letter?.id}/redrive`);
  await vi.waitFor(() => expect(agent.heard.length).toBeGreaterThan(before), patience);
  const [once] = await untilDead();
  expect(once).toMatchObject({ id: letter?.id, failure: "no-envelope" });
  expect((await floor.store.outbox.pending()).deliveries).toEqual([]);
});

test("an answer that was already accepted has no second effect after a redelivery", async () => {
  floor = await startTestFloor();
  const { agent, state } = await startBroken((heard, self) =>
    answer(heard, self, utterance(self.speakerUri, "I heard you", { id: "mine-1" })),
  );
  await floor.invite("c", agent);
  await floor.say("c", "hello");
  const [letter] = await untilDead();
  await floor.send("c", [utterance(agent.speakerUri, "I heard you", { id: "mine-1" })], {
    as: agent.speakerUri,
    wait: 0,
  });
  state.isBroken = false;
  await floor.call("POST", `/api/v1/dead-letters/${letter?.id}/redrive`);
  await vi.waitFor(async () => expect((await floor.store.outbox.pending()).deliveries).toEqual([]), patience);
  expect(await words("c")).toEqual(["hello", "I heard you"]);
});

test("only its addressee answers a dead letter, and a refused answer makes it dead again", async () => {
  floor = await startTestFloor();
  const { agent, state } = await startBroken((heard, self) =>
    answer(heard, { ...self, speakerUri: ann }, utterance(ann, "I am Ann")),
  );
  await floor.invite("c", agent);
  await floor.say("c", "hello");
  const [letter] = await untilDead();
  state.isBroken = false;
  const before = agent.heard.length;
  await floor.call("POST", `/api/v1/dead-letters/${letter?.id}/redrive`);
  await vi.waitFor(() => expect(agent.heard.length).toBeGreaterThan(before), patience);
  expect(await untilDead()).toMatchObject([{ failure: "refused" }]);
  expect(await words("c")).toEqual(["hello"]);
});

test("a redelivery that is answered later, by a POST of the agent, takes effect too", async () => {
  floor = await startTestFloor();
  const { agent, state } = await startBroken(() => ({ status: 202, body: "" }));
  await floor.invite("c", agent);
  await floor.say("c", "hello");
  const [letter] = await untilDead();
  state.isBroken = false;
  const before = agent.heard.length;
  await floor.call("POST", `/api/v1/dead-letters/${letter?.id}/redrive`);
  await vi.waitFor(() => expect(agent.heard.length).toBeGreaterThan(before), patience);
  const heard = agent.heard.at(-1);
  const late = heard && answer(heard, agent, utterance(agent.speakerUri, "at last"));
  const answered = await fetch(`${floor.url}/openfloor`, {
    method: "POST",
    headers: { "content-type": "application/json", "in-reply-to": String(heard?.headers["webhook-id"]) },
    body: late?.body ?? "",
  });
  expect(answered.status).toBe(200);
  expect(await answered.json()).not.toHaveProperty("refused");
  expect(await words("c")).toEqual(["hello", "at last"]);
  expect((await floor.store.outbox.pending()).deliveries).toEqual([]);
});

test("a promised answer that does not come in time is a failure, and a dead letter", async () => {
  floor = await startTestFloor({ deliveryLimits: { laterAnswerMs: 20 } });
  const agent = await startAgent((heard, self) =>
    textsIn(heard).length === 0 ? silent(heard, self) : { status: 202, body: "" },
  );
  await floor.invite("c", agent);
  await floor.say("c", "hello", { wait: 0 });
  expect(await untilDead()).toMatchObject([{ failure: "timeout", detail: "it did not send the answer it promised" }]);
  expect((await floor.log("c")).filter(({ kind }) => kind === "missed")).toHaveLength(1);
});

test("a redelivery that was in progress when the floor stopped is repeated by the next process", async () => {
  const store = createMemoryStore();
  floor = await startTestFloor({ store });
  const { agent, state } = await startBroken();
  await floor.invite("c", agent);
  await floor.say("c", "hello");
  const [letter] = await untilDead();
  await floor.server.close();
  await store.outbox.redeliver({ conversationId: "c", delivery: letter?.delivery ?? "" });
  state.isBroken = false;
  floor = await startTestFloor({ store });
  await floor.until("c", (entries) => entries.some(({ event }) => textOf(event) === "echo hello"));
});

test("dead letters of whispers are counted, and shown only to the two parties of the whisper", async () => {
  floor = await startTestFloor();
  const { agent } = await startBroken();
  await floor.invite("c", agent);
  const to = { speakerUri: agent.speakerUri, private: true };
  await floor.send("c", [utterance(ann, "canary-word", { to })]);
  const [letter] = await untilDead();
  expect(letter?.events).toMatchObject([{ eventType: "utterance", to, isHidden: true }]);
  expect(JSON.stringify([letter, (await floor.call("GET", `/api/v1/dead-letters/${letter?.id}`)).body])).not.toContain(
    "canary",
  );
  const asBob = await deadLetters(`?speaker=${encodeURIComponent("tag:people.example,2026:bob")}`);
  expect(JSON.stringify(asBob)).not.toContain("canary");
  expect(JSON.stringify(await deadLetters(`?speaker=${encodeURIComponent(ann)}`))).toContain("canary-word");
});

test("dead letters are listed by conversation, page by page, for the operator alone", async () => {
  floor = await startTestFloor();
  const { agent } = await startBroken();
  for (const id of ["c1", "c2"]) {
    await floor.invite(id, agent);
    await floor.say(id, "one");
    await floor.say(id, "two");
  }
  const all = await untilDead(4);
  expect((await deadLetters("?conversation=c2")).deadLetters).toEqual(
    all.filter(({ conversation }) => conversation === "c2"),
  );
  const first = await deadLetters("?limit=3");
  expect(first.deadLetters).toEqual(all.slice(0, 3));
  const rest = await deadLetters(`?limit=3&after=${first.next}`);
  expect(rest).toEqual({ deadLetters: all.slice(3), next: null });
  expect((await floor.call("GET", "/api/v1/dead-letters?after=nonsense")).status).toBe(400);
  expect((await floor.call("GET", "/api/v1/dead-letters/nonsense")).status).toBe(404);
  expect((await floor.call("POST", "/api/v1/dead-letters/nonsense/redrive")).status).toBe(404);
  const stranger = { authorization: "Bearer nobody" };
  expect((await floor.call("GET", "/api/v1/dead-letters", undefined, stranger)).status).toBe(401);
  expect((await floor.call("POST", `/api/v1/dead-letters/${all[0]?.id}/redrive`, undefined, stranger)).status).toBe(
    401,
  );
});

test("a delivery that was stopped before it was sent is a dead letter", async () => {
  floor = await startTestFloor({ deliveryLimits: { retryMs: 60_000, retryBaseMs: 10_000, retryCapMs: 10_000 } });
  const agent = await startAgent(silent);
  await floor.invite("c", agent);
  await agent.close();
  await floor.say("c", "hello", { wait: 0 });
  await vi.waitFor(() => expect(floor.dialler.dialled.length).toBeGreaterThan(2), patience);
  await floor.send("c", [{ eventType: "revokeFloor", to: { speakerUri: agent.speakerUri } }], { wait: 0 });
  const [letter] = await untilDead();
  expect(letter).toMatchObject({ failure: "unreachable", events: [{ eventType: "utterance" }] });
  expect(letter?.detail).toContain("stopped");
});
