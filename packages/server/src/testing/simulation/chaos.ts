import type { Dialler } from "../../ports/dialler.ts";
import { liveNode } from "./client.ts";
import type { Life } from "./life.ts";
import { killNode, startNode } from "./node.ts";
import type { Viewer } from "./viewers.ts";
import type { Agent, Node, World } from "./world.ts";

/** What happens to the machines, beside what happens on the network. */
export type Chaos = {
  isDiskFull(): boolean;
  /** The process dies, and is started again after a while. */
  kill(node: Node, why: string): void;
  /** Whatever is under way is cut, and the clocks may be wrong afterwards. */
  cutEverything(): void;
  /** Everything that is down comes up at once. */
  heal(): Promise<void>;
  /** Troubles begin, and come again and again until the run comes to rest. */
  unleash(viewers: readonly Viewer[]): void;
};

export function createChaos(world: World, dialler: (life: Life) => Dialler): Chaos {
  const { time, chance, evidence } = world;
  let fullUntilMs = 0;
  const start = async (node: Node) => {
    if (node.server !== undefined || node.isStarting) return;
    node.isStarting = true;
    // A machine that boots may have no idea what time it is.
    if (world.strikes("clock jump", 0.3)) jump(world, node);
    await startNode(world, node, dialler);
    node.isStarting = false;
    evidence.outages.push({ fromMs: node.diedAtMs, toMs: time.nowMs() });
  };
  const kill = (node: Node, why: string) => {
    if (node.server === undefined) return;
    killNode(world, node, why);
    node.diedAtMs = time.nowMs();
    const downMs = chance.isHit(0.5) ? chance.between(1, 200) : chance.between(200, 15_000);
    time.after(downMs, () => start(node).catch((error) => evidence.errors.push(String(error?.stack ?? error))));
  };
  const fill = () => {
    const ms = chance.between(5, 3_000);
    fullUntilMs = time.nowMs() + ms;
    evidence.outages.push({ fromMs: time.nowMs(), toMs: fullUntilMs });
    world.trace(() => `the disk is full for ${ms} ms`);
  };
  return {
    isDiskFull() {
      if (world.isResting || time.nowMs() >= fullUntilMs) return false;
      world.note("disk full");
      return true;
    },
    kill,
    cutEverything() {
      for (const node of world.nodes) {
        if (world.strikes("clock jump", 0.5)) jump(world, node);
        kill(node, "before the rest");
      }
    },
    async heal() {
      await Promise.all(world.nodes.map(start));
    },
    unleash: (viewers) => unleash(world, { kill, fill, viewers }),
  };
}

type Means = { kill: Chaos["kill"]; fill: () => void; viewers: readonly Viewer[] };

function unleash(world: World, { kill, fill, viewers }: Means): void {
  const { chance, nodes } = world;
  every(world, [5_000, 60_000], () => {
    if (world.strikes("power loss", 0.3)) for (const node of nodes) kill(node, "power loss");
    else kill(chance.pick(nodes), "crash");
  });
  every(world, [10_000, 90_000], fill);
  every(world, [20_000, 120_000], () => {
    if (world.strikes("clock jump", 0.6)) jump(world, chance.pick(nodes));
  });
  every(world, [5_000, 60_000], () => {
    const agent = chance.pick(world.agents);
    agent.outUntilMs = world.time.nowMs() + chance.pick([3_000, 15_000, 60_000, 600_000]);
    world.trace(() => `${agent.serviceUrl} is out until ${agent.outUntilMs}`);
  });
  every(world, [5_000, 40_000], () => {
    if (world.strikes("viewer cut", 0.8)) chance.pick(viewers).cut();
  });
  const convener = world.agents.find(({ role }) => role === "convener");
  if (convener === undefined) return;
  every(world, [5_000, 60_000], () => {
    convener.isDead = !convener.isDead && world.strikes("convener death", 0.7);
    world.trace(() => `the convener is ${convener.isDead ? "dead" : "alive"}`);
  });
  every(world, [10_000, 40_000], () => reinstate(world, convener));
}

/** The operator gives the role back to a convener that lost it. */
function reinstate(world: World, { serviceUrl }: Agent): void {
  const floor = liveNode(world)?.server?.floor;
  for (const conversationId of world.conversationIds) {
    floor?.receiver.command(conversationId, { verb: "convener", serviceUrl }).catch(floor.onError);
  }
}

function jump(world: World, node: Node): void {
  const ms = world.chance.pick([-3_600_000, 3_600_000]);
  node.skewMs += ms;
  world.trace(() => `the clock of ${node.name} is off by ${node.skewMs} ms`);
}

function every(world: World, range: readonly [min: number, max: number], run: () => void): void {
  world.time.after(world.chance.between(...range), () => {
    if (world.isResting) return;
    run();
    every(world, range, run);
  });
}
