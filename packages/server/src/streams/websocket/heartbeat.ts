import type { WebSocket } from "ws";
import type { StreamLimits } from "../../limits.ts";
import type { Clock } from "../../ports/clock.ts";

export type Heartbeat = { watch(ws: WebSocket): void; stop(): void };

/** Half-open connections are found out by their silence: all are asked at once, so that one costs next to nothing. */
export function createHeartbeat(
  sockets: Iterable<WebSocket>,
  { pingMs, pingMissesMax }: StreamLimits,
  clock: Clock,
): Heartbeat {
  const misses = new Map<WebSocket, number>();
  let cancel: (() => void) | undefined;
  const arm = () => {
    cancel = clock.at(clock.now() + pingMs, beat);
  };
  function beat(): void {
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
  function heard(this: WebSocket): void {
    misses.delete(this);
  }
  return {
    watch(ws) {
      ws.on("pong", heard);
      // A pong may be queued behind much else that the other end has sent.
      ws.on("message", heard);
      ws.on("close", heard);
      if (cancel === undefined) arm();
    },
    stop: () => cancel?.(),
  };
}
