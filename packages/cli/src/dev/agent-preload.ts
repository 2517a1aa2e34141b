// Loaded into the agent's own process before the agent: it ends with the command that started it, however that ended.
import { subscribe } from "node:diagnostics_channel";
import type { Server, ServerResponse } from "node:http";

const drainMs = 10_000;
const servers = new Set<Server>();

subscribe("http.server.request.start", (message) => {
  const { server, response } = message as { server: Server; response: ServerResponse };
  servers.add(server);
  // On a line that stays open the next request could meet its end.
  response.shouldKeepAlive = false;
});

process.once("disconnect", () => {
  const timer = setTimeout(() => process.exit(0), drainMs);
  // Who is being answered gets the answer; who comes now is refused, and comes again.
  const closed = [...servers].map((server) => new Promise((resolve) => server.close(resolve)));
  void Promise.all(closed).then(() => {
    clearTimeout(timer);
    process.exit(0);
  });
});

// Node reports what is loaded; while it is being stopped nobody listens to that.
process.on("error", () => undefined);

// An agent that has nothing left to do may end.
process.channel?.unref();
