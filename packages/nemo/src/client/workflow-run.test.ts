// `setImmediate` lets the client process the message that it just received.
import { expect, test } from "vitest";
import { all, hello, scriptedClient, serverMessages, summary, url } from "../testing/client-stage.ts";
import { scriptedServer } from "../testing/scripted-server.ts";

test("C4: a prompt is answered once", async () => {
  const { begun, client } = scriptedClient();
  const { happenings, peer, message, say } = await begun();
  say.prompt({ placeholder: "Ada" });
  expect(await happenings.next()).toMatchObject({ value: { kind: "prompt", prompt: { text: "Name?" } } });
  expect([client.answer(1, ["Ann"]), client.answer(1, ["Bob"])]).toEqual([true, false]);
  expect(await peer.take()).toMatchObject({
    type: "user_interaction_message",
    parent_id: message.id,
    conversation_id: message.conversation_id,
    content: { messages: [{ role: "user", content: [{ type: "text", text: "Ann" }] }] },
  });
  expect(peer.unread).toBe(0);
});

test("C5: a broken connection reopens once, with the same conversation id", async () => {
  const { begun, server } = scriptedClient();
  const { happenings, peer, message, say } = await begun();
  say.delta("one ");
  peer.drop();
  const again = await server.connection();
  expect(again.url).toBe(`${url}?conversation_id=${message.conversation_id}`);
  serverMessages(again, message).delta("two");
  await new Promise(setImmediate);
  again.drop();
  expect(summary(await all(happenings))).toEqual(["one ", "two", "closed"]);
  expect(again.unread).toBe(0);
});

test("C5: without a message after the reconnection, the run fails", async () => {
  const { begun, server, clock } = scriptedClient();
  const { happenings, peer } = await begun();
  peer.drop();
  await server.connection();
  await new Promise(setImmediate);
  clock.advance(30_000);
  expect(summary(await all(happenings))).toEqual(["silent"]);
});

test("C5: messages on the new connection count even if it breaks before it is used", async () => {
  const { begun, server } = scriptedClient();
  const { happenings, peer, message, say } = await begun();
  say.delta("one ");
  peer.drop();
  const again = await server.connection();
  const more = serverMessages(again, message);
  more.delta("two");
  more.complete();
  again.drop();
  expect(summary(await all(happenings))).toEqual(["one ", "two", "end"]);
});

test("C5: a prompt that is sent again is the same prompt, with its remaining time", async () => {
  const { begun, server, client, clock } = scriptedClient();
  const { happenings, peer, message, say } = await begun();
  say.prompt({ timeout: 60 });
  await happenings.next();
  clock.advance(50_000);
  peer.drop();
  const again = await server.connection();
  serverMessages(again, message).prompt({ timeout: 10 });
  await new Promise(setImmediate);
  clock.advance(9_000);
  expect(client.answer(1, ["Ann"])).toBe(true);
  expect(await again.take()).toMatchObject({ type: "user_interaction_message" });
  serverMessages(again, message).complete();
  expect(summary(await all(happenings))).toEqual(["end"]);
});

test("C5: an answer without a connection is sent when the server asks again", async () => {
  const { begun, server, client } = scriptedClient();
  const { happenings, peer, message, say } = await begun();
  say.prompt();
  await happenings.next();
  peer.drop();
  expect(client.answer(1, ["Ann"])).toBe(true);
  const again = await server.connection();
  await new Promise(setImmediate);
  serverMessages(again, message).prompt();
  expect(await again.take()).toMatchObject({ content: { messages: [{ content: [{ text: "Ann" }] }] } });
});

test("C5: a disconnect after the answer to a later prompt is `lost-prompt`", async () => {
  const { begun, server, client } = scriptedClient();
  const { happenings, peer, message } = await begun();
  peer.drop();
  const again = await server.connection();
  serverMessages(again, message).prompt();
  await happenings.next();
  client.answer(1, ["Ann"]);
  await again.take();
  again.drop();
  expect(summary(await all(happenings))).toEqual(["lost-prompt"]);
});

test("C6: a prompt accepts no answer after its timeout, although the server waits five seconds longer", async () => {
  const { begun, client, clock } = scriptedClient();
  const { happenings, peer, say } = await begun();
  say.prompt({ timeout: 10 });
  await happenings.next();
  expect(client.isOpen(1)).toBe(true);
  clock.advance(10_000);
  expect([client.isOpen(1), client.answer(1, ["Ann"])]).toEqual([false, false]);
  say.error("workflow_error");
  say.complete();
  expect(summary(await all(happenings))).toEqual(["error", "end"]);
  expect(peer.unread).toBe(0);
});

test("a prompt without a timeout ends after promptMs", async () => {
  const { begun, clock } = scriptedClient({ limits: { promptMs: 1_000 } });
  const { happenings, peer, say } = await begun();
  say.prompt();
  await happenings.next();
  clock.advance(1_000);
  expect(summary(await all(happenings))).toEqual(["unanswered"]);
  expect(peer.isClosed).toBe(true);
});

test("C7: a failed reconnection ends the run", async () => {
  const { begun, server } = scriptedClient();
  const { happenings, peer, say } = await begun();
  say.delta("one ");
  server.refuse(new Error("connection refused"));
  peer.drop();
  expect(summary(await all(happenings))).toEqual(["one ", "closed"]);
});

test("a socket that opens after its run was stopped is closed and does not affect the next run", async () => {
  const doors: (() => void)[] = [];
  const server = scriptedServer();
  const dialSocket: typeof server.dialSocket = async (request) => {
    const socket = server.dialSocket(request);
    await new Promise<void>((resolve) => doors.push(resolve));
    return socket;
  };
  const { client } = scriptedClient({ dialSocket });
  client.run(hello);
  const former = await server.connection();
  client.stop();
  const happenings = client.run(hello);
  const peer = await server.connection();
  doors[1]?.();
  const message = await peer.take();
  serverMessages(former, { id: "another", conversation_id: "c" }).delta("old");
  doors[0]?.();
  await new Promise(setImmediate);
  serverMessages(peer, message).complete();
  expect(summary(await all(happenings))).toEqual(["end"]);
  expect(former.isClosed).toBe(true);
});

test("stopping a run closes the socket, and its conversation id is not used again", async () => {
  const { begun, client, server } = scriptedClient();
  const { happenings, peer, message, say } = await begun();
  say.delta("one");
  client.stop();
  expect(peer.isClosed).toBe(true);
  say.delta("two");
  expect(summary(await all(happenings))).toEqual(["one"]);
  client.run(hello);
  const other = await server.connection();
  expect((await other.take()).conversation_id).not.toBe(message.conversation_id);
});
