import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { isLocal } from "../auth/client-address.ts";
import { createMemoryCredentials } from "../auth/memory-credentials.ts";
import { type Credential, newCredentialToken } from "../ports/credentials.ts";
import { createSqliteStore } from "../store/sqlite/store.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import {
  type AgentHandler,
  nemoFixture,
  operatorToken,
  startNemoFixture,
  textIn,
  uriOf,
  utteranceEvent,
} from "../testing/nemo-fixture.ts";

const ann = "tag:people.example,2026:ann";
const echo: AgentHandler = ({ texts }) => texts.map((text) => utteranceEvent(uriOf("echo"), `echo ${text}`));
/** A floor with a public URL, so no client is local. */
const remote = { publicUrl: "https://floor.example" };

async function keyOf(speakers: string[], more: Partial<Credential> = {}) {
  const credentials = createMemoryCredentials();
  const { token, ...made } = newCredentialToken("key");
  const createdAt = new Date().toISOString();
  await credentials.add({ ...made, kind: "key", speakers, scopes: ["host"], isPerson: true, createdAt, ...more });
  return { credentials, token };
}

test("an invalid session is refused before the socket opens", async () => {
  const { tryConnect } = await nemoFixture();
  expect((await tryConnect("?session=a%20b")).status).toBe(403);
  expect((await tryConnect("?session=")).status).toBe(403);
  expect((await tryConnect(`?session=${"a".repeat(600)}`)).status).toBe(403);
  expect((await tryConnect("?session=a-b_c.d~e&anything=else")).status).toBe(101);
});

test("the refusal of an origin names --allow-origin", async () => {
  const { tryConnect } = await nemoFixture({}, { allowOrigins: ["http://localhost:3000"] });
  const refused = await tryConnect("?session=s", { origin: "http://evil.example" });
  expect(refused.status).toBe(403);
  expect(refused.body).toContain("--allow-origin");
  expect((await tryConnect("?session=s", { origin: "http://localhost:3000" })).status).toBe(101);
});

test("subprotocols are ignored", async () => {
  const { socketUrl } = await nemoFixture();
  const ws = new WebSocket(socketUrl, ["chat", "superchat"]);
  const failed = await new Promise<string>((resolve) => {
    ws.on("error", (error) => resolve(error.message));
    ws.on("upgrade", (response) => resolve(String(response.headers["sec-websocket-protocol"])));
  });
  expect(failed).toBe("undefined");
  ws.terminate();
});

test("invalid `agents` are refused before the socket opens", async () => {
  const { tryConnect } = await nemoFixture();
  expect((await tryConnect("?agents=nowhere")).status).toBe(400);
  expect((await tryConnect(`?agents=${"http://a.example/,".repeat(17)}http://b.example/`)).status).toBe(400);
});

test("a credential identifies the person in each of its headers", async () => {
  const { credentials, token } = await keyOf([ann]);
  const { tryConnect, connect, log, withAgents } = await nemoFixture({ echo }, {}, { credentials });
  expect((await tryConnect("", { authorization: "Bearer nobody's" })).status).toBe(401);
  const basic = `Basic ${Buffer.from(`ann:${token}`).toString("base64")}`;
  for (const headers of [{ authorization: `Bearer ${token}` }, { authorization: basic }, { "x-api-key": token }]) {
    const client = await connect(withAgents("session=s"), headers);
    const conversation = Object.values(headers).join("").length.toString();
    await client.ask("hello", { conversation_id: conversation });
    const [opened] = await log(conversation, ann);
    expect(opened).toMatchObject({ kind: "opened", owner: { identification: { speakerUri: ann } } });
    client.ws.terminate();
  }
});

test("an agent's key is refused, and a key for several speakers needs `speaker`", async () => {
  const agents = await keyOf([ann], { isPerson: false });
  const one = await nemoFixture({}, {}, agents);
  expect((await one.tryConnect("", { authorization: `Bearer ${agents.token}` })).status).toBe(403);
  const several = await keyOf([ann, "tag:people.example,2026:ben"]);
  const two = await nemoFixture({}, {}, several);
  expect((await two.tryConnect("", { authorization: `Bearer ${several.token}` })).status).toBe(400);
  const query = `?speaker=${encodeURIComponent(ann)}`;
  expect((await two.tryConnect(query, { authorization: `Bearer ${several.token}` })).status).toBe(101);
  expect(
    (await two.tryConnect("?speaker=tag:x.example,2026:1", { authorization: `Bearer ${several.token}` })).status,
  ).toBe(403);
});

