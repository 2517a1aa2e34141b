import { createMemoryStore, type FloorStore } from "@plenary/server";
import { afterEach, expect, test, vi } from "vitest";
import { ann, said, textOf, utterance } from "../support/envelopes.ts";
import { answer, echo, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";

let floor: TestFloor;

afterEach(() => floor.close());

const named = (key: string) => ({ "idempotency-key": key });

const words = async (conversation: string) =>
  (await floor.log(conversation)).map(({ event }) => textOf(event)).filter((text) => text !== undefined);

/** Without an id of its own, so that only the name of the request identifies a repetition. */
function word(text: string): object {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const span = { startTime: "2026-01-01T00:00:00Z" };
  return { eventType: "utterance", parameters: { dialogEvent: { speakerUri: ann, span, features } } };
}

test("a request that is repeated with its idempotency key gets the same response and has no second effect", async () => {
  floor = await startTestFloor();
  const agent = await startAgent(echo);
  await floor.invite("c", agent);
  const first = await floor.send("c", [word("yes")], { headers: named("k1") });
  const again = await floor.send("c", [word("yes")], { headers: named("k1") });
  expect(again.status).toBe(200);
  expect(again.body).toEqual(first.body);
  expect(said(again)).toEqual([[agent.speakerUri, "echo yes"]]);
  expect(again.headers.get("plenary-seq")).toBe(first.headers.get("plenary-seq"));
  expect(await words("c")).toEqual(["yes", "echo yes"]);
  await floor.send("c", [word("yes")], { headers: named("k2") });
  expect(await words("c")).toEqual(["yes", "echo yes", "yes", "echo yes"]);
});

test("`webhook-id` names a request too", async () => {
  floor = await startTestFloor();
  const headers = { "webhook-id": "msg_1" };
  const first = await floor.send("c", [word("yes")], { headers });
  const again = await floor.send("c", [word("yes")], { headers });
  expect(again.headers.get("plenary-seq")).toBe(first.headers.get("plenary-seq"));
  expect(await words("c")).toEqual(["yes"]);
});

test("the same idempotency key with another body is refused, with a remedy", async () => {
  floor = await startTestFloor();
  await floor.send("c", [word("yes")], { headers: named("k1") });
  const other = await floor.send("c", [word("no")], { headers: named("k1") });
  expect(other.status).toBe(422);
  expect(other.body).toMatchObject({ type: "urn:plenary:problem:key-reused" });
  expect(other.body.fix).toContain("Idempotency-Key");
  expect(await words("c")).toEqual(["yes"]);
  expect((await floor.send("c", [word("no")], { headers: named("") })).status).toBe(400);
  expect((await floor.send("c", [word("no")], { headers: named("k".repeat(256)) })).status).toBe(400);
});

test("repetitions at the same time have one effect, also when they create the conversation", async () => {
  floor = await startTestFloor();
  const all = await Promise.all(
    Array.from({ length: 20 }, () => floor.send("c", [word("yes")], { headers: named("k1"), wait: 0 })),
  );
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  expect(new Set(all.map(({ headers }) => headers.get("plenary-seq"))).size).toBe(1);
  expect(new Set(all.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(await words("c")).toEqual(["yes"]);
});

test("refused events are refused again, by their index in the envelope", async () => {
  const inner = createMemoryStore();
  // As parsed from the store.
  const store: FloorStore = {
    ...inner,
    log: { ...inner.log, entries: async (...range) => structuredClone(await inner.log.entries(...range)) },
  };
  floor = await startTestFloor({ store });
  const agent = await startAgent(silent);
  await floor.invite("c", agent);
  const events = [
    { eventType: "uninvite", to: { speakerUri: ann } },
    { eventType: "revokeFloor", to: { speakerUri: ann } },
    { eventType: "uninvite", to: { speakerUri: ann } },
  ];
  const first = await floor.send("c", events, { as: agent.speakerUri, headers: named("k1") });
  expect(first.body.refused?.length).toBeGreaterThan(0);
  const again = await floor.send("c", events, { as: agent.speakerUri, headers: named("k1") });
  expect(again.body.refused).toEqual(first.body.refused);
  expect(again.body).toEqual(first.body);
});

test("a request that changed nothing keeps its idempotency key, too", async () => {
  floor = await startTestFloor();
  const known = utterance(ann, "yes", { id: "u1" });
  await floor.send("c", [known], { wait: 0 });
  const before = await words("c");
  for (const _ of [1, 2]) expect((await floor.send("c", [known], { headers: named("k1") })).status).toBe(200);
  expect((await floor.send("c", [word("no")], { headers: named("k1") })).status).toBe(422);
  expect(await words("c")).toEqual(before);
});

test("the idempotency key is still known after a restart", async () => {
  const store = createMemoryStore();
  floor = await startTestFloor({ store });
  const first = await floor.send("c", [word("yes")], { headers: named("k1"), wait: 0 });
  await floor.server.close();
  floor = await startTestFloor({ store });
  const again = await floor.send("c", [word("yes")], { headers: named("k1"), wait: 0 });
  expect(again.headers.get("plenary-seq")).toBe(first.headers.get("plenary-seq"));
  expect(await words("c")).toEqual(["yes"]);
});

test("an agent that answers later may repeat its answer; its idempotency keys are its own", async () => {
  floor = await startTestFloor();
  const agent = await startAgent((heard, self) =>
    textsIn(heard).length === 0 ? silent(heard, self) : { status: 202, body: "" },
  );
  await floor.invite("c", agent);
  await floor.send("c", [word("hello")], { headers: named("k1"), wait: 0 });
  await vi.waitFor(() => expect(textsIn(agent.heard.at(-1) ?? agent.heard[0] ?? never())).toEqual(["hello"]), patience);
  const heard = agent.heard.at(-1) ?? never();
  const { body } = answer(heard, agent, utterance(agent.speakerUri, "later"));
  const post = () =>
    fetch(`${floor.url}/openfloor`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "in-reply-to": String(heard.headers["webhook-id"]),
        ...named("k1"),
      },
      body,
    });
  const [first, again] = [await post(), await post()];
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(await again.json()).toEqual(await first.json());
  expect(again.headers.get("plenary-seq")).toBe(first.headers.get("plenary-seq"));
  expect(await words("c")).toEqual(["hello", "later"]);
});

function never(): never {
  throw new Error("the agent heard nothing");
}

test("a request whose first attempt was not stored is not answered as if it had been", async () => {
  const inner = createMemoryStore();
  const ahead = createMemoryStore();
  let fail: (() => void) | undefined;
  let isWriting = false;
  // Reports an append at once, as a store that commits in groups does, and then cannot write it.
  const store: FloorStore = {
    ...inner,
    log: {
      ...inner.log,
      append(id, change, expectedSeq) {
        if (fail !== undefined) return inner.log.append(id, change, expectedSeq);
        isWriting = true;
        const writing = new Promise<void>((resolve) => {
          fail = resolve;
        });
        return ahead.log.append(id, change, expectedSeq).then(async () => {
          await writing;
          isWriting = false;
          throw new Error("no room");
        });
      },
      load: (id) => (isWriting ? ahead : inner).log.load(id),
    },
    lookups: { ...inner.lookups, request: (key) => (isWriting ? ahead : inner).lookups.request(key) },
  };
  floor = await startTestFloor({ store });
  const asked = [1, 2].map(() => floor.send("c", [word("yes")], { headers: named("k1"), wait: 0 }));
  // Both have entered the conversation's queue when a third request of another conversation is done.
  await vi.waitFor(() => expect(fail).toBeDefined(), patience);
  await floor.send("other", [word("me too")], { wait: 0 });
  fail?.();
  // The second request is not a repetition any more: it is accepted by itself.
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([503, 200]);
  expect((await floor.send("c", [word("yes")], { headers: named("k1"), wait: 0 })).status).toBe(200);
  expect(await words("c")).toEqual(["yes"]);
});
