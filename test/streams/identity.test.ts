import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, bob, envelopeOf, utterance } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import { openSocket, refusalOf } from "../support/test-client.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor({ retries: "default" });
});

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const authorization = `Bearer ${token}`;

async function ticketFor(speaker?: string): Promise<string> {
  const { status, body } = await floor.post("/api/v1/tickets", speaker === undefined ? {} : { speaker });
  expect(status).toBe(201);
  return String(body.ticket);
}

test("a ticket opens one socket only", async () => {
  const ticket = await ticketFor(ann);
  const client = await openSocket(floor, { speaker: ann, ticket });
  expect(await refusalOf(floor, { speaker: ann, ticket }, {})).toMatchObject({ status: 401 });
  await client.close();
});

test("a ticket expires after 30 seconds", async () => {
  const quick = await startTestFloor({ retries: "default", streams: { limits: { ticketMs: 0 } } });
  const { body } = await quick.post("/api/v1/tickets", { speaker: ann });
  expect(await refusalOf(quick, { speaker: ann, ticket: String(body.ticket) }, {})).toMatchObject({ status: 401 });
  await quick.close();
});

test("a ticket is bound to its speaker: it neither reads nor speaks as another", async () => {
  await floor.openConversation("c1", [ann, bob]);
  expect(await refusalOf(floor, { speaker: bob, ticket: await ticketFor(ann) }, {})).toMatchObject({ status: 403 });
  const client = await openSocket(floor, { speaker: ann, ticket: await ticketFor(ann) });
  client.send({ ...envelopeOf("c1", bob, [utterance(bob, "I am bob")]), id: "1" });
  expect(await client.find(({ nack }) => nack === "1", "a nack")).toMatchObject({ problem: { status: 403 } });
  client.send({ ...envelopeOf("c1", ann, [utterance(ann, "I am ann")]), id: "2" });
  await client.find(({ ack }) => ack === "2", "an ack");
  await client.close();
});

test("the operator's socket may speak for any speaker", async () => {
  await floor.openConversation("c1", [ann, bob]);
  const client = await openSocket(floor, { speaker: ann, conversation: "c1" });
  client.send({ ...envelopeOf("c1", bob, [utterance(bob, "for bob")]), id: "1" });
  await client.find(({ ack }) => ack === "1", "an ack");
  await client.close();
});

test("only a caller with a token gets a ticket, and a ticket holds a speaker only", async () => {
  expect((await floor.post("/api/v1/tickets", {}, { authorization: "Bearer wrong" })).status).toBe(401);
  expect((await floor.post("/api/v1/tickets", { speaker: ann, scopes: ["host"] })).status).toBe(400);
});

test.each([
  ["without a token", {}, 401],
  ["with a wrong token", { authorization: "Bearer wrong" }, 401],
  ["from a page of another origin", { authorization, origin: "https://evil.example" }, 403],
  ["under another name", { authorization, host: "evil.example" }, 403],
])("a socket is refused %s", async (_name, headers, status) => {
  expect(await refusalOf(floor, { speaker: ann }, headers)).toMatchObject({ status, body: { status } });
});

test("a socket accepts pages of this floor and of allowed origins", async () => {
  const friendly = await startTestFloor({ retries: "default", allowOrigins: ["https://friend.example"] });
  for (const origin of [friendly.url, "https://friend.example"]) {
    const client = await openSocket(friendly, { speaker: ann }, { authorization, origin });
    await client.close();
  }
  await friendly.close();
});

test("a token in the address is ignored, and other addresses accept no sockets", async () => {
  const { status } = await refusalOf(floor, { speaker: ann, token } as { speaker: string }, {});
  expect(status).toBe(401);
  const elsewhere = { ...floor, socketUrl: () => `${floor.url.replace("http", "ws")}/elsewhere` };
  expect(await refusalOf(elsewhere, { speaker: ann }, { authorization })).toMatchObject({ status: 404 });
});

test("an invalid upgrade is refused, and the floor continues", async () => {
  for (const path of ["//", "http://[", "/openfloor/ws?speaker=%ff"]) {
    const socket = connect(floor.port, "127.0.0.1");
    const host = `127.0.0.1:${floor.port}`;
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`);
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /u);
  }
  expect((await floor.get("/version")).status).toBe(200);
});

test("an invalid query is refused", async () => {
  expect((await refusalOf(floor, { speaker: "nobody" }, { authorization })).status).toBe(400);
  expect((await refusalOf(floor, { speaker: ann, as: "convener" }, { authorization })).status).toBe(400);
  expect((await refusalOf(floor, { speaker: ann, conversation: "c1", after: "x" }, { authorization })).status).toBe(
    400,
  );
});
