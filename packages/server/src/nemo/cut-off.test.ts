import { once } from "node:events";
import { connect as connectRaw } from "node:net";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { createMemoryCredentials } from "../auth/memory-credentials.ts";
import { newCredentialToken } from "../ports/credentials.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { type Mind, nemoFixture, operatorToken, saying, textIn, uriOf } from "../testing/nemo-fixture.ts";

const echo: Mind = ({ texts }) => texts.map((text) => saying(uriOf("echo"), `echo ${text}`));
const elsewhere = { publicUrl: "https://floor.example" };

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Answers an invite when it is let to. */
function slowToCome() {
  const [come, asked] = [gate(), gate()];
  const slow: Mind = async ({ events, texts }) => {
    if (events.some(({ eventType }) => eventType === "invite")) {
      asked.open();
      await come.opened;
    }
    return texts.map((text) => saying(uriOf("slow"), `heard ${text}`));
  };
  return { slow, come: come.open, isAsked: asked.opened };
}

type State = { id: string; isClosed: boolean };

async function conversationsAt(url: string): Promise<State[]> {
  const response = await fetch(`${url}/api/v1/conversations`, {
    headers: { authorization: `Bearer ${operatorToken}` },
  });
  return ((await response.json()) as { conversations: State[] }).conversations;
}

const chat = (text: string) => JSON.stringify({ messages: [{ role: "user", content: text }] });
const json = { "content-type": "application/json" };

test("requests that are refused for their headers keep nobody from being answered", async () => {
  const { url, withAgents } = await nemoFixture({ echo });
  const { hostname, port } = new URL(url);
  const raw = connectRaw(Number(port), hostname);
  const lines = ["POST /chat HTTP/1.1", "Host: localhost", `Conversation-Id: ${"c".repeat(300)}`];
  const head = [...lines, "Content-Type: application/json", `Content-Length: ${chat("hi").length}`].join("\r\n");
  raw.write(`${head}\r\n\r\n${chat("hi")}`.repeat(256));
  raw.end();
  let answers = "";
  for await (const bytes of raw) answers += String(bytes);
  expect(answers.match(/HTTP\/1\.1 422 /gu)).toHaveLength(256);
  const taken = await fetch(`${url}/chat${withAgents()}`, { method: "POST", headers: json, body: chat("hi") });
  expect(taken.status).toBe(200);
});

test.each(["/chat", "/chat/stream"])(
  "%s: whoever hangs up before anybody came leaves no conversation behind",
  async (path) => {
    const { slow, come, isAsked } = slowToCome();
    const { url, withAgents } = await nemoFixture({ slow });
    const hangUp = new AbortController();
    const asked = fetch(`${url}${path}${withAgents()}`, {
      method: "POST",
      headers: json,
      body: chat("hi"),
      signal: hangUp.signal,
    });
    await isAsked;
    hangUp.abort();
    await expect(asked).rejects.toThrow();
    come();
    await expect.poll(async () => (await conversationsAt(url)).map(({ isClosed }) => isClosed)).toEqual([true]);
  },
);

test("upgrades that are none keep no stranger waiting", async () => {
  const { url, knock } = await nemoFixture({}, elsewhere);
  const { hostname, port } = new URL(url);
  for (let times = 0; times < 17; times += 1) {
    const raw = connectRaw(Number(port), hostname);
    raw.write(`GET /websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    raw.resume();
    await once(raw, "close");
  }
  await expect.poll(async () => (await knock()).status).toBe(101);
});

test("what a client said before it was cut off is said", async () => {
  const { connect, withAgents, log } = await nemoFixture({ echo });
  const client = await connect(withAgents("session=s"));
  client.send(client.message("my last words", { conversation_id: "c" }));
  client.ws.terminate();
  await expect.poll(async () => JSON.stringify((await log("c")) ?? [])).toContain("my last words");
  const again = await connect(withAgents("session=s&conversation_id=c"));
  expect(textIn(await again.untilOver())).toContain("echo my last words");
});

test("what was told on a line that was dead is told once more to whoever comes back, and nothing else is", async () => {
  const { connect, withAgents, log } = await nemoFixture({ echo });
  const client = await connect(withAgents("session=s"));
  await client.ask("one", { conversation_id: "c" });
  client.send(client.message("two", { conversation_id: "c" }));
  client.ws.pause();
  await expect.poll(async () => JSON.stringify(await log("c"))).toContain("echo two");
  const again = await connect("?session=s&conversation_id=c");
  const text = textIn(await again.untilOver());
  expect(text).toContain("echo two");
  expect(text).not.toContain("echo one");
  again.ws.close();
  await again.closed;
  const third = await connect("?session=s&conversation_id=c");
  const last = textIn(await third.ask("three", { conversation_id: "c" }));
  expect(last).toContain("echo three");
  expect(last).not.toContain("echo two");
});

test("what waited on a socket that is gone takes nothing from the one that came after it", async () => {
  const { slow, come, isAsked } = slowToCome();
  const { connect, withAgents } = await nemoFixture({ slow });
  const first = await connect(withAgents("session=s"));
  first.send(first.message("one", { conversation_id: "c" }));
  first.send(first.message("two", { conversation_id: "c" }));
  await isAsked;
  first.ws.terminate();
  const second = await connect(withAgents("session=s&conversation_id=c"));
  // Its place is taken once it is answered.
  second.send({ type: "no such thing", conversation_id: "c" });
  await second.until(({ type }) => type === "error_message");
  come();
  const frames = await second.until(({ content }) => String(content?.text ?? "").includes("heard two"));
  expect(textIn(frames)).toContain("heard two");
  await second.untilOver();
});

test("a credential that was proved on a socket that is gone is looked after no more", async () => {
  const credentials = createMemoryCredentials();
  const { token, ...made } = newCredentialToken("key");
  const createdAt = new Date().toISOString();
  const speakers = ["tag:people.example,2026:ann"];
  await credentials.add({ ...made, kind: "key", speakers, scopes: ["host"], isPerson: true, createdAt });
  const [finding, found] = [gate(), gate()];
  let finds = 0;
  const slowly = {
    ...credentials,
    async find(id: string) {
      finds += 1;
      finding.open();
      await found.opened;
      return credentials.find(id);
    },
  };
  const clock = createFakeClock(Date.now());
  const { socketUrl } = await nemoFixture({}, elsewhere, { credentials: slowly, clock });
  const ws = new WebSocket(socketUrl);
  await once(ws, "open");
  ws.send(JSON.stringify({ type: "auth_message", payload: { method: "api_key", token } }));
  await finding.opened;
  ws.close();
  await once(ws, "close");
  found.open();
  await clock.advance(0);
  const before = finds;
  await clock.advance(120_000);
  expect(finds).toBe(before);
});