test("only a caller from this machine at a loopback floor is local", () => {
  const originPolicy = { allowHosts: [], allowOrigins: [], proxies: 0 };
  const floor = { url: "http://127.0.0.1:8080", isOnLoopback: true, originPolicy };
  const caller = (host: string, address: string, more = {}) => ({ headers: new Headers({ host, ...more }), address });
  expect(isLocal(floor, caller("localhost:8080", "127.0.0.1"))).toBe(true);
  expect(isLocal(floor, caller("127.0.0.1:8080", "::ffff:127.0.0.1"))).toBe(true);
  expect(isLocal(floor, caller("localhost:8080", "10.0.0.7"))).toBe(false);
  expect(isLocal(floor, caller("floor.example", "127.0.0.1"))).toBe(false);
  expect(isLocal(floor, caller("localhost", "127.0.0.1", { "x-forwarded-for": "::1, 127.0.0.1" }))).toBe(true);
  expect(isLocal(floor, caller("localhost", "127.0.0.1", { "x-forwarded-for": "203.0.113.9" }))).toBe(false);
  for (const [name, value] of [
    ["x-real-ip", "203.0.113.9"],
    ["x-forwarded-host", "192.168.1.5:3000"],
    ["forwarded", "for=203.0.113.9"],
    ["via", "1.1 proxy.example"],
    ["cf-connecting-ip", "203.0.113.9"],
  ] as const) {
    expect(isLocal(floor, caller("localhost", "127.0.0.1", { [name]: value }))).toBe(false);
  }
  const gateway = { "x-forwarded-host": "localhost:3000", "x-real-ip": "::1", "x-forwarded-for": "::ffff:127.0.0.1" };
  expect(isLocal(floor, caller("localhost", "127.0.0.1", gateway))).toBe(true);
  expect(isLocal({ ...floor, url: "https://floor.example" }, caller("localhost", "127.0.0.1"))).toBe(false);
  expect(isLocal({ ...floor, isOnLoopback: false }, caller("localhost", "127.0.0.1"))).toBe(false);
  expect(
    isLocal({ ...floor, originPolicy: { ...floor.originPolicy, proxies: 1 } }, caller("localhost", "127.0.0.1")),
  ).toBe(false);
});

test.each([
  ["jwt", (token: string) => ({ method: "jwt", token })],
  ["api_key", (token: string) => ({ method: "api_key", token })],
  ["basic", (token: string) => ({ method: "basic", username: "ann", password: token })],
])("a remote client authenticates by an auth_message: %s", async (_, payloadOf) => {
  const { credentials, token } = await keyOf([ann]);
  const { connect, withAgents } = await nemoFixture({ echo }, remote, { credentials });
  const client = await connect(withAgents("session=s"));
  const [refused] = await client.ask("hello", { conversation_id: "c" });
  expect(refused).toMatchObject({ type: "error_message", content: { code: "user_auth_error" } });
  client.send({ type: "auth_message", payload: payloadOf("nobody's") });
  const [wrong] = await client.until(({ type }) => type === "auth_response_message");
  expect(wrong).toMatchObject({ status: "error", user_id: null, payload: { code: "user_auth_error" } });
  client.send({ type: "auth_message", payload: payloadOf(token) });
  const [right] = await client.until(({ type }) => type === "auth_response_message");
  expect(right).toMatchObject({ status: "success", user_id: ann });
  expect(textIn(await client.ask("hello", { conversation_id: "c" }))).not.toContain("Who are you");
  client.send({ type: "auth_message", payload: payloadOf(token) });
  const late = (await client.until(({ type }) => type === "auth_response_message")).at(-1);
  expect(late).toMatchObject({ status: "error" });
});

test("`security` of the first message authenticates a remote client; without it the socket closes in time", async () => {
  const { credentials, token } = await keyOf([ann]);
  const clock = createFakeClock(Date.now());
  const { connect } = await nemoFixture({}, remote, { credentials, clock });
  const client = await connect("?session=s");
  const frames = await client.ask("hello", { conversation_id: "c", security: { api_key: token } });
  expect(frames.filter(({ type }) => type === "error_message")).toEqual([]);
  const silent = await connect("?session=s");
  await clock.advance(10_000);
  const [output] = await silent.until(({ type }) => type === "error_message");
  expect(output).toMatchObject({ content: { code: "user_auth_error" } });
  expect(await silent.closed).toBe(4401);
  expect(client.ws.readyState).toBe(client.ws.OPEN);
});

test("the sockets of anonymous clients from one address are limited", async () => {
  const { tryConnect, connect } = await nemoFixture({}, remote);
  const first = await connect();
  for (let more = 1; more < 16; more += 1) await connect();
  expect((await tryConnect()).status).toBe(429);
  first.ws.close();
  await first.closed;
  await expect.poll(async () => (await tryConnect()).status).toBe(101);
});

test("the sockets of one person are limited, with every kind of credential", async () => {
  const { credentials, token } = await keyOf([ann]);
  const streams = { limits: { streamsPerSpeakerMax: 2 } };
  const { tryConnect, connect } = await nemoFixture({}, { ...remote, streams }, { credentials });
  const headers = { authorization: `Bearer ${token}` };
  const first = await connect("", headers);
  await connect("", headers);
  expect((await tryConnect("", headers)).status).toBe(429);
  const late = await connect();
  const prove = () => late.send({ type: "auth_message", payload: { method: "api_key", token } });
  prove();
  const [refused] = await late.until(({ type }) => type === "auth_response_message");
  expect(refused).toMatchObject({ status: "error" });
  first.ws.close();
  await first.closed;
  await expect
    .poll(async () => {
      prove();
      return (await late.until(({ type }) => type === "auth_response_message")).at(-1)?.status;
    })
    .toBe("success");
  expect((await tryConnect("", headers)).status).toBe(429);
});

