// `setImmediate` lets the client process the message that it just received.
import { expect, test } from "vitest";
import { all, hello, scriptedClient, serverMessages, summary, url } from "../testing/client-stage.ts";
import type { Peer } from "../testing/scripted-server.ts";

test("a run sends the message of the toolkit and yields all events until it is complete", async () => {
  const { begun } = scriptedClient();
  const { happenings, peer, message, say } = await begun();
  expect(peer.url).toBe(`${url}?conversation_id=${message.conversation_id}`);
  expect(message).toMatchObject({
    type: "user_message",
    schema_type: "chat_stream",
    user: { name: "Ann" },
    openFloor: { conversationId: "c1" },
    content: { messages: [{ role: "user", content: [{ type: "text", text: "Ann: hello" }] }] },
  });
  say.delta("Good ");
  say.delta("day");
  say.complete();
  expect(summary(await all(happenings))).toEqual(["Good ", "day", "end"]);
});

test("C1: null and empty texts, unknown types and invalid messages are ignored; steps may come at any time", async () => {
  const { begun, clock } = scriptedClient();
  const { happenings, peer, message, say } = await begun();
  say.step("s1", String(message.id));
  say.delta(null);
  say.delta("");
  peer.send({ type: "oauth_mode_preference" });
  peer.send([1]);
  say.delta("yes");
  say.step("s2", "s1");
  say.complete();
  clock.advance(200);
  const list = await all(happenings);
  expect(summary(list)).toEqual(["step", "yes", "step", "end"]);
  expect(list.flatMap((one) => (one.kind === "step" ? one.step : []))).toEqual([
    { id: "s1", name: "Tool", payload: "1" },
    { id: "s2", parent: "s1", name: "Tool", payload: "1" },
  ]);
});

test.each(["complete", "completed", "failed"])("C2: a run ends with the status %s", async (status) => {
  const { begun } = scriptedClient();
  const { happenings, say } = await begun();
  say.complete(status);
  expect(summary(await all(happenings))).toEqual(status === "failed" ? ["error", "end"] : ["end"]);
});

test("C2: a refused message has no complete, and a late complete does not end the next run", async () => {
  const { begun, client } = scriptedClient();
  const { happenings, peer, say } = await begun();
  say.error("invalid_user_message_content");
  expect(summary(await all(happenings))).toEqual(["error", "end"]);
  const second = client.run(hello);
  const next = serverMessages(peer, await peer.take());
  say.complete();
  next.delta("second");
  next.complete();
  expect(summary(await all(second))).toEqual(["second", "end"]);
});

test("C3: a socket has one run at a time", async () => {
  const { begun, client } = scriptedClient();
  const { peer } = await begun();
  expect(() => client.run(hello)).toThrow("one run at a time");
  expect(peer.unread).toBe(0);
});

test.each([
  [false, 2],
  [true, 3],
])(
  "threads are different conversations, and so is what comes after an answered prompt (shared: %s)",
  async (isShared, count) => {
    const { begun, client } = scriptedClient({ isShared });
    const { happenings, peer, message, say } = await begun();
    say.prompt();
    client.answer(1, ["Ann"]);
    await peer.take();
    say.complete();
    await all(happenings);
    const ids = [message.conversation_id];
    for (const thread of ["", "ann", ""]) {
      const turn = client.run({ ...hello, thread });
      const next = await peer.take();
      ids.push(next.conversation_id);
      serverMessages(peer, next).complete();
      await all(turn);
    }
    expect(new Set(ids).size).toBe(count);
    expect(ids[1]).toBe(ids[3]);
  },
);

test("the client waits briefly for a trace after steps, and not again if none came", async () => {
  const { begun, client, clock } = scriptedClient();
  const { happenings, peer, say } = await begun();
  say.step("s1");
  say.complete();
  say.trace();
  expect(summary(await all(happenings))).toEqual(["step", "trace", "end"]);
  for (const advanceMs of [200, 0]) {
    const turn = client.run(hello);
    const next = serverMessages(peer, await peer.take());
    next.step("s2");
    next.complete();
    clock.advance(advanceMs);
    expect(summary(await all(turn))).toEqual(["step", "end"]);
  }
});

test("a consent request before the first message belongs to the first run", async () => {
  const { client, server } = scriptedClient();
  await client.open();
  const peer = await server.connection();
  peer.send({
    type: "system_interaction_message",
    id: "i",
    parent_id: "default_id",
    conversation_id: null,
    content: { input_type: "oauth_consent", text: "https://login.example/?state=1" },
  });
  const happenings = client.run(hello);
  expect(await happenings.next()).toEqual({
    done: false,
    value: { kind: "consent", url: "https://login.example/?state=1" },
  });
});

