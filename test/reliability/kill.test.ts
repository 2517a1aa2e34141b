import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { envelopeOf } from "../support/envelopes.ts";
import { isNightly, report } from "../support/nightly.ts";
import { newSeed, seeded } from "../support/random.ts";
import { createProcesses, type FloorProcess, type Processes, verify } from "../support/start-plenary-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Delivered, disordered, doubled, gaps, lost, missedBy, readLog, unanswered } from "./log-checks.ts";
import { cpuMsOf, quantile } from "./measurements.ts";
import { prefill } from "./prefill.ts";
import { get, post } from "./raw-http.ts";
import { type Follower, followByEvents, followBySocket } from "./reconnecting-viewers.ts";
import { authorization, createGate, newTalker, type Talker, talk } from "./senders.ts";
import { untilFinished } from "./sqlite-file.ts";

const kills = isNightly ? 300 : 5;
const storedEntries = isNightly ? 1_000_000 : 50_000;
const conversations = 50;
const readyMsMax = 2_000;
const viewersOfEachKind = 10;
const agentUris = ["a", "b"].map((name) => `tag:agents.example,2026:${name}`);

let processes: Processes;

beforeAll(() => {
  processes = createProcesses();
});

afterAll(() => processes.close());

/** One person and two agents in each conversation. */
async function seatEverybody(url: string, agentsUrl: string, talkers: readonly Talker[]): Promise<void> {
  const invites = ["a", "b"].map((name) => ({ eventType: "invite", to: { serviceUrl: `${agentsUrl}/${name}` } }));
  for (const { conversation, speaker } of talkers) {
    const body = JSON.stringify(envelopeOf(conversation, speaker, invites));
    expect((await post(`${url}/openfloor`, body, authorization)).status).toBe(200);
    await waitFor(async () => {
      const { text } = await get(`${url}/api/v1/conversations/${conversation}`, authorization);
      const seats = (JSON.parse(text) as { conversants: { state: string }[] }).conversants;
      return seats.length === 3 && seats.every(({ state }) => state === "joined") ? seats : undefined;
    }, `three conversants in ${conversation}`);
  }
}

function countOf(talkers: readonly Talker[]): number {
  return talkers.reduce((count, { acknowledged }) => count + acknowledged.length, 0);
}

async function acknowledgedMore(talkers: readonly Talker[], more: number): Promise<void> {
  const wanted = countOf(talkers) + more;
  await waitFor(async () => countOf(talkers) >= wanted || undefined, `${more} acknowledgements`);
}

async function heardMore(followers: readonly Follower[], more: number): Promise<void> {
  const count = () => followers.reduce((sum, { heard }) => sum + heard.length, 0);
  const wanted = count() + more;
  await waitFor(async () => count() >= wanted || undefined, `${more} frames`);
}

