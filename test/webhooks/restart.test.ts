// Webhooks of a floor in its own process: kill -9, slow receivers, the rules of production.
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann } from "../support/envelopes.ts";
import { createProcesses, type FloorProcess, type Processes } from "../support/start-plenary-process.ts";
import { createFloorClient, token } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import { places, startReceiver, textsIn } from "./receiver.ts";

let processes: Processes;

beforeEach(() => {
  processes = createProcesses();
});

afterEach(() => processes.close());

const root = "/api/v1/webhooks";

async function startFloor(file = join(processes.folder, "floor.db")) {
  const running: FloorProcess = await processes.startFloor(file);
  return { ...createFloorClient(running.url, token), ...running };
}

test("after kill -9 nothing is lost: each entry arrives at least once, under one id, in order", async () => {
  const receiver = await startReceiver();
  let floor = await startFloor();
  await floor.openConversation("c", [ann]);
  const { id } = await floor.must("POST", root, { url: receiver.url });
  await floor.must("POST", root, { url: receiver.url, conversation: "c", kinds: ["titled"] });
  const begun = (await floor.log("c")).length;
  for (let round = 0; round < 3; round += 1) {
    // Entries that are durable before the kill; some are delivered, some are not.
    for (let count = 0; count < 20; count += 1) await floor.speak("c", ann, `${round} ${count}`);
    await floor.stop("SIGKILL");
    floor = await startFloor();
  }
  await floor.speak("c", ann, "the end");
  await receiver.received.until((all) => textsIn(all).includes("the end"), "the end");
  const entries = (await floor.log("c")).slice(begun);
  expect(places(receiver.all)).toEqual(entries.map(({ seq }) => `c ${seq}`));
  const ids = new Map(receiver.all.map((message) => [message.data.seq, message.id]));
  expect(receiver.all.every((message) => ids.get(message.data.seq) === message.id)).toBe(true);
  await expect.poll(() => floor.must("GET", `${root}/${id}`), patience).toMatchObject({ state: "active", pending: 0 });
});

test("entries written while the receiver was away arrive after a restart of the floor", async () => {
  const receiver = await startReceiver();
  const first = await startFloor();
  await first.openConversation("c", [ann]);
  await first.must("POST", root, { url: receiver.url, eventTypes: ["utterance"] });
  await receiver.close();
  await first.speak("c", ann, "one");
  await first.speak("c", ann, "two");
  await first.stop("SIGTERM");
  const again = await startReceiver(undefined, receiver.port);
  const second = await startFloor();
  const { webhooks } = await second.must("GET", root);
  // The wait before a retry outlives the restart; a test ends it.
  await second.must("POST", `${root}/${webhooks[0].id}/test`);
  await again.received.until((all) => textsIn(all).includes("two"), "both entries");
  expect(textsIn(again.all)).toEqual(["one", "two"]);
});

test("1,000 entries reach a slow receiver in order while the conversation goes on for another", async () => {
  const floor = await startFloor();
  const slow = await startReceiver(async () => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    return { status: 200 };
  });
  const stuck = await startReceiver(() => undefined);
  const quick = await startReceiver();
  await floor.openConversation("c", [ann]);
  const options = { eventTypes: ["utterance"], conversation: "c" };
  for (const { url } of [slow, stuck, quick]) await floor.must("POST", root, { url, ...options });
  const words = Array.from({ length: 1_000 }, (_, count) => `word ${count}`);
  for (const word of words) await floor.speak("c", ann, word);
  for (const receiver of [quick, slow]) {
    await receiver.received.until((all) => all.length >= words.length, "all entries");
    expect(textsIn(receiver.all)).toEqual(words);
  }
  expect(stuck.all.every((message) => message.id === stuck.all[0]?.id)).toBe(true);
  // The receiver has the last one before the floor has its answer.
  const readMetrics = async () => (await floor.get("/metrics")).text;
  const allCounted = /^plenary_webhook_deliveries_total\{outcome="delivered"\} 2000$/mu;
  await expect.poll(readMetrics, patience).toMatch(allCounted);
  const metrics = await readMetrics();
  expect(metrics).toMatch(/^plenary_webhook_lag_seconds [\d.]+$/mu);
  expect(metrics).toMatch(/^plenary_webhooks\{kind="active"\} \d$/mu);
});
