import { createHash } from "node:crypto";
import { defaultOptions, type FloorOptions } from "@plenary/floor";
import { operator } from "../../ports/principal.ts";
import type { FloorStore } from "../../ports/store.ts";
import { createChance } from "./chance.ts";
import type { Chaos } from "./chaos.ts";
import { createWorld } from "./create-world.ts";
import type { Evidence, Log } from "./evidence.ts";
import { type FaultCounts, noFaults } from "./faults.ts";
import { endlessRows, problemsOf } from "./invariants.ts";
import { startPerson } from "./people.ts";
import { startViewer, type Viewer } from "./viewers.ts";
import { envelopeText } from "./wire.ts";
import { floorPlace, limits, type World } from "./world.ts";

export type Run = {
  seed: number;
  /** Of all logs, and of all that anybody received: the same for the same seed. */
  hash: string;
  problems: readonly string[];
  faults: FaultCounts;
  virtualMs: number;
  entries: number;
  trace: readonly string[];
  evidence: Evidence;
};

const restMs = 20 * 60_000;

/** One run in so many uses a real file. */
const sqliteEvery = 20;

/** In one run in so many, those on a real file among them, people also stop the agents and give titles. */
const commandedEvery = 5;

/** Each of three dialects may be tried, and again without what tells of others, until it is clear that nobody answers. */
const deadlines = {
  deliveryMs: 6 * (limits.retryMs + limits.silenceMs),
  promisedMs: limits.retryMs + limits.silenceMs + limits.laterAnswerMs,
};

/** One run from its seed: people, agents and machines in trouble, then rest, a restart, and a look at what is left. */
export async function simulate(seed: number, { isTraced = false } = {}): Promise<Run> {
  const faults = noFaults();
  const trace: string[] = [];
  const isOnSqlite = seed % sqliteEvery === 0;
  const chance = createChance(String(seed));
  const isCommanded = seed % commandedEvery === 0;
  const { world, chaos } = createWorld({ chance, faults, isOnSqlite, isCommanded, ...(isTraced && { trace }) });
  await healed(world, chaos);
  const viewers = await open(world);
  chaos.unleash(viewers);
  await world.time.pass(world.chance.between(25_000, 80_000));
  if (world.chance.isHit(0.5)) chaos.cutEverything();
  await comeToRest(world, chaos);
  // Nothing may wait for a restart to come to its end.
  const atRest = endlessRows(world.evidence, deadlines);
  for (const node of world.nodes) chaos.kill(node, "the last time");
  await world.time.pass(restMs);
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

/** Opens the conversations in peace: their people, their convener, their first agents. Then the peace ends. */
async function open(world: World): Promise<Viewer[]> {
  const { chance, agents, people, nodes, time } = world;
  const floor = nodes[0]?.server?.floor;
  const [owner = ""] = people;
  const convener = agents.find(({ role }) => role === "convener");
  const viewers: Viewer[] = [];
  for (const id of world.conversationIds) {
    const options: FloorOptions = {
      ...defaultOptions,
      policy: chance.pick(["guarded", "guarded", "spec"]),
      floorEnforcement: chance.pick(["table", "table", "advisory"]),
      onConvenerFailure: chance.pick(["open", "closed"]),
      // Endless agents stop early in most runs, so that there is time for other things.
      turnAgentEventsMax: chance.pick([3, 6, 12]),
      turnDepthMax: chance.pick([2, 4, 16]),
      ...(convener && { convener: convener.serviceUrl }),
    };
    const seats = people.map((speakerUri) => identificationOf(speakerUri));
    const [first, ...others] = seats;
    const opened = floor?.receiver.command(id, {
      ...{ verb: "open", options, self: { speakerUri: floorPlace.speakerUri } },
      ...(first && { owner: first }),
    });
    await time.pass(1_000);
    await opened;
    for (const identification of others) {
      const seated = floor?.receiver.command(id, { verb: "seat", identification, seatKind: "person" });
      await time.pass(1_000);
      await seated;
    }
    const invited = [...(convener ? [convener] : []), ...agents.slice(0, chance.between(1, 3))];
    for (const { serviceUrl } of new Set(invited)) {
      const events = [{ eventType: "invite", to: { serviceUrl } }];
      const text = envelopeText({ conversation: { id }, sender: { speakerUri: owner }, events });
      floor?.receiver.envelope(text, { principal: operator }).catch(floor.onError);
    }
    for (const speakerUri of people) viewers.push(startViewer(world, speakerUri, id));
  }
  await time.pass(chance.between(10, 20_000));
  world.isResting = false;
  for (const id of world.conversationIds) for (const speakerUri of people) startPerson(world, speakerUri, id);
  return viewers;
}

function identificationOf(speakerUri: string) {
  const serviceUrl = `${floorPlace.url}/openfloor/at/${Buffer.from(speakerUri).toString("base64url")}`;
  return { speakerUri, serviceUrl, organization: "", conversationalName: speakerUri, synopsis: "" };
}

/** Nobody begins anything, nothing fails, and everything that was promised is given the time to end. */
async function comeToRest(world: World, chaos: Chaos): Promise<void> {
  world.isResting = true;
  for (const agent of world.agents) agent.isDead = false;
  world.trace(() => "rest");
  await healed(world, chaos);
  await world.time.pass(restMs);
}

/** Starting takes time, too. */
async function healed({ time }: World, chaos: Chaos): Promise<void> {
  const healing = chaos.heal();
  await time.pass(1_000);
  await healing;
}

async function readLog(durable: FloorStore, conversationId: string): Promise<Log> {
  const entries = await durable.entries(conversationId, { after: 0, limit: 1_000_000 });
  const loaded = await durable.load(conversationId);
  return { conversationId, entries, loaded, atHead: await durable.floorAt(conversationId, entries.length) };
}

function hashOf({ logs, heard, viewed }: Evidence): string {
  const sum = createHash("sha256");
  for (const part of [logs.map(({ entries }) => entries), heard, viewed]) sum.update(JSON.stringify(part));
  return sum.digest("hex");
}
