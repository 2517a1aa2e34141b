// A workflow that is silent for twenty minutes, in virtual time: its client, the floor, the bridge and its server are real.
import { createNemoAgent } from "@plenary/agents";
import { createDialler, listen } from "@plenary/sdk";
import { expect, onTestFinished, test } from "vitest";
import { startNemoFloor } from "./nemo-floor.ts";
import { startStockServer } from "./stock-server.ts";

/** A clock that only the test advances. */
function createTime() {
  let nowMs = Date.now();
  const bells = new Set<{ atMs: number; ring: () => void }>();
  const now = () => nowMs;
  const at = (atMs: number, ring: () => void) => {
    const bell = { atMs, ring };
    bells.add(bell);
    return () => void bells.delete(bell);
  };
  return {
    now,
    clock: { now, at },
    clientClock: { now, after: (ms: number, ring: () => void) => at(nowMs + ms, ring) },
    async advance(ms: number) {
      nowMs += ms;
      for (const bell of [...bells].filter(({ atMs }) => atMs <= nowMs)) {
        bells.delete(bell);
        bell.ring();
      }
      for (let round = 0; round < 10; round += 1) await new Promise(setImmediate);
    },
  };
}

const minuteMs = 60_000;
const floorOptions = { streams: { limits: { pingMs: 1_000 * minuteMs } } };

test("a workflow that is silent for twenty minutes is shown as working, and its answer belongs to the turn", async () => {
  const time = createTime();
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const stock = await startStockServer(async (run) => {
    await gate;
    run.say("At last.");
  });
  const floor = await startNemoFloor({ ...floorOptions, clock: time.clock });
  const dialler = createDialler({ mode: "local" });
  const bridge = createNemoAgent({ url: stock.url, name: "Flow", policy: "open", dialler, clock: time.clientClock });
  const listening = await listen(bridge, { port: 0 });
  onTestFinished(async () => {
    await floor.close();
    await listening.close();
    bridge.close();
    await dialler.close();
    await stock.close();
    expect(floor.errors).toEqual([]);
  });
  const client = await floor.visit({ agents: [listening] });
  client.say("think");
  await expect.poll(() => stock.running().length, { timeout: 60_000 }).toBe(1);
  const isAlive = ({ content }: (typeof client.frames)[number]) => JSON.stringify(content).includes("Still working");
  const signs = () => client.frames.filter(isAlive).length;
  const begunMs = time.now();
  let [seen, seenMs] = [signs(), begunMs];
  while (time.now() - begunMs < 20 * minuteMs) {
    await time.advance(5_000);
    // The bridge has sent its utterance by then, but the floor may not have it yet.
    if (time.now() - seenMs >= 40_000) await client.until(() => signs() > seen, "a sign of life");
    if (signs() > seen) [seen, seenMs] = [signs(), time.now()];
  }
  expect(client.last().status).toBe("working");
  goOn();
  await time.advance(0);
  const bubble = await passing(time, client.done());
  expect(bubble.text).toContain("At last.");
  expect(bubble.errors).toEqual([]);
  expect(client.faults).toEqual([]);
});

/** Advances the clock until the value exists: the end of a turn waits for this clock, too. */
async function passing<Value>(time: ReturnType<typeof createTime>, awaited: Promise<Value>): Promise<Value> {
  const none = Symbol("none");
  for (;;) {
    const found = await Promise.race([awaited, time.advance(50).then(() => none)]);
    if (typeof found !== "symbol") return found;
  }
}
