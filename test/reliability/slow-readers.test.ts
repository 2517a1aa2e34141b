import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { envelopeOf, utterance } from "../support/envelopes.ts";
import { isNightly, report } from "../support/nightly.ts";
import { createProcesses, type FloorProcess, type Processes } from "../support/start-plenary-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { missedBy, readLog } from "./log-checks.ts";
import { quantile, rssBytesOf } from "./measurements.ts";
import { closeConnections, post } from "./raw-http.ts";
import { followBySocket } from "./reconnecting-viewers.ts";
import { authorization, createGate } from "./senders.ts";

const paused = 1_000;
const trickling = 2_000;
const perSpeaker = 50;
/** Memory and latency are asserted in nightly runs only: on a busy machine they depend on other programs. */
const rssRiseMax = 64 * 1_048_576;
const samples = isNightly ? 1_000 : 50;
/** A smaller difference depends more on the machine than on the floor. */
const noiseMs = 50;
const owner = "tag:people.example,2026:owner";

let processes: Processes;
let floor: FloorProcess;

beforeEach(async () => {
  processes = createProcesses();
  floor = await processes.startFloor(join(processes.folder, "floor.db"));
  const opening = JSON.stringify({ id: "c1", owner: { identification: { speakerUri: owner } } });
  expect((await post(`${floor.url}/api/v1/conversations`, opening, authorization)).status).toBe(201);
});

afterEach(() => processes.close());

async function say(text: string): Promise<number> {
  const body = JSON.stringify(envelopeOf("c1", owner, [utterance(owner, text)]));
  const at = performance.now();
  const { status } = await post(`${floor.url}/openfloor`, body, authorization);
  expect(status).toBe(200);
  return performance.now() - at;
}

/** How long healthy callers wait, one after the other. */
async function p99(): Promise<number> {
  const latencies: number[] = [];
  for (let count = 0; count < samples; count += 1) latencies.push(await say(`word ${count}`));
  return quantile(latencies, 0.99);
}

/** The best of some rounds: a slow floor slows all of them down, a busy machine only some. */
async function bestP99(): Promise<number> {
  const rounds: number[] = [];
  for (let count = 0; count < (isNightly ? 3 : 1); count += 1) rounds.push(await p99());
  return Math.min(...rounds);
}

/** Sockets of people in the conversation that stop reading once they are open. */
async function openPaused(): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  while (sockets.length < paused) {
    const speaker = `tag:people.example,2026:slow-${Math.floor(sockets.length / perSpeaker)}`;
    if (sockets.length % perSpeaker === 0) {
      const seat = JSON.stringify({ identification: { speakerUri: speaker }, kind: "person" });
      expect((await post(`${floor.url}/api/v1/conversations/c1/seat`, seat, authorization)).status).toBe(200);
    }
    const query = new URLSearchParams({ speaker, conversation: "c1" });
    const ws = new WebSocket(`${floor.url.replace("http", "ws")}/openfloor/ws?${query}`, { headers: authorization });
    ws.on("error", () => {});
    await once(ws, "open");
    ws.pause();
    sockets.push(ws);
  }
  return sockets;
}

test(`${paused} readers that read nothing do not delay others`, async () => {
  const gate = createGate();
  gate.let(floor.url);
  const quick = followBySocket("c1", owner, gate);
  const baseline = await bestP99();
  const rssBefore = rssBytesOf(floor.pid);
  const slow = await openPaused();
  closeConnections();
  let rssPeak = 0;
  const page = "x".repeat(100_000);
  for (let count = 0; count < 120; count += 1) {
    await say(`${count} ${page}`);
    rssPeak = Math.max(rssPeak, rssBytesOf(floor.pid));
  }
  const beside = await bestP99();
  rssPeak = Math.max(rssPeak, rssBytesOf(floor.pid));
  const log = await readLog(floor.url, "c1", owner);
  const effects = log.filter(({ kind }) => kind === "event").length;
  await waitFor(async () => quick.heard.length >= effects || undefined, "the quick reader to have it all", 20_000);
  const problems = missedBy(log, quick.heard);
  for (const ws of slow) ws.terminate();
  quick.stop();
  await quick.ended;
  const rise = rssPeak - rssBefore;
  report(
    `slow-readers: ${paused} paused sockets, 12 MB for each, RSS rise ${(rise / 1_048_576).toFixed(1)} MiB, ` +
      `p99 ${baseline.toFixed(1)} ms without and ${beside.toFixed(1)} ms with them`,
  );
  expect(problems).toEqual([]);
  if (isNightly) expect(rise).toBeLessThanOrEqual(rssRiseMax);
  if (isNightly) expect(beside).toBeLessThan(Math.max(2 * baseline, noiseMs));
});

test(`${trickling} senders that never finish a request do not block others`, async () => {
  const baseline = await bestP99();
  const sockets: Socket[] = [];
  for (let count = 0; count < trickling; count += 1) {
    const socket = connect(floor.port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(`POST /openfloor HTTP/1.1\r\nhost: 127.0.0.1:${floor.port}\r\nx-slow: `);
    sockets.push(socket);
  }
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write("x");
  }, 250);
  closeConnections();
  const beside = await bestP99();
  clearInterval(timer);
  for (const socket of sockets) socket.destroy();
  report(
    `slow-readers: ${trickling} trickling requests, p99 ${baseline.toFixed(1)} ms without and ${beside.toFixed(1)} ms with them`,
  );
  if (isNightly) expect(beside).toBeLessThan(Math.max(2 * baseline, noiseMs));
});
