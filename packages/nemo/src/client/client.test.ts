// `setImmediate` lets the client take note of what it was just sent.
import { expect, test } from "vitest";
import { all, hello, sayer, stage, told, url } from "../testing/client-stage.ts";
import type { Peer } from "../testing/scripted-server.ts";

test("a turn is the message of the toolkit, and what comes until it is complete", async () => {
  const { begun } = stage();
  const { happenings, peer, message, say } = await begun();
  expect(peer.url).toBe(`${url}?conversation_id=${message.conversation_id}`);
  expect(message).toMatchObject({
    ...{ type: "user_message", schema_type: "chat_stream", user: { name: "Ann" }, openFloor: { conversationId: "c1" } },
    content: { messages: [{ role: "user", content: [{ type: "text", text: "Ann: hello" }] }] },
  });
  say.delta("Good ");
  say.delta("day");
  say.complete();
  expect(told(await all(happenings))).toEqual(["Good ", "day", "end"]);
});

test("C1: null and empty texts, unknown types and what is no message are nothing; steps come whenever they come", async () => {
  const { begun, clock } = stage();
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
  expect(told(list)).toEqual(["step", "yes", "step", "end"]);
  expect(list.flatMap((one) => (one.kind === "step" ? one.step : []))).toEqual([
    { id: "s1", name: "Tool", payload: "1" },
    { id: "s2", parent: "s1", name: "Tool", payload: "1" },
  ]);
});

test.each(["complete", "completed", "failed"])("C2: a turn ends with the status %s", async (status) => {
  const { begun } = stage();
  const { happenings, say } = await begun();
  say.complete(status);
  expect(told(await all(happenings))).toEqual(status === "failed" ? ["error", "end"] : ["end"]);
});

test("C2: a refused message has no complete, and one that comes all the same does not end the next turn", async () => {
  const { begun, client } = stage();
  const { happenings, peer, say } = await begun();
  say.error("invalid_user_message_content");
  expect(told(await all(happenings))).toEqual(["error", "end"]);
  const second = client.turn(hello);
  const next = sayer(peer, await peer.take());
  say.complete();
  next.delta("second");
  next.complete();
  expect(told(await all(second))).toEqual(["second", "end"]);
});

test("C3: while a turn runs there is no other on the socket", async () => {
  const { begun, client } = stage();
  const { peer } = await begun();
  expect(() => client.turn(hello)).toThrow("one at a time");
  expect(peer.unread).toBe(0);
});

test.each([
  [false, 2],
  [true, 3],
])(
  "threads are different conversations, and so is what comes after an answered prompt (shared: %s)",
  async (isShared, count) => {
    const { begun, client } = stage({ isShared });
    const { happenings, peer, message, say } = await begun();
    say.prompt();
    client.answer(1, ["Ann"]);
    await peer.take();
    say.complete();
    await all(happenings);
    const ids = [message.conversation_id];
    for (const thread of ["", "ann", ""]) {
      const turn = client.turn({ ...hello, thread });
      const next = await peer.take();
      ids.push(next.conversation_id);
      sayer(peer, next).complete();
      await all(turn);
    }
    expect(new Set(ids).size).toBe(count);
    expect(ids[1]).toBe(ids[3]);
  },
);

test("a trace is waited for a moment where steps were, and not again where none came", async () => {
  const { begun, client, clock } = stage();
  const { happenings, peer, say } = await begun();
  say.step("s1");
  say.complete();
  say.trace();
  expect(told(await all(happenings))).toEqual(["step", "trace", "end"]);
  for (const advanceMs of [200, 0]) {
    const turn = client.turn(hello);
    const next = sayer(peer, await peer.take());
    next.step("s2");
    next.complete();
    clock.advance(advanceMs);
    expect(told(await all(turn))).toEqual(["step", "end"]);
  }
});

test("consent that is asked for before anybody speaks belongs to the first turn", async () => {
  const { client, server } = stage();
  await client.open();
  const peer = await server.connection();
  peer.send({
    ...{ type: "system_interaction_message", id: "i", parent_id: "default_id", conversation_id: null },
    content: { input_type: "oauth_consent", text: "https://login.example/?state=1" },
  });
  const happenings = client.turn(hello);
  expect(await happenings.next()).toEqual({
    done: false,
    value: { kind: "consent", url: "https://login.example/?state=1" },
  });
});

