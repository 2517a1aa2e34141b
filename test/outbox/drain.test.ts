import { createMemoryStore } from "@plenary/server";
import { expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { ann, said } from "../support/envelopes.ts";
import { echo, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, token } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";

/** An agent that holds its answer until it is released. */
async function startSlow() {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const agent = await startAgent(async (heard, self) => {
    if (textsIn(heard).length === 0) return silent(heard, self);
    await held;
    return echo(heard, self);
  });
  return { agent, release: () => release() };
}

async function socketTo(url: string, query: Record<string, string>) {
  const ws = new WebSocket(`${url.replace("http", "ws")}/openfloor/ws?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const frames: Record<string, unknown>[] = [];
  ws.on("message", (data) => frames.push(JSON.parse(String(data))));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.once("close", (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise((resolve) => ws.once("open", resolve));
  return { ws, frames, closed };
}

test("a floor that closes finishes open requests, refuses new ones, and says where to resume", async () => {
  const floor = await startTestFloor({ drainMs: 10_000 });
  const { agent, release } = await startSlow();
  await floor.invite("c", agent);
  const viewer = await socketTo(floor.url, { speaker: ann, conversation: "c" });
  const stranger = await socketTo(floor.url, { speaker: "tag:bot.example,2026:b", as: "agent" });
  const asked = floor.say("c", "hello", { wait: 20 });
  await vi.waitFor(() => expect(agent.heard.some((heard) => textsIn(heard).includes("hello"))).toBe(true), patience);

  const closing = floor.server.close();
  const ready = await floor.call("GET", "/readyz");
  expect(ready.status).toBe(503);
  expect((await floor.call("GET", "/livez")).status).toBe(200);
  expect((await floor.call("GET", "/version")).status).toBe(200);
  const refused = await floor.say("c", "too late", { wait: 0 });
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect((await floor.call("GET", "/api/v1/conversations")).status).toBe(503);
  viewer.ws.send(
    JSON.stringify({
      openFloor: { schema: { version: "1.1.0" }, conversation: { id: "c" }, sender: { speakerUri: ann }, events: [] },
      id: "mine-1",
    }),
  );
  await vi.waitFor(() => expect(viewer.frames.some(({ nack }) => nack === "mine-1")).toBe(true), patience);
  const { problem } = viewer.frames.find(({ nack }) => nack === "mine-1") as { problem: Record<string, unknown> };
  expect(problem).toMatchObject({ status: 503, type: "urn:plenary:problem:unavailable" });
  expect(problem.retryAfter).toBeGreaterThanOrEqual(1);

  release();
  expect(said(await asked)).toEqual([[agent.speakerUri, "echo hello"]]);
  const { code, reason } = await viewer.closed;
  const last = Math.max(...viewer.frames.map(({ seq }) => Number(seq ?? 0)));
  expect(code).toBe(1012);
  expect(reason).toContain(`seq ${last}`);
  expect((await stranger.closed).code).toBe(1012);
  await closing;
  expect((await floor.store.outbox.pending()).deliveries).toEqual([]);
});

test("an event stream gets an end event with its cursor when the floor closes", async () => {
  const floor = await startTestFloor();
  await floor.say("c", "hello");
  const query = new URLSearchParams({ speaker: ann, conversation: "c" });
  const response = await fetch(`${floor.url}/openfloor/events?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("hello")) text += decoder.decode((await reader?.read())?.value, { stream: true });
  await floor.close();
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    text += decoder.decode(next.value, { stream: true });
  }
  const [, seq] = /id: (\d+)\n(?![\s\S]*\nid: )/u.exec(text) ?? [];
  expect(text.trimEnd().split("\n\n").at(-1)).toMatch(/^event: end\ndata: /u);
  expect(text).toContain(`resume from seq ${seq}`);
});

test("a delivery that outlasts the shutdown deadline is aborted, and sent again after the next start", async () => {
  const store = createMemoryStore();
  const first = await startTestFloor({ store, drainMs: 50 });
  const { agent, release } = await startSlow();
  await first.invite("c", agent);
  const asked = first.say("c", "hello", { wait: 20 });
  await vi.waitFor(() => expect(agent.heard.some((heard) => textsIn(heard).includes("hello"))).toBe(true), patience);
  await first.server.close();
  // Its envelope was accepted, and the response says so.
  expect((await asked).status).toBe(200);
  release();
  const second = await startTestFloor({ store });
  await second.until("c", (entries) => JSON.stringify(entries).includes("echo hello"));
  const delivered = agent.heard.filter((heard) => textsIn(heard).includes("hello"));
  expect(new Set(delivered.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  await second.close();
});
