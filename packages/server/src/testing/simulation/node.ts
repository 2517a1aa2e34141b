import { compose } from "../../compose.ts";
import { isPassing, Problem } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Dialler } from "../../ports/dialler.ts";
import { createLiveTails } from "../../streams/live-tail.ts";
import { beginLife, endLife, type Life } from "./life.ts";
import { epochMs, floorPlace, limits, type Node, type World } from "./world.ts";

/** Starts the process on a machine, as the server does: the floor, and then what an earlier life left. */
export async function startNode(world: World, node: Node, dialler: (life: Life) => Dialler): Promise<void> {
  node.lives += 1;
  const life = beginLife(`${node.name}.${node.lives}`);
  const store = world.store.open(life);
  const chance = world.chance.fork(life.name);
  let made = 0;
  const ids = { newId: () => `${life.name}-${++made}`, random: () => chance.next() };
  const onError = (error: unknown) => noteError(world, life, error);
  const ports = { store, dialler: dialler(life), clock: clockOf(world, node, life), ids };
  const { server: floor } = compose(ports, { token: "token", onError, deliveryLimits: limits }, { ...floorPlace });
  world.trace(() => `${life.name} starts`);
  const pending = await store.pending();
  floor.effectRunner.resume(pending);
  node.server = { life, floor, liveTails: createLiveTails({ store, notifier: floor.notifier, onError }) };
}

export function killNode(world: World, node: Node, why: string): void {
  if (node.server === undefined) return;
  const { life } = node.server;
  world.trace(() => `${life.name} dies: ${why}`);
  if (world.store.lost(life) > 0) world.note("unsynced write lost");
  world.note("node crash");
  node.server = undefined;
  endLife(life);
}

/** A wait is a wait, whatever the wall clock does meanwhile; only what is asked of it is wrong. */
function clockOf({ time }: World, node: Node, life: Life): Clock {
  const now = () => Math.floor(epochMs + time.nowMs() + node.skewMs);
  return {
    now,
    at: (atMs, ring) =>
      time.after(Math.ceil(atMs - now()), () => {
        if (life.isAlive) ring();
      }),
  };
}

const foreseen = ["unknown-conversation", "refused"];

function noteError({ evidence, trace }: World, life: Life, error: unknown): void {
  const because = error instanceof Error && error.cause !== undefined ? `, because ${error.cause}` : "";
  trace(() => `${life.name} reports: ${error}${because}`);
  // What the disk does here has no cause: whatever has one, nobody asked for.
  if ((isPassing(error) && because === "") || (error instanceof Problem && foreseen.includes(error.code))) return;
  evidence.errors.push(`${life.name}: ${error instanceof Error ? error.stack : error}`);
}