test("the credential is sent first, and the client waits for its answer", async () => {
  const { client, server } = scriptedClient({ credential: { method: "api_key", token: "k1" } });
  const happenings = client.run(hello);
  const peer = await server.connection();
  expect(await peer.take()).toEqual({ type: "auth_message", payload: { method: "api_key", token: "k1" } });
  expect(peer.unread).toBe(0);
  peer.send({ type: "auth_response_message", status: "success", user_id: "u1", payload: null });
  serverMessages(peer, await peer.take()).complete();
  expect(summary(await all(happenings))).toEqual(["end"]);
});

test("after a disconnect right after authentication, the client reconnects", async () => {
  const { client, server } = scriptedClient({ credential: { method: "api_key", token: "k1" } });
  const happenings = client.run(hello);
  const peer = await server.connection();
  await peer.take();
  await new Promise(setImmediate);
  peer.send(welcome);
  peer.drop();
  const again = await server.connection();
  await again.take();
  await new Promise(setImmediate);
  again.send(welcome);
  serverMessages(again, await again.take()).complete();
  expect(summary(await all(happenings))).toEqual(["end"]);
  expect(again.unread).toBe(0);
});

test("a second disconnect right after authentication breaks the run", async () => {
  const { client, server, clock } = scriptedClient({ credential: { method: "api_key", token: "k1" } });
  const happenings = client.run(hello);
  const called = async () => {
    const peer = await server.connection();
    await peer.take();
    await new Promise(setImmediate);
    peer.send(welcome);
    return peer;
  };
  const first = await called();
  await first.take();
  first.drop();
  const again = await called();
  again.drop();
  await new Promise(setImmediate);
  clock.advance(30_000);
  expect(summary(await all(happenings))).toEqual(["closed"]);
});

const welcome = { type: "auth_response_message", status: "success", user_id: "u1", payload: null };

test.each([
  ["is refused", (peer: Peer) => peer.send(refusal)],
  ["has no answer", (_peer: Peer, advance: (ms: number) => void) => advance(5_000)],
  ["is answered by hanging up", (peer: Peer) => peer.drop()],
])("no run begins if a credential %s", async (_, act) => {
  const { client, server, clock } = scriptedClient({ credential: { method: "jwt", token: "a.b.c" } });
  const happenings = client.run(hello);
  const peer = await server.connection();
  await peer.take();
  await new Promise(setImmediate);
  act(peer, clock.advance);
  expect(summary(await all(happenings))).toEqual(["refused"]);
});

const refusal = {
  type: "auth_response_message",
  status: "error",
  user_id: null,
  payload: { code: "user_auth_error", message: "Authentication failed", details: "malformed" },
};

test("an unreachable server is reported by open() and by a run", async () => {
  const { client, server } = scriptedClient();
  server.refuse(new Error("connection refused"));
  await expect(client.open()).rejects.toMatchObject({ name: "NemoError", code: "unreachable" });
  server.refuse(new Error("connection refused"));
  expect(summary(await all(client.run(hello)))).toEqual(["unreachable"]);
});

test("silence and a too large answer end a run", async () => {
  const { begun, clock, server, client } = scriptedClient({ limits: { turnCharsMax: 1_000 } });
  const { happenings } = await begun();
  clock.advance(120_000);
  expect(summary(await all(happenings))).toEqual(["silent"]);
  const second = client.run(hello);
  const peer = await server.connection();
  const say = serverMessages(peer, await peer.take());
  say.delta("x".repeat(500));
  say.delta("x".repeat(500));
  expect(summary(await all(second)).at(-1)).toBe("too-much");
  expect(peer.isClosed).toBe(true);
});

test("an unused socket closes, and reopens when it is needed", async () => {
  const { begun, client, clock, server } = scriptedClient();
  const { happenings, peer, say } = await begun();
  say.complete();
  await all(happenings);
  clock.advance(300_000);
  expect(peer.isClosed).toBe(true);
  client.run(hello);
  expect(await (await server.connection()).take()).toMatchObject({ type: "user_message" });
});

test("after a disconnect between two runs, the client reconnects", async () => {
  const { begun, client, server } = scriptedClient();
  const { happenings, peer, say } = await begun();
  say.complete();
  await all(happenings);
  peer.drop();
  client.run(hello);
  expect(await (await server.connection()).take()).toMatchObject({ type: "user_message" });
});
