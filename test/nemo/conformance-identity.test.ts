// N16, N18: the person behind a client, its proof, and that no client can act as another one.
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteCredentials, createSqliteStore } from "@plenary/server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { addKey, token } from "../support/start-test-floor.ts";
import { createIssuer } from "./credentials.ts";
import type { Json } from "./frame-checks.ts";
import { type NemoFloor, startNemoFloor } from "./nemo-floor.ts";
import { asking, chosenBy } from "./questions.ts";
import { createScriptedAgents } from "./scripted-agents.ts";
import { interactionMessage } from "./stock-client.ts";
import { refusalOf } from "./stock-connection.ts";

const ann = "tag:people.example,2026:ann";
const joe = "tag:people.example,2026:joe";
const agents = createScriptedAgents();
const issuer = createIssuer();
const printed: string[] = [];
let folder: string;
let floor: NemoFloor;
/** A public floor. */
let open: NemoFloor;
let key: string;
let closeCredentials: () => Promise<void>;

beforeAll(async () => {
  for (const way of ["log", "warn", "error"] as const) {
    vi.spyOn(console, way).mockImplementation((...words) => void printed.push(words.join(" ")));
  }
  vi.spyOn(process.stderr, "write").mockImplementation((words) => printed.push(String(words)) > 0);
  folder = mkdtempSync(join(tmpdir(), "plenary-nemo-"));
  const storeOf = (name: string) => createSqliteStore(join(folder, name));
  const credentials = await createSqliteCredentials(join(folder, "floor.db"));
  closeCredentials = async () => credentials.close();
  key = await addKey(credentials, ann);
  const proofs = { credentials, tokens: issuer.tokens };
  floor = await startNemoFloor({ allowOrigins: ["http://ui.example"], store: storeOf("floor.db"), ...proofs });
  open = await startNemoFloor({ allowRemote: true, store: storeOf("open.db"), ...proofs, host: "0.0.0.0" });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await floor.close();
  await open.close();
  await closeCredentials();
  await agents.close();
  rmSync(folder, { recursive: true, force: true });
  expect([...floor.errors, ...open.errors]).toEqual([]);
});

const echo = (name: string) => agents.start(name, (cue) => cue.say(`you said ${cue.text}`));

/** A custom client without a session. */
const stranger = async (at = floor, more: Json = {}) => {
  const alice = await echo("Alice");
  return { alice, client: await at.visit({ agents: [alice], kind: "plain", session: "", ...more }) };
};

const ways: [method: string, payload: () => Json, speaker: string | undefined][] = [
  ["api_key, a key of the floor", () => ({ method: "api_key", token: key }), ann],
  ["api_key, the operator's token", () => ({ method: "api_key", token }), undefined],
  ["jwt", () => ({ method: "jwt", token: issuer.tokenOf(joe) }), joe],
  ["basic", () => ({ method: "basic", username: "ann", password: key }), ann],
];

test.concurrent.each(ways)("N16 a client authenticates by auth_message with %s", async (_method, payload, speaker) => {
  const { alice, client } = await stranger();
  client.put({ type: "auth_message", payload: payload() });
  await client.until(() => client.shown.authAnswers.length === 1, "the answer to auth_message");
  expect(client.shown.authAnswers).toMatchObject([{ status: "success", user_id: expect.any(String), payload: null }]);
  expect((await client.ask("hi")).text).toContain("you said hi");
  if (speaker !== undefined) expect(alice.cues.items).toMatchObject([{ from: speaker }]);
  expect(client.faults).toEqual([]);
});

const wrongWays: [method: string, payload: () => Json][] = [
  ["api_key", () => ({ method: "api_key", token: `${key.slice(0, -4)}aaaa` })],
  ["jwt", () => ({ method: "jwt", token: "not.a.token" })],
  ["basic", () => ({ method: "basic", username: "ann", password: "wrong" })],
];

test.concurrent.each(wrongWays)(
  "N16 a wrong %s is answered by user_auth_error, and a correct one after it is accepted",
  async (_method, payload) => {
    const { alice, client } = await stranger();
    client.put({ type: "auth_message", payload: payload() });
    await client.until(() => client.shown.authAnswers.length === 1, "the answer to auth_message");
    const refused = { status: "error", user_id: null, payload: { code: "user_auth_error" } };
    expect(client.shown.authAnswers).toMatchObject([refused]);
    client.put({ type: "auth_message", payload: { method: "api_key", token: key } });
    await client.until(() => client.shown.authAnswers.length === 2, "the second answer");
    expect((await client.ask("hi")).text).toContain("you said hi");
    expect(alice.cues.items).toMatchObject([{ from: ann }]);
    expect(client.faults).toEqual([]);
  },
);

