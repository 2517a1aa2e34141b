import { createHash } from "node:crypto";
import { defaultOptions, type FloorOptions } from "@plenary/floor";
import { jsonTextOf } from "../../conversation/decode.ts";
import { operator } from "../../ports/principal.ts";
import type { FloorStore } from "../../ports/store.ts";
import type { Chaos } from "./chaos.ts";
import { createWorld } from "./create-world.ts";
import type { Evidence, Log } from "./evidence.ts";
import { type FaultCounts, noFaults } from "./faults.ts";
import { lateDeliveries, problemsOf } from "./invariants.ts";
import { startPerson } from "./people.ts";
import { envelopeText } from "./raw-envelope.ts";
import { createRandom } from "./seeded-random.ts";
import { startViewer, type Viewer } from "./viewers.ts";
import { floorAddress, limits, type World } from "./world.ts";

export type Run = {
  seed: number;
  /** Hash of all logs and all received events: the same for the same seed. */
  hash: string;
  problems: readonly string[];
  faults: FaultCounts;
  virtualMs: number;
  entries: number;
  trace: readonly string[];
  evidence: Evidence;
};

const restMs = 20 * 60_000;

/** One in this number of runs uses a real file. */
const sqliteEvery = 20;

/** In one of this number of runs, including those with a real file, people also pause the agents and set titles. */
const commandsEvery = 5;

/** An attempt in each of three dialects, with and without the events about other conversants (D23'). */
const deadlines = {
  deliveryMs: 6 * (limits.retryMs + limits.silenceMs),
  promisedMs: limits.retryMs + limits.silenceMs + limits.laterAnswerMs,
};

/** One run: people and agents with faults, then a rest without faults, a restart, and the check of the invariants. */
export async function simulate(seed: number, { isTraced = false } = {}): Promise<Run> {
  const faults = noFaults();
  const trace: string[] = [];
  const isOnSqlite = seed % sqliteEvery === 0;
  const random = createRandom(String(seed));
  const hasCommands = seed % commandsEvery === 0;
  const { world, chaos } = createWorld({ random, faults, isOnSqlite, hasCommands, ...(isTraced && { trace }) });
  await startNodes(world, chaos);
  const viewers = await open(world);
  chaos.startFaults(viewers);
  await world.time.advance(world.random.between(25_000, 80_000));
  if (world.random.isTrue(0.5)) chaos.killAll();
  await rest(world, chaos);
  // Every delivery must end without a restart.
  const atRest = lateDeliveries(world.evidence, deadlines);
  for (const node of world.nodes) chaos.kill(node, "the last time");
  await world.time.advance(restMs);
  for (const conversationId of world.conversationIds) {
    world.evidence.logs.push(await readLog(world.store.durable(), conversationId));
  }
  await world.store.close();
  return {
    seed,
    hash: hashOf(world.evidence),
    problems: [...atRest, ...problemsOf(world.evidence, { isOneNode: world.nodes.length === 1, ...deadlines })],
    faults,
    virtualMs: world.time.nowMs(),
    entries: world.evidence.logs.reduce((sum, { entries }) => sum + entries.length, 0),
    trace,
    evidence: world.evidence,
  };
}

/** Opens the conversations without faults and seats people and agents. Then people and faults start. */
async function open(world: World): Promise<Viewer[]> {
  const { random, agents, people, nodes, time } = world;
  const floor = nodes[0]?.server?.floor;
  const [owner = ""] = people;
  const convener = agents.find(({ role }) => role === "convener");
  const viewers: Viewer[] = [];
  for (const id of world.conversationIds) {
    const options: FloorOptions = {
      ...defaultOptions,
      policy: random.pick(["guarded", "guarded", "spec"]),
      floorEnforcement: random.pick(["table", "table", "advisory"]),
      onConvenerFailure: random.pick(["open", "closed"]),
      // Small limits stop endless agents early in most runs.
      turnAgentEventsMax: random.pick([3, 6, 12]),
      turnDepthMax: random.pick([2, 4, 16]),
      ...(convener && { convener: convener.serviceUrl }),
    };
    const seats = people.map((speakerUri) => identificationOf(speakerUri));
    const [first, ...others] = seats;
    const opened = floor?.receiver.command(id, {
      verb: "open",
      options,
      self: { speakerUri: floorAddress.speakerUri },
      ...(first && { owner: first }),
    });
    await time.advance(1_000);
    await opened;
    for (const identification of others) {
      const seated = floor?.receiver.command(id, { verb: "seat", identification, seatKind: "person" });
      await time.advance(1_000);
      await seated;
    }
    const invited = [...(convener ? [convener] : []), ...agents.slice(0, random.between(1, 3))];
    for (const { serviceUrl } of new Set(invited)) {
      const events = [{ eventType: "invite", to: { serviceUrl } }];
      const text = envelopeText({ conversation: { id }, sender: { speakerUri: owner }, events });
      floor?.receiver.envelope({ document: jsonTextOf(text), principal: operator }).catch(floor.onError);
    }
    for (const speakerUri of people) viewers.push(startViewer(world, speakerUri, id));
  }
  await time.advance(random.between(10, 20_000));
  world.isResting = false;
  for (const id of world.conversationIds) for (const speakerUri of people) startPerson(world, speakerUri, id);
  return viewers;
}

function identificationOf(speakerUri: string) {
  const serviceUrl = `${floorAddress.url}/openfloor/at/${Buffer.from(speakerUri).toString("base64url")}`;
  return { speakerUri, serviceUrl, organization: "", conversationalName: speakerUri, synopsis: "" };
}

/** No new inputs and no faults, long enough for all pending work to end. */
async function rest(world: World, chaos: Chaos): Promise<void> {
  world.isResting = true;
  for (const agent of world.agents) agent.isDead = false;
  world.trace(() => "rest");
  await startNodes(world, chaos);
  await world.time.advance(restMs);
}

/** Starting needs virtual time. */
async function startNodes({ time }: World, chaos: Chaos): Promise<void> {
  const started = chaos.startAll();
  await time.advance(1_000);
  await started;
}

async function readLog(durable: FloorStore, conversationId: string): Promise<Log> {
  const entries = await durable.log.entries(conversationId, { after: 0, limit: 1_000_000 });
  const loaded = await durable.log.load(conversationId);
  return { conversationId, entries, loaded, atHead: await durable.log.floorAt(conversationId, entries.length) };
}

function hashOf({ logs, received, viewed }: Evidence): string {
  const sum = createHash("sha256");
  for (const part of [logs.map(({ entries }) => entries), received, viewed]) sum.update(JSON.stringify(part));
  return sum.digest("hex");
}
