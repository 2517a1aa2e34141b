import { compose } from "../../compose.ts";
import { isPassing, Problem } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Dialler } from "../../ports/dialler.ts";
import { type Logger, silentLogger } from "../../ports/logger.ts";
import { createLiveTails } from "../../streams/live-tail.ts";
import { endProcess, type NodeProcess, startProcess } from "./node-process.ts";
import { epochMs, floorAddress, limits, type Node, type World } from "./world.ts";

/** Starts a process on a node, as the server does, and resumes the work of the process before it. */
export async function startNode(
  world: World,
  node: Node,
  dialler: (nodeProcess: NodeProcess) => Dialler,
): Promise<void> {
  node.starts += 1;
  const nodeProcess = startProcess(`${node.name}.${node.starts}`);
  const store = world.store.open(nodeProcess);
  const random = world.random.fork(nodeProcess.name);
  let count = 0;
  const ids = { newId: () => `${nodeProcess.name}-${++count}`, random: () => random.next() };
  const onError = (error: unknown) => recordError(world, nodeProcess, error);
  const logger: Logger = { ...silentLogger, error: (_message, fields) => onError(fields?.error) };
  const ports = { store, dialler: dialler(nodeProcess), clock: clockOf(world, node, nodeProcess), ids, logger };
  const { server: floor } = compose(ports, { token: "token", deliveryLimits: limits }, floorAddress);
  world.trace(() => `${nodeProcess.name} starts`);
  const pending = await store.outbox.pending();
  floor.effectRunner.resume(pending);
  node.server = {
    nodeProcess,
    floor,
    liveTails: createLiveTails({ log: store.log, notifier: floor.notifier, onError }),
  };
}

export function killNode(world: World, node: Node, why: string): void {
  if (node.server === undefined) return;
  const { nodeProcess } = node.server;
  world.trace(() => `${nodeProcess.name} dies: ${why}`);
  if (world.store.lost(nodeProcess) > 0) world.countFault("unsynced write lost");
  world.countFault("node crash");
  node.server = undefined;
  endProcess(nodeProcess);
}

/** The skew changes `now`, but not the duration of a running timer. */
function clockOf({ time }: World, node: Node, nodeProcess: NodeProcess): Clock {
  const now = () => Math.floor(epochMs + time.nowMs() + node.skewMs);
  return {
    now,
    at: (atMs, callback) =>
      time.after(Math.ceil(atMs - now()), () => {
        if (nodeProcess.isAlive) callback();
      }),
  };
}

const expectedCodes = ["unknown-conversation", "refused"];

function recordError({ evidence, trace }: World, nodeProcess: NodeProcess, error: unknown): void {
  const because = error instanceof Error && error.cause !== undefined ? `, because ${error.cause}` : "";
  trace(() => `${nodeProcess.name} reports: ${error}${because}`);
  // Injected disk errors have no cause, so an error with a cause is unexpected.
  if ((isPassing(error) && because === "") || (error instanceof Problem && expectedCodes.includes(error.code))) return;
  evidence.errors.push(`${nodeProcess.name}: ${error instanceof Error ? error.stack : error}`);
}
