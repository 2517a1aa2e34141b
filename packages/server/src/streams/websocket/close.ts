import type { WebSocketServer } from "ws";
import type { Clock } from "../../ports/clock.ts";

const closeMs = 1_000;

/** Sends a close frame to all sockets, and terminates those that do not close in time. */
export async function closeSockets(server: WebSocketServer, clock: Clock, advice: string): Promise<void> {
  for (const ws of server.clients) ws.close(1012, advice);
  await new Promise<void>((resolve) => {
    const cancel = clock.at(clock.now() + closeMs, () => {
      for (const ws of server.clients) ws.terminate();
    });
    server.close(() => {
      cancel();
      resolve();
    });
  });
}
