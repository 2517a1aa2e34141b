import { defaultOptions, type Floor, fold } from "@plenary/floor";
import { createMemoryStore } from "../../store/memory.ts";
import { createChance } from "./chance.ts";
import { credentialOf, post } from "./client.ts";
import { type Log, noEvidence } from "./evidence.ts";
import { createFaultyStore } from "./faulty-store.ts";
import { problemsOf } from "./invariants.ts";
import { createNetwork } from "./network.ts";
import { killNode, startNode } from "./node.ts";
import { ann, ben, type Scenario, scenarioAgents } from "./scenarios.ts";
import { createVirtualTime } from "./virtual-time.ts";
import { envelopeText, textOf } from "./wire.ts";
import { floorPlace, limits, type Node, type World } from "./world.ts";

export type ScriptedRun = {
  /** Moments at which the process could have died. */
  points: number;
  problems: readonly string[];
  /** What is left in the end, whatever order it came in. */
  ending: unknown;
};

const id = "story";
const stepMs = 10_000;
const restMs = 5 * 60_000;

/** One story on one node that dies at the given point, counted from 1, and is started again; 0: it lives on. */
export async function runScripted(scenario: Scenario, dieAt = 0): Promise<ScriptedRun> {
  const { world, node, counter, durable } = createStage(dieAt);
  const { time } = world;
  const started = startNode(world, node, createNetwork(world));
  await time.pass(100);
  await started;
  await seat(world, node, scenario);
  counter.isOn = true;
  for (const steps of scenario.steps) {
    for (const { by, events } of steps) {
      const text = envelopeText({ conversation: { id }, sender: { speakerUri: by }, events });
      post(world, { text, principal: credentialOf(by) });
    }
    await time.pass(stepMs);
  }
  await time.pass(restMs);
  const entries = await durable.entries(id, { after: 0, limit: 10_000 });
  const log: Log = {
    conversationId: id,
    entries,
    loaded: await durable.load(id),
    atHead: await durable.floorAt(id, entries.length),
  };
  world.evidence.logs.push(log);
  const deadlines = { deliveryMs: limits.retryMs + limits.silenceMs, promisedMs: limits.laterAnswerMs };
  const problems = problemsOf(world.evidence, { isOneNode: true, ...deadlines });
  return { points: counter.points, problems, ending: endingOf(log) };
}

function createStage(dieAt: number) {
  const time = createVirtualTime();
  const chance = createChance("story");
  const durable = createMemoryStore();
  const counter = { isOn: false, points: 0 };
  const store = createFaultyStore({
    time,
    durable,
    syncMs: () => 2,
    readMs: () => ({ there: 0, back: 0 }),
    isFull: () => false,
    isNoticedEarly: () => false,
    conflicts: () => false,
    onDurable: () => {},
    dies(point, life) {
      if (!counter.isOn || !life.isAlive) return false;
      counter.points += 1;
      if (counter.points !== dieAt) return false;
      world.kill(life, point);
      return true;
    },
  });
  const node: Node = { name: "n1", lives: 0, skewMs: 0, isStarting: false, diedAtMs: 0, server: undefined };
  const world: World = {
    ...{ time, chance, store, evidence: noEvidence(store.book), isCommanded: false, isResting: true, nodes: [node] },
    agents: scenarioAgents(),
    people: [ann, ben],
    conversationIds: [id],
    strikes: () => false,
    note: () => {},
    trace: () => {},
    kill(_life, why) {
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
    ...{ verb: "open", owner: personOf(ann), self: { speakerUri: floorPlace.speakerUri } },
    options: { ...defaultOptions, ...options },
  });
  await time.pass(100);
  await opened;
  const seated = receiver?.command(id, { verb: "seat", identification: personOf(ben), seatKind: "person" });
  await time.pass(100);
  await seated;
}

function personOf(speakerUri: string) {
  return { speakerUri, serviceUrl: `${speakerUri}/`, organization: "", conversationalName: "", synopsis: "" };
}

function endingOf({ conversationId, entries }: Log): unknown {
  const floor: Floor = fold(conversationId, entries);
  const said = entries.flatMap((entry) =>
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
    said: said.sort(),
  };
}
