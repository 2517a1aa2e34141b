// `setImmediate` lets the client take note of what it was just sent.
import { expect, test } from "vitest";
import { all, hello, sayer, stage, told, url } from "../testing/client-stage.ts";
import { scriptedServer } from "../testing/scripted-server.ts";

test("C4: a prompt is answered once", async () => {
  const { begun, client } = stage();
  const { happenings, peer, message, say } = await begun();
  say.prompt({ placeholder: "Ada" });
  expect(await happenings.next()).toMatchObject({ value: { kind: "prompt", prompt: { text: "Name?" } } });
  expect([client.answer(1, ["Ann"]), client.answer(1, ["Bob"])]).toEqual([true, false]);
  expect(await peer.take()).toMatchObject({
    ...{ type: "user_interaction_message", parent_id: message.id, conversation_id: message.conversation_id },
    content: { messages: [{ role: "user", content: [{ type: "text", text: "Ann" }] }] },
  });
  expect(peer.unread).toBe(0);
});

test("C5: a broken connection is opened again with the id of the conversation, once", async () => {
  const { begun, server } = stage();
  const { happenings, peer, message, say } = await begun();
  say.delta("one ");
  peer.drop();
  const again = await server.connection();
  expect(again.url).toBe(`${url}?conversation_id=${message.conversation_id}`);
  sayer(again, message).delta("two");
  await new Promise(setImmediate);
  again.drop();
  expect(told(await all(happenings))).toEqual(["one ", "two", "closed"]);
  expect(again.unread).toBe(0);
});

test("C5: where nothing comes after that, the turn has failed", async () => {
  const { begun, server, clock } = stage();
  const { happenings, peer } = await begun();
  peer.drop();
  await server.connection();
  await new Promise(setImmediate);
  clock.advance(30_000);
  expect(told(await all(happenings))).toEqual(["silent"]);
});

test("C5: what is said on the new connection counts though it breaks before anybody knows of it", async () => {
  const { begun, server } = stage();
  const { happenings, peer, message, say } = await begun();
  say.delta("one ");
  peer.drop();
  const again = await server.connection();
  const more = sayer(again, message);
  more.delta("two");
  more.complete();
  again.drop();
  expect(told(await all(happenings))).toEqual(["one ", "two", "end"]);
});

test("C5: a prompt that is sent again is the same one, with what is left of its time", async () => {
  const { begun, server, client, clock } = stage();
  const { happenings, peer, message, say } = await begun();
  say.prompt({ timeout: 60 });
  await happenings.next();
  clock.advance(50_000);
  peer.drop();
  const again = await server.connection();
  sayer(again, message).prompt({ timeout: 10 });
  await new Promise(setImmediate);
  clock.advance(9_000);
  expect(client.answer(1, ["Ann"])).toBe(true);
  expect(await again.take()).toMatchObject({ type: "user_interaction_message" });
  sayer(again, message).complete();
  expect(told(await all(happenings))).toEqual(["end"]);
});

test("C5: an answer while there is no connection is given when the server asks again", async () => {
  const { begun, server, client } = stage();
  const { happenings, peer, message, say } = await begun();
  say.prompt();
  await happenings.next();
  peer.drop();
  expect(client.answer(1, ["Ann"])).toBe(true);
  const again = await server.connection();
  await new Promise(setImmediate);
  sayer(again, message).prompt();
  expect(await again.take()).toMatchObject({ content: { messages: [{ content: [{ text: "Ann" }] }] } });
});

test("C5: a server that drops the answer to a later prompt has lost it", async () => {
  const { begun, server, client } = stage();
  const { happenings, peer, message } = await begun();
  peer.drop();
  const again = await server.connection();
  sayer(again, message).prompt();
  await happenings.next();
  client.answer(1, ["Ann"]);
  await again.take();
  again.drop();
  expect(told(await all(happenings))).toEqual(["lost-prompt"]);
});

test("C6: when its time is up a prompt takes no answer, though the server would wait for five seconds more", async () => {
  const { begun, client, clock } = stage();
  const { happenings, peer, say } = await begun();
  say.prompt({ timeout: 10 });
  await happenings.next();
  expect(client.isOpen(1)).toBe(true);
  clock.advance(10_000);
  expect([client.isOpen(1), client.answer(1, ["Ann"])]).toEqual([false, false]);
  say.error("workflow_error");
  say.complete();
  expect(told(await all(happenings))).toEqual(["error", "end"]);
  expect(peer.unread).toBe(0);
});

test("a prompt without a time is not waited for for ever", async () => {
  const { begun, clock } = stage({ limits: { promptMs: 1_000 } });
  const { happenings, peer, say } = await begun();
  say.prompt();
  await happenings.next();
  clock.advance(1_000);
  expect(told(await all(happenings))).toEqual(["unanswered"]);
  expect(peer.isClosed).toBe(true);
});

test("C7: a connection that cannot be opened again ends the turn", async () => {
  const { begun, server } = stage();
  const { happenings, peer, say } = await begun();
  say.delta("one ");
  server.refuse(new Error("nobody listens"));
  peer.drop();
  expect(told(await all(happenings))).toEqual(["one ", "closed"]);
});

test("a socket that opens after its turn was stopped is closed, and says nothing in the next one", async () => {
  const doors: (() => void)[] = [];
  const server = scriptedServer();
  const dialSocket: typeof server.dialSocket = async (request) => {
    const socket = server.dialSocket(request);
    await new Promise<void>((resolve) => doors.push(resolve));
    return socket;
  };
  const { client } = stage({ dialSocket });
  client.turn(hello);
  const former = await server.connection();
  client.stop();
  const happenings = client.turn(hello);
  const peer = await server.connection();
  doors[1]?.();
  const message = await peer.take();
  sayer(former, { id: "another", conversation_id: "c" }).delta("old");
  doors[0]?.();
  await new Promise(setImmediate);
  sayer(peer, message).complete();
  expect(told(await all(happenings))).toEqual(["end"]);
  expect(former.isClosed).toBe(true);
});

test("who stops a turn hangs up, and its id is never used again", async () => {
  const { begun, client, server } = stage();
  const { happenings, peer, message, say } = await begun();
  say.delta("one");
  client.stop();
  expect(peer.isClosed).toBe(true);
  say.delta("two");
  expect(told(await all(happenings))).toEqual(["one"]);
  client.turn(hello);
  const other = await server.connection();
  expect((await other.take()).conversation_id).not.toBe(message.conversation_id);
});
