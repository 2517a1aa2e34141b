import type { Dialler } from "../../ports/dialler.ts";
import { liveNode } from "./client.ts";
import { killNode, startNode } from "./node.ts";
import type { NodeProcess } from "./node-process.ts";
import type { Viewer } from "./viewers.ts";
import type { Agent, Node, World } from "./world.ts";

/** Faults of the nodes: crashes, full disks, wrong clocks. */
export type Chaos = {
  isDiskFull(): boolean;
  /** Kills the process of a node, and starts another after a while. */
  kill(node: Node, why: string): void;
  /** Kills all processes. The clocks may be wrong afterwards. */
  killAll(): void;
  /** Starts a process on every node that has none. */
  startAll(): Promise<void>;
  /** Starts random faults, which end when the run rests. */
  startFaults(viewers: readonly Viewer[]): void;
};

export function createChaos(world: World, dialler: (nodeProcess: NodeProcess) => Dialler): Chaos {
  const { time, random, evidence } = world;
  let fullUntilMs = 0;
  const start = async (node: Node) => {
    if (node.server !== undefined || node.isStarting) return;
    node.isStarting = true;
    // A booting machine may have a wrong clock.
    if (world.isFault("clock jump", 0.3)) jumpClock(world, node);
    await startNode(world, node, dialler);
    node.isStarting = false;
    evidence.outages.push({ fromMs: node.diedAtMs, toMs: time.nowMs() });
  };
  const kill = (node: Node, why: string) => {
    if (node.server === undefined) return;
    killNode(world, node, why);
    node.diedAtMs = time.nowMs();
    const downMs = random.isTrue(0.5) ? random.between(1, 200) : random.between(200, 15_000);
    time.after(downMs, () => start(node).catch((error) => evidence.errors.push(String(error?.stack ?? error))));
  };
  const fillDisk = () => {
    const ms = random.between(5, 3_000);
    fullUntilMs = time.nowMs() + ms;
    evidence.outages.push({ fromMs: time.nowMs(), toMs: fullUntilMs });
    world.trace(() => `the disk is full for ${ms} ms`);
  };
  return {
    isDiskFull() {
      if (world.isResting || time.nowMs() >= fullUntilMs) return false;
      world.countFault("disk full");
      return true;
    },
    kill,
    killAll() {
      for (const node of world.nodes) {
        if (world.isFault("clock jump", 0.5)) jumpClock(world, node);
        kill(node, "before the rest");
      }
    },
    async startAll() {
      await Promise.all(world.nodes.map(start));
    },
    startFaults: (viewers) => startFaults(world, { kill, fillDisk, viewers }),
  };
}

type FaultContext = { kill: Chaos["kill"]; fillDisk: () => void; viewers: readonly Viewer[] };

function startFaults(world: World, { kill, fillDisk, viewers }: FaultContext): void {
  const { random, nodes } = world;
  every(world, [5_000, 60_000], () => {
    if (world.isFault("power loss", 0.3)) for (const node of nodes) kill(node, "power loss");
    else kill(random.pick(nodes), "crash");
  });
  every(world, [10_000, 90_000], fillDisk);
  every(world, [20_000, 120_000], () => {
    if (world.isFault("clock jump", 0.6)) jumpClock(world, random.pick(nodes));
  });
  every(world, [5_000, 60_000], () => {
    const agent = random.pick(world.agents);
    agent.unreachableUntilMs = world.time.nowMs() + random.pick([3_000, 15_000, 60_000, 600_000]);
    world.trace(() => `${agent.serviceUrl} is unreachable until ${agent.unreachableUntilMs}`);
  });
  every(world, [5_000, 40_000], () => {
    if (world.isFault("viewer cut", 0.8)) random.pick(viewers).cut();
  });
  const convener = world.agents.find(({ role }) => role === "convener");
  if (convener === undefined) return;
  every(world, [5_000, 60_000], () => {
    convener.isDead = !convener.isDead && world.isFault("convener death", 0.7);
    world.trace(() => `the convener is ${convener.isDead ? "dead" : "alive"}`);
  });
  every(world, [10_000, 40_000], () => reinstate(world, convener));
}

/** The operator appoints the convener again, in case it lost the role. */
function reinstate(world: World, { serviceUrl }: Agent): void {
  const floor = liveNode(world)?.server?.floor;
  for (const conversationId of world.conversationIds) {
    floor?.receiver.command(conversationId, { verb: "convener", serviceUrl }).catch(floor.onError);
  }
}

function jumpClock(world: World, node: Node): void {
  const ms = world.random.pick([-3_600_000, 3_600_000]);
  node.skewMs += ms;
  world.trace(() => `the clock of ${node.name} is off by ${node.skewMs} ms`);
}

function every(world: World, range: readonly [min: number, max: number], run: () => void): void {
  world.time.after(world.random.between(...range), () => {
    if (world.isResting) return;
    run();
    every(world, range, run);
  });
}