test.concurrent("a bearer token of the request authenticates the client", async () => {
  const { alice, client } = await stranger(floor, { headers: { authorization: `Bearer ${key}` } });
  await client.ask("hi");
  expect(alice.cues.items).toMatchObject([{ from: ann }]);
  expect(client.faults).toEqual([]);
});

test.concurrent.each(["api_key", "token"])(
  "security.%s of the first message authenticates the client, and is stored nowhere",
  async (field) => {
    const { alice, client } = await stranger(open);
    await client.ask("hi", { security: { [field]: key } });
    await client.ask("and again");
    expect(alice.cues.items).toMatchObject([{ from: ann }, { from: ann }]);
    const secret = key.slice(-30);
    const { conversation } = client;
    const formats = ["jsonl", "markdown", "mermaid", "html"];
    const exported = formats.map((format) => open.get(`/api/v1/conversations/${conversation}/export?format=${format}`));
    const places: Record<string, string> = {
      log: JSON.stringify(await open.log(conversation, ann)),
      exports: (await Promise.all(exported)).map(({ text }) => text).join("\n"),
      agents: alice.requests.join("\n"),
      frames: JSON.stringify(client.frames),
      output: printed.join("\n"),
      errors: open.errors.map(String).join("\n"),
      files: readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join("\n"),
    };
    expect(places.files).toContain("and again");
    expect(places.exports).toContain("and again");
    expect(Object.keys(places).filter((place) => places[place]?.includes(secret))).toEqual([]);
    expect(client.faults).toEqual([]);
  },
);

test.concurrent("a wrong security field gets an error, and no utterance is sent", async () => {
  const { alice, client } = await stranger(open);
  client.say("hi", { security: { api_key: "wrong" } });
  await client.until(() => client.frames.some(({ type }) => type === "error_message"), "an error");
  expect(client.frames.find(({ type }) => type === "error_message")).toMatchObject({
    content: { code: "user_auth_error" },
  });
  expect(alice.cues.items).toEqual([]);
});

test.concurrent("a session is a guest of its own, the same in every conversation, and no agent can read it", async () => {
  const alice = await echo("Alice");
  const session = `s-${randomUUID()}`;
  for (const visit of [{ session }, { session }, {}]) {
    const client = await floor.visit({ agents: [alice], ...visit });
    await client.ask("hi");
    expect(client.faults).toEqual([]);
  }
  const [first, second, third] = alice.cues.items.map(({ from }) => from);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
  expect(alice.requests.join("\n")).not.toContain(session);
});

test.concurrent("a page of another origin is refused, and a page of an allowed origin is accepted", async () => {
  const from = (origin: string) => refusalOf({ url: floor.url, headers: { origin } });
  expect(await from("https://evil.example")).toBe(403);
  expect(await from("http://ui.example")).toBeUndefined();
  expect(await refusalOf({ url: floor.url })).toBeUndefined();
});

test.concurrent("on a public floor a session is not enough", async () => {
  const alice = await echo("Alice");
  const client = await open.visit({ agents: [alice], kind: "plain" });
  client.say("hi");
  await client.until(() => client.frames.some(({ type }) => type === "error_message"), "an error");
  expect(client.frames[0]).toMatchObject({ content: { code: "user_auth_error" } });
  client.put({ type: "auth_message", payload: { method: "api_key", token } });
  await client.until(() => client.shown.authAnswers.length === 1, "the answer to auth_message");
  expect((await client.ask("hi again")).text).toContain("you said hi again");
  expect(alice.cues.items.map(({ text }) => text)).toEqual(["hi again"]);
  expect(client.faults).toEqual([]);
});

test.concurrent("N18 a client that knows only the conversation_id of another sees nothing there, and cannot speak or reply", async () => {
  const quinn = await agents.start("Quinn", asking);
  const mine = await floor.visit({ agents: [quinn] });
  mine.say("ask text");
  await mine.dialog();
  const thief = await floor.visit({ conversation: mine.conversation, agents: [quinn] });
  thief.say("let me in");
  await thief.until(() => thief.frames.some(({ type }) => type === "error_message"), "an error");
  thief.provoke(interactionMessage(mine.conversation, "Mallory"));
  await thief.until(() => thief.frames.filter(({ type }) => type === "error_message").length === 2, "another");
  await thief.cut();
  mine.reply("Ada");
  expect((await mine.done()).text).toContain("chosen: Ada");
  expect(chosenBy(quinn)).toEqual([["Ada"]]);
  expect(quinn.cues.items.map(({ text }) => text)).not.toContain("let me in");
  expect(JSON.stringify(await floor.log(mine.conversation))).not.toContain("let me in");
  expect(thief.shown.prompts).toEqual([]);
  expect(JSON.stringify(thief.frames)).not.toMatch(/What is your name|Ada|Quinn/u);
  expect([...mine.faults, ...thief.faults]).toEqual([]);
});
