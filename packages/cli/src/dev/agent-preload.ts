// Preloaded into the agent's process: ends the agent when the command that started it is gone.
import { subscribe } from "node:diagnostics_channel";
import type { Server, ServerResponse } from "node:http";

const drainMs = 10_000;
const servers = new Set<Server>();

subscribe("http.server.request.start", (message) => {
  const { server, response } = message as { server: Server; response: ServerResponse };
  servers.add(server);
  // A request on a kept-alive connection could arrive while the process ends.
  response.shouldKeepAlive = false;
});

process.once("disconnect", () => {
  const timer = setTimeout(() => process.exit(0), drainMs);
  // Requests in progress are answered; new ones are refused, and the floor retries them.
  const closed = [...servers].map((server) => new Promise((resolve) => server.close(resolve)));
  void Promise.all(closed).then(() => {
    clearTimeout(timer);
    process.exit(0);
  });
});

// Node reports loaded modules over the channel, which fails while the process is stopped.
process.on("error", () => undefined);

// The channel must not keep an idle agent alive.
process.channel?.unref();
