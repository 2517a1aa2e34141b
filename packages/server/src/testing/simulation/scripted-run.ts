import { defaultOptions, type Floor, fold } from "@plenary/floor";
import { createMemoryStore } from "../../store/memory.ts";
import { credentialOf, post } from "./client.ts";
import { type Log, noEvidence } from "./evidence.ts";
import { createFaultyStore } from "./faulty-store.ts";
import { problemsOf } from "./invariants.ts";
import { createNetwork } from "./network.ts";
import { killNode, startNode } from "./node.ts";
import { envelopeText, textOf } from "./raw-envelope.ts";
import { ann, ben, type Scenario, scenarioAgents } from "./scenarios.ts";
import { createRandom } from "./seeded-random.ts";
import { createVirtualTime } from "./virtual-time.ts";
import { floorAddress, limits, type Node, type World } from "./world.ts";

export type ScriptedRun = {
  /** Number of points at which the process could crash. */
  points: number;
  problems: readonly string[];
  /** The final state, independent of the order of events. */
  finalState: unknown;
};

const id = "story";
const stepMs = 10_000;
const restMs = 5 * 60_000;

/** Runs a scenario on one node, which crashes at the given point, counted from 1, and restarts. 0: no crash. */
export async function runScripted(scenario: Scenario, crashAt = 0): Promise<ScriptedRun> {
  const { world, node, counter, durable } = createScriptedWorld(crashAt);
  const { time } = world;
  const started = startNode(world, node, createNetwork(world));
  await time.advance(100);
  await started;
  await seat(world, node, scenario);
  counter.isOn = true;
  for (const steps of scenario.steps) {
    for (const { by, events } of steps) {
      const text = envelopeText({ conversation: { id }, sender: { speakerUri: by }, events });
      post(world, { text, principal: credentialOf(by) });
    }
    await time.advance(stepMs);
  }
  await time.advance(restMs);
  const entries = await durable.log.entries(id, { after: 0, limit: 10_000 });
  const log: Log = {
    conversationId: id,
    entries,
    loaded: await durable.log.load(id),
    atHead: await durable.log.floorAt(id, entries.length),
  };
  world.evidence.logs.push(log);
  const deadlines = { deliveryMs: limits.retryMs + limits.silenceMs, promisedMs: limits.laterAnswerMs };
  const problems = problemsOf(world.evidence, { isOneNode: true, ...deadlines });
  return { points: counter.points, problems, finalState: finalStateOf(log) };
}

function createScriptedWorld(crashAt: number) {
  const time = createVirtualTime();
  const random = createRandom("story");
  const durable = createMemoryStore();
  const counter = { isOn: false, points: 0 };
  const store = createFaultyStore({
    time,
    durable,
    syncMs: () => 2,
    readMs: () => ({ requestMs: 0, responseMs: 0 }),
    isFull: () => false,
    isNoticedAtAppend: () => false,
    conflicts: () => false,
    onDurable: () => {},
    crashes(point, nodeProcess) {
      if (!counter.isOn || !nodeProcess.isAlive) return false;
      counter.points += 1;
      if (counter.points !== crashAt) return false;
      world.kill(nodeProcess, point);
      return true;
    },
  });
  const node: Node = { name: "n1", starts: 0, skewMs: 0, isStarting: false, diedAtMs: 0, server: undefined };
  const world: World = {
    time,
    random,
    store,
    evidence: noEvidence(store.outbox),
    hasCommands: false,
    isResting: true,
    nodes: [node],
    agents: scenarioAgents(),
    people: [ann, ben],
    conversationIds: [id],
    isFault: () => false,
    countFault: () => {},
    trace: () => {},
    kill(_nodeProcess, why) {
      killNode(world, node, why);
      time.after(100, () => {
        startNode(world, node, createNetwork(world)).catch((error) => world.evidence.errors.push(String(error)));
      });
    },
  };
  return { world, node, counter, durable };
}

async function seat({ time }: World, node: Node, { options }: Scenario): Promise<void> {
  const receiver = node.server?.floor.receiver;
  const opened = receiver?.command(id, {
    verb: "open",
    owner: personOf(ann),
    self: { speakerUri: floorAddress.speakerUri },
    options: { ...defaultOptions, ...options },
  });
  await time.advance(100);
  await opened;
  const seated = receiver?.command(id, { verb: "seat", identification: personOf(ben), seatKind: "person" });
  await time.advance(100);
  await seated;
}

function personOf(speakerUri: string) {
  return { speakerUri, serviceUrl: `${speakerUri}/`, organization: "", conversationalName: "", synopsis: "" };
}

function finalStateOf({ conversationId, entries }: Log): unknown {
  const floor: Floor = fold(conversationId, entries);
  const utterances = entries.flatMap((entry) =>
    entry.kind === "event" && entry.event.eventType === "utterance"
      ? [`${entry.sender} to ${entry.event.to?.speakerUri}: ${textOf(entry.event)}`]
      : [],
  );
  return {
    seats: floor.conversants.map(({ identification, state }) => `${identification.speakerUri} ${state}`).sort(),
    floorGranted: [...floor.floorGranted].sort(),
    roles: floor.roles,
    isClosed: floor.isClosed,
    waiting: [floor.open.length, floor.parked.length, floor.held.length],
    utterances: utterances.sort(),
  };
}
