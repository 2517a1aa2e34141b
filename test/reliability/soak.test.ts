import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { envelopeOf, utterance } from "../support/envelopes.ts";
import { isNightly, report } from "../support/nightly.ts";
import { createProcesses, type Processes } from "../support/start-plenary-process.ts";
import { token } from "../support/start-test-floor.ts";
import { waitFor } from "../support/wait-for.ts";
import { slopeOf } from "./linear-fit.ts";
import { post } from "./raw-http.ts";
import { followByEvents, followBySocket } from "./reconnecting-viewers.ts";
import { authorization, createGate } from "./senders.ts";

/** A nightly run ends by elapsed time, a normal run after some samples of the heap. */
const minutes = Number(process.env.PLENARY_SOAK_MINUTES ?? 20);
const nightlySampleMs = 15_000;
const samplesByDay = 9;
const spokenPerSample = 80;
const slopeMax = 1_048_576;
const rounds = 4;

let processes: Processes;

beforeAll(() => {
  processes = createProcesses();
});

afterAll(() => processes.close());

test("a floor that runs for long, while people and conversations come and go, does not grow", async () => {
  const file = join(processes.folder, "floor.db");
  const floor = await processes.startScript(
    join(import.meta.dirname, "soak-floor.mjs"),
    [file, token],
    ["--expose-gc"],
  );
  const { url } = floor.said as { url: string };
  const gate = createGate();
  gate.let(url);
  const points: { x: number; y: number }[] = [];
  const endAt = performance.now() + minutes * 60_000;
  const isOver = () => (isNightly ? performance.now() >= endAt : points.length >= samplesByDay);
  let spoken = 0;
  const untilNextSample = async () => {
    if (isNightly) await new Promise((resolve) => setTimeout(resolve, nightlySampleMs));
    else await waitFor(() => spoken >= (points.length + 1) * spokenPerSample, "more envelopes");
  };
  /** Opens a conversation with two viewers and some utterances, and closes all of them. */
  const churn = async (worker: number) => {
    for (let count = 0; !isOver(); count += 1) {
      const id = `soak-${worker}-${count}`;
      const speaker = `tag:people.example,2026:${worker}-${count % 100}`;
      const followers = [followBySocket, followByEvents].map((follow) => follow(id, speaker, gate));
      for (let word = 0; word < 20; word += 1) {
        const body = JSON.stringify(envelopeOf(id, speaker, [utterance(speaker, `word ${word}`)]));
        expect((await post(`${url}/openfloor`, body, authorization)).status).toBe(200);
        spoken += 1;
      }
      for (const follower of followers) follower.stop();
      await Promise.all(followers.map(({ ended }) => ended));
    }
  };
  const churning = Promise.all(Array.from({ length: rounds }, (_, worker) => churn(worker)));
  const descriptors: number[] = [];
  while (!isOver()) {
    await untilNextSample();
    const sample = await floor.ask<{ heapBytes: number; descriptors: number }>({});
    points.push({ x: performance.now() / 3_600_000, y: sample.heapBytes });
    descriptors.push(sample.descriptors);
  }
  await churning;
  // In the first third the floor warms up: code is compiled, caches fill.
  const { slope, margin } = slopeOf(points.slice(Math.floor(points.length / 3)));
  const mib = (bytes: number) => (bytes / 1_048_576).toFixed(2);
  report(
    `soak: ${spoken} envelopes, ${points.length} samples, heap ${mib(points.at(-1)?.y ?? 0)} MiB, slope ` +
      `${mib(slope)} ± ${mib(margin)} MiB/h, descriptors ${Math.min(...descriptors)} to ${Math.max(...descriptors)}`,
  );
  expect(spoken).toBeGreaterThan(0);
  expect(Math.max(...descriptors)).toBeLessThan(100);
  // A short run proves nothing about hours: it only shows that the measurement works.
  if (isNightly) expect(slope <= slopeMax || slope - margin <= 0).toBe(true);
  else expect(Number.isFinite(slope)).toBe(true);
});