test("a credential is told before anything else, and its answer is waited for", async () => {
  const { client, server } = stage({ credential: { method: "api_key", token: "k1" } });
  const happenings = client.turn(hello);
  const peer = await server.connection();
  expect(await peer.take()).toEqual({ type: "auth_message", payload: { method: "api_key", token: "k1" } });
  expect(peer.unread).toBe(0);
  peer.send({ type: "auth_response_message", status: "success", user_id: "u1", payload: null });
  sayer(peer, await peer.take()).complete();
  expect(told(await all(happenings))).toEqual(["end"]);
});

test("a server that hangs up right after it took the credential is called again", async () => {
  const { client, server } = stage({ credential: { method: "api_key", token: "k1" } });
  const happenings = client.turn(hello);
  const peer = await server.connection();
  await peer.take();
  await new Promise(setImmediate);
  peer.send(welcome);
  peer.drop();
  const again = await server.connection();
  await again.take();
  await new Promise(setImmediate);
  again.send(welcome);
  sayer(again, await again.take()).complete();
  expect(told(await all(happenings))).toEqual(["end"]);
  expect(again.unread).toBe(0);
});

test("one that does so when it is called back has broken the turn", async () => {
  const { client, server, clock } = stage({ credential: { method: "api_key", token: "k1" } });
  const happenings = client.turn(hello);
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
  expect(told(await all(happenings))).toEqual(["closed"]);
});

const welcome = { type: "auth_response_message", status: "success", user_id: "u1", payload: null };

test.each([
  ["is refused", (peer: Peer) => peer.send(refusal)],
  ["has no answer", (_peer: Peer, advance: (ms: number) => void) => advance(5_000)],
  ["is answered by hanging up", (peer: Peer) => peer.drop()],
])("no turn begins where a credential %s", async (_, act) => {
  const { client, server, clock } = stage({ credential: { method: "jwt", token: "a.b.c" } });
  const happenings = client.turn(hello);
  const peer = await server.connection();
  await peer.take();
  await new Promise(setImmediate);
  act(peer, clock.advance);
  expect(told(await all(happenings))).toEqual(["refused"]);
});

const refusal = {
  ...{ type: "auth_response_message", status: "error", user_id: null },
  payload: { code: "user_auth_error", message: "Authentication failed", details: "malformed" },
};

test("nobody there is told by the probe and by a turn", async () => {
  const { client, server } = stage();
  server.refuse(new Error("nobody listens"));
  await expect(client.open()).rejects.toMatchObject({ name: "NemoError", code: "unreachable" });
  server.refuse(new Error("nobody listens"));
  expect(told(await all(client.turn(hello)))).toEqual(["unreachable"]);
});

test("silence, and an answer without end, end a turn", async () => {
  const { begun, clock, server, client } = stage({ limits: { turnCharsMax: 1_000 } });
  const { happenings } = await begun();
  clock.advance(120_000);
  expect(told(await all(happenings))).toEqual(["silent"]);
  const second = client.turn(hello);
  const peer = await server.connection();
  const say = sayer(peer, await peer.take());
  say.delta("x".repeat(500));
  say.delta("x".repeat(500));
  expect(told(await all(second)).at(-1)).toBe("too-much");
  expect(peer.isClosed).toBe(true);
});

test("an unused socket is closed, and opened again when it is needed", async () => {
  const { begun, client, clock, server } = stage();
  const { happenings, peer, say } = await begun();
  say.complete();
  await all(happenings);
  clock.advance(300_000);
  expect(peer.isClosed).toBe(true);
  client.turn(hello);
  expect(await (await server.connection()).take()).toMatchObject({ type: "user_message" });
});

test("a server that hung up between two turns is called again", async () => {
  const { begun, client, server } = stage();
  const { happenings, peer, say } = await begun();
  say.complete();
  await all(happenings);
  peer.drop();
  client.turn(hello);
  expect(await (await server.connection()).take()).toMatchObject({ type: "user_message" });
});
