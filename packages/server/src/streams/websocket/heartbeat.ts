import type { WebSocket } from "ws";
import type { StreamLimits } from "../../limits.ts";
import type { Clock } from "../../ports/clock.ts";

export type Heartbeat = { watch(ws: WebSocket): void; stop(): void };

/** Terminates half-open connections. One timer pings all sockets, so each socket costs little. */
export function createHeartbeat(
  sockets: Iterable<WebSocket>,
  { pingMs, pingMissesMax }: StreamLimits,
  clock: Clock,
): Heartbeat {
  const misses = new Map<WebSocket, number>();
  let cancel: (() => void) | undefined;
  const arm = () => {
    cancel = clock.at(clock.now() + pingMs, pingAll);
  };
  function pingAll(): void {
    cancel = undefined;
    for (const ws of sockets) {
      const missed = misses.get(ws) ?? 0;
      if (missed >= pingMissesMax) ws.terminate();
      else if (ws.readyState === ws.OPEN) {
        misses.set(ws, missed + 1);
        ws.ping();
      }
      if (cancel === undefined) arm();
    }
  }
  function reset(this: WebSocket): void {
    misses.delete(this);
  }
  return {
    watch(ws) {
      ws.on("pong", reset);
      // A pong may be queued behind many messages.
      ws.on("message", reset);
      ws.on("close", reset);
      if (cancel === undefined) arm();
    },
    stop: () => cancel?.(),
  };
}
