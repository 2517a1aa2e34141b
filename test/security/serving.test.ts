// How many requests are served at once: for one address, and in total. Requests over the limit get 503.
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { type ConversationLog, createMemoryStore, type FloorServerOptions } from "@plenary/server";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Json } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";

const ann = "tag:ann.example,2026:1";
const authorization = `Bearer ${token}`;
const sockets: Socket[] = [];
let floor: TestFloor;
let url: string;
let healthUrl: string | undefined;
/** Requests for the list of conversations wait here until they are released. */
let isHeld = false;
const waiting: (() => void)[] = [];

async function start(options: FloorServerOptions = {}): Promise<void> {
  const store = createMemoryStore();
  const list: ConversationLog["list"] = async (query) => {
    if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
    return store.log.list(query);
  };
  const dialler = { dial: () => Promise.reject(new Error("no agent is dialled")) };
  floor = await startTestFloor({
    retries: "default",
    store: { ...store, log: { ...store.log, list } },
    dialler,
    ...options,
  });
  ({ url, healthUrl } = floor);
  const owner = { identification: { speakerUri: ann } };
  expect((await ask("/api/v1/conversations", { body: { id: "c", owner } })).status).toBe(201);
}

afterEach(async () => {
  letGo();
  for (const socket of sockets.splice(0)) socket.destroy();
  await floor.close();
  expect(floor.errors).toEqual([]);
});

function letGo(): void {
  isHeld = false;
  for (const resolve of waiting.splice(0)) resolve();
}

type Asked = { body?: Json; headers?: Record<string, string> };

/** Uses a connection of its own, so that no client waits for the connection of another one. */
function ask(
  path: string,
  { body, headers = {} }: Asked = {},
): Promise<{ status: number; retryAfter: string; text: string }> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const given = { authorization, "content-type": "application/json", ...headers };
    const sent = httpRequest(`${url}${path}`, { method, headers: given, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      const { statusCode: status = 0, headers: said } = response;
      response.on("end", () => resolve({ status, retryAfter: said["retry-after"] ?? "", text }));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const list = "/api/v1/conversations";

/** This many requests that are being served until they are released. */
async function keepBusy(count: number, headers: Record<string, string> = {}) {
  isHeld = true;
  const before = waiting.length;
  const answers = Array.from({ length: count }, () => ask(list, { headers }));
  await expect.poll(() => waiting.length, { timeout: 60_000 }).toBe(before + count);
  return () => Promise.all(answers);
}

test("a request over the limit gets 503 with Retry-After, a health check does not, and the limit ends again", async () => {
  await start({ requestLimits: { servedMax: 4, servedPerAddressMax: 4 } });
  const answers = await keepBusy(4);
  const refused = await Promise.all([ask(list), ask("/openfloor", { body: {} }), ask("/agents/nobody"), ask("/")]);
  for (const { status, retryAfter, text } of refused) {
    expect(status).toBe(503);
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(text)).toMatchObject({ type: "urn:plenary:problem:overloaded", fix: expect.any(String) });
  }
  for (const path of ["/livez", "/readyz", "/health"]) expect([path, (await ask(path)).status]).toEqual([path, 200]);
  letGo();
  expect((await answers()).map(({ status }) => status)).toEqual(Array(4).fill(200));
  expect((await ask(list)).status).toBe(200);
});

test("the health port answers health checks and nothing else, for any Host, until the floor closes", async () => {
  await start({ healthPort: 0 });
  const at = async (path: string) => {
    const response = await fetch(`${healthUrl}${path}`, { headers: { connection: "close" } });
    return [response.status, await response.text()];
  };
  expect(healthUrl).not.toBe(url);
  expect(await at("/livez")).toEqual([200, "ok"]);
  expect(await at("/readyz")).toEqual([200, "ok"]);
  for (const path of ["/", "/version", list, "/openfloor"]) expect((await at(path))[0]).toBe(404);
  await floor.close();
  await expect(at("/livez")).rejects.toThrow("fetch failed");
});

test("one address cannot use all places, and all addresses together cannot exceed the total", async () => {
  await start({ proxies: 1, requestLimits: { servedMax: 5, servedPerAddressMax: 3 } });
  const from = (address: string) => ({ "x-forwarded-for": address });
  const first = await keepBusy(3, from("192.0.2.1"));
  expect((await ask(list, { headers: from("192.0.2.1") })).text).toContain("of this address");
  const second = await keepBusy(2, from("192.0.2.2"));
  expect((await ask("/version", { headers: from("192.0.2.3") })).status).toBe(503);
  letGo();
  expect([...(await first()), ...(await second())].map(({ status }) => status)).toEqual(Array(5).fill(200));
});

test("a waiting request is served if a place becomes free soon", async () => {
  await start({ requestLimits: { servedMax: 1, servedPerAddressMax: 1 } });
  const answers = await keepBusy(1);
  const late = ask("/version");
  letGo();
  await answers();
  expect((await late).status).toBe(200);
});

test("open streams, requests that wait for answers and slow uploads do not use a place", async () => {
  await start({ requestLimits: { servedMax: 2, servedPerAddressMax: 2 } });
  const speaker = encodeURIComponent(ann);
  for (let turn = 0; turn < 3; turn += 1) {
    const socket = new WebSocket(`${url.replace("http", "ws")}/openfloor/ws?speaker=${speaker}`, {
      headers: { authorization },
    });
    await once(socket, "open");
    const stream = await open(`GET /openfloor/events?speaker=${speaker} HTTP/1.1\r\n`);
    expect(await stream).toContain("200");
    // The rest of this body never arrives.
    await open("POST /openfloor HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n", "{");
  }
  expect((await ask("/version")).status).toBe(200);
  // An agent that never answers joins and is spoken to; three people wait for its answer.
  const bot = "tag:bot.example,2026:1";
  await ask(`${list}/c/seat`, { body: { identification: { speakerUri: bot }, kind: "agent" } });
  const answers = [1, 2, 3].map((n) =>
    open(
      `POST /openfloor HTTP/1.1\r\nPrefer: wait=100\r\nContent-Type: application/json\r\nContent-Length: ${said(n).length}\r\n`,
      said(n),
    ),
  );
  await expect.poll(async () => (await ask(`${list}/c/log?limit=1000`)).text, { timeout: 60_000 }).toContain("said-3");
  expect((await ask("/version")).status).toBe(200);
  expect(answers).toHaveLength(3);
});

const said = (n: number) =>
  JSON.stringify({
    openFloor: {
      schema: { version: "1.1.0" },
      conversation: { id: "c" },
      sender: { speakerUri: ann },
      events: [
        {
          eventType: "utterance",
          parameters: {
            dialogEvent: {
              id: `said-${n}`,
              speakerUri: ann,
              span: { startTime: "2026-01-01T00:00:00Z" },
              features: { text: { mimeType: "text/plain", tokens: [{ value: "hello" }] } },
            },
          },
        },
      ],
    },
  });

/** Sends this and keeps the connection open; a request without a body resolves with the beginning of its answer. */
async function open(head: string, body = ""): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  sockets.push(socket);
  await once(socket, "connect");
  socket.write(`${head}Host: localhost\r\nAuthorization: ${authorization}\r\n\r\n${body}`);
  if (body !== "") return "";
  const [chunk] = await once(socket, "data");
  return String(chunk);
}
