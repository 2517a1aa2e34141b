import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";

const holdMs = 20_000;
const heldMax = 256;
/** For whoever is slow to go. */
const leaveMs = 500;

/**
 * Listens where a broken agent should, so that it is not taken for dead: a floor waits ever longer for those, and would still
 * be waiting when the agent has been mended. Whoever calls is held on, and told to come again when the agent does.
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
    // Something of the agent is there still.
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

/** The one refusal that every peer takes as "not now", and nobody as a failure. */
function refuse(response: ServerResponse): void {
  response.writeHead(429, { "retry-after": "1", connection: "close" }).end();
}