test("a ticket opens one socket", async () => {
  const { credentials, token } = await keyOf([ann]);
  const { url, tryConnect } = await nemoFixture({}, remote, { credentials });
  const made = await fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { ticket } = (await made.json()) as { ticket: string };
  expect((await tryConnect(`?ticket=${ticket}`)).status).toBe(101);
  expect((await tryConnect(`?ticket=${ticket}`)).status).toBe(401);
});

test("the operator is one person, or one for each session", async () => {
  const { connect, log } = await nemoFixture();
  const headers = { authorization: `Bearer ${operatorToken}` };
  const ownerIn = async (id: string) => {
    const [opened = {}] = await log(id);
    return (opened.owner as { identification: { speakerUri: string } }).identification.speakerUri;
  };
  for (const [id, query] of [
    ["a", ""],
    ["b", "?session=x"],
    ["c", "?session=x"],
  ] as const) {
    const client = await connect(query, headers);
    await client.ask("hello", { conversation_id: id });
  }
  expect(await ownerIn("a")).not.toBe(await ownerIn("b"));
  expect(await ownerIn("b")).toBe(await ownerIn("c"));
});

test("`security` of the first message identifies a local client, and an unknown one is ignored", async () => {
  const { credentials, token } = await keyOf([ann]);
  const { connect, log } = await nemoFixture({}, {}, { credentials });
  for (const [conversation_id, api_key] of Object.entries({ known: token, unknown: "sk-of-somebody-else" })) {
    const client = await connect("?session=s");
    const frames = await client.ask("hello", { conversation_id, security: { api_key } });
    expect(frames.filter(({ type }) => type === "error_message")).toEqual([]);
  }
  const owns = async (id: string) => (await log(id))[0] as { owner: { identification: { speakerUri: string } } };
  expect((await owns("known")).owner.identification.speakerUri).toBe(ann);
  expect((await owns("unknown")).owner.identification.speakerUri).toContain("/nemo/");
});

test("a guest of an invite link is in that conversation only, with any id of its client", async () => {
  const { url, connect, log } = await nemoFixture({ echo }, remote);
  const call = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as Record<string, string>;
  };
  await call("/api/v1/conversations", { id: "c", owner: { identification: { speakerUri: ann } } });
  const { link = "" } = await call("/api/v1/conversations/c/links", {});
  const { token } = await call("/api/v1/guests", { invite: link.split("invite=")[1], name: "Ben" });
  const client = await connect("", { authorization: `Bearer ${token}` });
  const inside = await client.ask("hello", { conversation_id: "c" });
  expect(inside.filter(({ type }) => type === "error_message")).toEqual([]);
  const other = await client.ask("once more", { conversation_id: "d" });
  expect(other.at(-1)).toMatchObject({ status: "complete", conversation_id: "d" });
  expect(other.filter(({ type }) => type === "error_message")).toEqual([]);
  expect(JSON.stringify(await log("c", ann))).toContain("once more");
});

test("credentials and sessions do not reach agents, output, errors or the store", async () => {
  const canary = "canary-7f3a9";
  const folder = await mkdtemp(join(tmpdir(), "nemo-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "floor.sqlite");
  const received: string[] = [];
  const listener: AgentHandler = ({ events }) => {
    received.push(JSON.stringify(events));
    return [];
  };
  const fixture = await startNemoFixture({ listener }, {}, { store: createSqliteStore(file) });
  const client = await fixture.connect(fixture.withAgents(`session=${canary}`));
  const security = { api_key: canary, token: canary };
  await client.ask("hello", { conversation_id: "c", security });
  client.send({ type: "auth_message", payload: { method: "api_key", token: canary } });
  client.send({ type: "auth_message", payload: { method: canary, token: canary } });
  client.send(`{"security":"${canary}"`);
  client.answer("x", { conversation_id: "c", security });
  client.send(client.message("last", { conversation_id: "c", security: canary }));
  const output = [...(await client.ask("done", { conversation_id: "c" })), ...client.frames];
  expect(JSON.stringify(output)).not.toContain(canary);
  expect(received.join("")).toContain("hello");
  expect(received.join("")).not.toContain(canary);
  await fixture.close();
  expect(fixture.errors.map(String).join("")).not.toContain(canary);
  const files = await readdir(folder);
  expect(files).toContain("floor.sqlite");
  for (const name of files) expect((await readFile(join(folder, name))).includes(canary)).toBe(false);
});

test("closing the floor closes sockets with 1012", async () => {
  const fixture = await startNemoFixture();
  const client = await fixture.connect("?session=s");
  await client.ask("hello", { conversation_id: "c" });
  const closing = fixture.server.close();
  expect(await client.closed).toBe(1012);
  await closing;
});