test(`a floor killed ${kills} times under load loses nothing it acknowledged and does nothing twice`, async () => {
  const seed = newSeed("kill");
  const random = seeded(seed);
  const file = join(processes.folder, "floor.db");
  const stored = await prefill(file, storedEntries);
  const emptyCpuMs: number[] = [];
  for (let count = 0; count < (isNightly ? 3 : 1); count += 1) {
    const empty = await processes.startFloor(join(processes.folder, `empty-${count}.db`));
    emptyCpuMs.push(cpuMsOf(empty.pid));
    await empty.stop("SIGKILL");
  }
  const agents = await processes.startScript(join(import.meta.dirname, "agents.mjs"), [String(seed)]);
  let floor: FloorProcess = await processes.startFloor(file);
  const starts = [{ readyMs: floor.readyMs, cpuMs: cpuMsOf(floor.pid) }];
  const talkers = Array.from({ length: conversations }, (_, index) => newTalker(`c${index}`));
  await seatEverybody(floor.url, agents.said.url, talkers);

  const gate = createGate();
  gate.let(floor.url);
  const followers: Follower[] = talkers.slice(0, 2 * viewersOfEachKind).map(({ conversation, speaker }, index) => {
    return (index % 2 === 0 ? followBySocket : followByEvents)(conversation, speaker, gate);
  });
  let isOver = false;
  const startedAt = performance.now();
  const untilHeard = (id: string) =>
    waitFor(() => get(`${agents.said.url}/heard/${id}`).catch(() => undefined), `both agents to get ${id}`);
  const talking = Promise.all(talkers.map((talker) => talk(talker, gate, () => isOver, untilHeard)));
  for (let count = 0; count < kills; count += 1) {
    // Kills while envelopes arrive, or while entries go out to the viewers.
    if (count % 2 === 0) await heardMore(followers, 20 + random(400));
    else await acknowledgedMore(talkers, 20 + random(200));
    gate.shut();
    await floor.stop("SIGKILL");
    floor = await processes.startFloor(file, { port: floor.port });
    starts.push({ readyMs: floor.readyMs, cpuMs: cpuMsOf(floor.pid) });
    gate.let(floor.url);
  }
  isOver = true;
  await talking;
  const seconds = (performance.now() - startedAt) / 1_000;

  const left = await untilFinished(file);
  const deliveries = new Map<string, Delivered>();
  const counted = JSON.parse((await get(agents.said.url)).text) as {
    repeated: number;
    deliveries: [string, Delivered][];
  };
  for (const [id, delivered] of counted.deliveries) deliveries.set(id, delivered);

  const problems: string[] = [];
  let entries = 0;
  for (const talker of talkers) {
    const log = await readLog(floor.url, talker.conversation, talker.speaker);
    entries += log.length;
    const found = [...gaps(log), ...lost(log, talker), ...doubled(log), ...disordered(log, talker)];
    found.push(...unanswered(log, talker, agentUris, deliveries));
    const follower = followers.find(({ conversation }) => conversation === talker.conversation);
    if (follower !== undefined) {
      const effects = log.filter(({ kind }) => kind === "event").length;
      // Frames that are still in transit arrive; lost ones do not.
      await waitFor(async () => follower.heard.length >= effects || undefined, "the last frame", 20_000).catch(
        () => {},
      );
      found.push(...missedBy(log, follower.heard));
    }
    problems.push(...found.map((problem) => `${talker.conversation}: ${problem}`));
  }
  for (const follower of followers) follower.stop();
  await Promise.all(followers.map(({ ended }) => ended));
  expect(floor.stderr()).toBe("");
  await floor.stop("SIGTERM");
  const verdict = await verify(processes, file);

  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const acknowledged = countOf(talkers);
  const readyMs = starts.map((start) => start.readyMs);
  const cpuMs = starts.map((start) => start.cpuMs);
  const ms = (values: readonly number[]) =>
    `p50 ${quantile(values, 0.5).toFixed(0)} max ${Math.max(...values).toFixed(0)}`;
  report(
    `kill: seed ${seed}, ${kills} kills, ${acknowledged} envelopes acknowledged (${(acknowledged / seconds).toFixed(0)}/s), ` +
      `${sum(talkers.map(({ repeated }) => repeated))} repeated, ${deliveries.size} deliveries of which ` +
      `${counted.repeated} came again, ${left.dead} dead letters, ${entries} entries checked, ` +
      `${problems.length} violations; ready with ${stored} entries in ms: ${ms(readyMs)}, of CPU: ${ms(cpuMs)}, ` +
      `with an empty store: ${ms(emptyCpuMs)}`,
  );
  expect(problems.slice(0, 20)).toEqual([]);
  expect(left.dead).toBe(0);
  expect(verdict).toMatchObject({ exitCode: 0 });
  // On a busy machine even CPU time grows, so it is asserted in nightly runs, relative to a start with an empty store.
  if (isNightly)
    expect(quantile(cpuMs, 0.5)).toBeLessThanOrEqual(Math.max(readyMsMax, 1.5 * quantile(emptyCpuMs, 0.5)));
});
