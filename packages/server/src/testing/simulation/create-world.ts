import { createMemoryStore } from "../../store/memory.ts";
import { createAgents } from "./agents.ts";
import { type Chaos, createChaos } from "./chaos.ts";
import { noEvidence } from "./evidence.ts";
import type { FaultCounts, FaultKind } from "./faults.ts";
import { createFaultyStore, type FaultyStoreOptions, type WritePoint } from "./faulty-store.ts";
import { createNetwork } from "./network.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { createSqliteDisk } from "./sqlite-disk.ts";
import { createVirtualTime } from "./virtual-time.ts";
import type { Node, World } from "./world.ts";

type RunOptions = {
  random: SeededRandom;
  faults: FaultCounts;
  isOnSqlite: boolean;
  hasCommands: boolean;
  trace?: string[];
};

/** The initial state of a run: nodes, network, people and agents. */
export function createWorld(options: RunOptions): { world: World; chaos: Chaos } {
  const { random, faults, isOnSqlite, hasCommands, trace } = options;
  const time = createVirtualTime();
  const countFault = (kind: FaultKind) => {
    faults[kind] += 1;
  };
  const isFault = (kind: FaultKind, probability: number) => {
    if (world.isResting || !random.isTrue(probability)) return false;
    countFault(kind);
    return true;
  };
  const faultSources = { time, random, isFault, world: () => world, isFull: () => chaos.isDiskFull() };
  const diskOptions = storeOptions(faultSources);
  const store = isOnSqlite
    ? createSqliteDisk(diskOptions)
    : createFaultyStore({ ...diskOptions, durable: createMemoryStore() });
  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
  const world: World = {
    time,
    random,
    store,
    countFault,
    isFault,
    hasCommands,
    isResting: true,
    evidence: noEvidence(store.outbox),
    // Only one process may use a SQLite file.
    nodes: names("n", isOnSqlite ? 1 : random.pick([1, 1, 2, 3])).map(newNode),
    agents: [],
    people: names("tag:people.example,2026:p", random.between(1, 3)),
    conversationIds: names("c", random.between(1, 2)),
    kill(nodeProcess, why) {
      const node = world.nodes.find(({ server }) => server?.nodeProcess === nodeProcess);
      if (node !== undefined) chaos.kill(node, why);
    },
    trace: (line) => trace?.push(`${time.nowMs().toFixed(3)} ${line()}`),
  };
  const counts = { agents: random.pick([2, 2, 3, 3, 4, 5, 7, 10]), hasConvener: random.isTrue(0.5) };
  const urls = names("http://a", counts.agents).map((url) => `${url}.example/`);
  const onEndless = () => countFault("endless agent");
  world.agents.push(...createAgents({ random, secrets: world.evidence.secrets, urls, onEndless }, counts));
  const chaos = createChaos(world, createNetwork(world));
  return { world, chaos };
}

type FaultSources = Pick<World, "time" | "random" | "isFault"> & { world: () => World; isFull: () => boolean };

function storeOptions({ time, random, isFault, world, isFull }: FaultSources): FaultyStoreOptions {
  // A local file has no read delay; a remote database has.
  const isSlow = random.isTrue(0.5);
  return {
    time,
    isFull,
    isNoticedAtAppend: () => random.isTrue(0.3),
    syncMs: () => random.next() * 8,
    readMs: () =>
      isSlow && random.isTrue(0.2) ? { requestMs: random.next() * 4, responseMs: random.next() * 4 } : noDelay,
    conflicts: () => isFault("append conflict", 0.02),
    crashes(point, nodeProcess) {
      if (!isFault(crashFaults[point], 0.003)) return false;
      world().kill(nodeProcess, point);
      return true;
    },
    onDurable(conversationId, nodeProcess) {
      // Other nodes are notified a little later, as by a database.
      for (const { server } of world().nodes) {
        if (server === undefined || server.nodeProcess === nodeProcess) continue;
        time.after(
          random.between(1, 30),
          () => server.nodeProcess.isAlive && server.floor.notifier.wake(conversationId),
        );
      }
    },
  };
}

const noDelay = { requestMs: 0, responseMs: 0 };

const crashFaults: Record<WritePoint, FaultKind> = {
  "before append": "crash before the write",
  unsynced: "crash before the sync",
  "after append": "crash after the write",
  "before settle": "crash before the write",
};

function newNode(name: string): Node {
  return { name, starts: 0, skewMs: 0, isStarting: false, diedAtMs: 0, server: undefined };
}
