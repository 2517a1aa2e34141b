import { createMemoryStore } from "../../store/memory.ts";
import { castAgents } from "./agents.ts";
import type { Chance } from "./chance.ts";
import { type Chaos, createChaos } from "./chaos.ts";
import { noEvidence } from "./evidence.ts";
import type { FaultCounts, FaultKind } from "./faults.ts";
import { createFaultyStore, type FaultyStoreOptions, type WritePoint } from "./faulty-store.ts";
import { createNetwork } from "./network.ts";
import { createSqliteDisk } from "./sqlite-disk.ts";
import { createVirtualTime } from "./virtual-time.ts";
import type { Node, World } from "./world.ts";

type Wanted = { chance: Chance; faults: FaultCounts; isOnSqlite: boolean; isCommanded: boolean; trace?: string[] };

/** The machines, the network and the cast of one run, before anything has happened. */
export function createWorld(wanted: Wanted): { world: World; chaos: Chaos } {
  const { chance, faults, isOnSqlite, isCommanded, trace } = wanted;
  const time = createVirtualTime();
  const note = (kind: FaultKind) => {
    faults[kind] += 1;
  };
  const strikes = (kind: FaultKind, probability: number) => {
    if (world.isResting || !chance.isHit(probability)) return false;
    note(kind);
    return true;
  };
  const troubles = { ...{ time, chance, strikes }, world: () => world, isFull: () => chaos.isDiskFull() };
  const options = storeOptions(troubles);
  const store = isOnSqlite
    ? createSqliteDisk(options)
    : createFaultyStore({ ...options, durable: createMemoryStore() });
  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
  const world: World = {
    ...{ time, chance, store, note, strikes, isCommanded, isResting: true, evidence: noEvidence(store.book) },
    // A file belongs to one process.
    nodes: names("n", isOnSqlite ? 1 : chance.pick([1, 1, 2, 3])).map(newNode),
    agents: [],
    people: names("tag:people.example,2026:p", chance.between(1, 3)),
    conversationIds: names("c", chance.between(1, 2)),
    kill(life, why) {
      const node = world.nodes.find(({ server }) => server?.life === life);
      if (node !== undefined) chaos.kill(node, why);
    },
    trace: (line) => trace?.push(`${time.nowMs().toFixed(3)} ${line()}`),
  };
  const counts = { agents: chance.pick([2, 2, 3, 3, 4, 5, 7, 10]), hasConvener: chance.isHit(0.5) };
  const urls = names("http://a", counts.agents).map((url) => `${url}.example/`);
  const onEndless = () => note("endless agent");
  world.agents.push(...castAgents({ chance, secrets: world.evidence.secrets, urls, onEndless }, counts));
  const chaos = createChaos(world, createNetwork(world));
  return { world, chaos };
}

type Troubles = Pick<World, "time" | "chance" | "strikes"> & { world: () => World; isFull: () => boolean };

function storeOptions({ time, chance, strikes, world, isFull }: Troubles): FaultyStoreOptions {
  // A file is read at once, a database elsewhere is not.
  const isSlow = chance.isHit(0.5);
  return {
    time,
    isFull,
    isNoticedEarly: () => chance.isHit(0.3),
    syncMs: () => chance.next() * 8,
    readMs: () => (isSlow && chance.isHit(0.2) ? { there: chance.next() * 4, back: chance.next() * 4 } : atOnce),
    conflicts: () => strikes("append conflict", 0.02),
    dies(point, life) {
      if (!strikes(deaths[point], 0.003)) return false;
      world().kill(life, point);
      return true;
    },
    onDurable(conversationId, life) {
      // Other nodes hear of it a little later, as from a database that notifies them.
      for (const { server } of world().nodes) {
        if (server === undefined || server.life === life) continue;
        time.after(chance.between(1, 30), () => server.life.isAlive && server.floor.notifier.wake(conversationId));
      }
    },
  };
}

const atOnce = { there: 0, back: 0 };

const deaths: Record<WritePoint, FaultKind> = {
  "before append": "crash before the write",
  unsynced: "crash before the sync",
  "after append": "crash after the write",
  "before settle": "crash before the write",
};

function newNode(name: string): Node {
  return { name, lives: 0, skewMs: 0, isStarting: false, diedAtMs: 0, server: undefined };
}
