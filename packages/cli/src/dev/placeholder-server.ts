import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";

const holdMs = 20_000;
const heldMax = 256;
/** Before open connections are closed by force. */
const leaveMs = 500;

/**
 * Listens on the port of a crashed agent. Otherwise the floor would back off longer and longer, and still wait after the fix.
 * Requests are held and answered with 429 when the agent restarts, so that the floor retries them.
 */
export async function startPlaceholder(port: number): Promise<() => Promise<void>> {
  const held = new Set<ServerResponse>();
  let isLeaving = false;
  const server = createServer((request, response) => {
    request.resume();
    const timer = setTimeout(() => refuse(response), holdMs);
    response.on("close", () => {
      clearTimeout(timer);
      held.delete(response);
    });
    held.add(response);
    if (isLeaving || held.size > heldMax) refuse(response);
  });
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    // The port is still in use.
    return async () => undefined;
  }
  return async () => {
    isLeaving = true;
    for (const response of held) refuse(response);
    server.close();
    const timer = setTimeout(() => server.closeAllConnections(), leaveMs);
    await once(server, "close");
    clearTimeout(timer);
  };
}

/** Peers retry after 429 and do not count it as a failure. */
function refuse(response: ServerResponse): void {
  response.writeHead(429, { "retry-after": "1", connection: "close" }).end();
}
