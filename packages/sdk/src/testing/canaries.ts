import { createServer, type Server, type Socket } from "node:net";

/** Listeners on one port of several loopback addresses. They count connections and bytes, and close at the first byte. */
export type Canaries = {
  port: number;
  connections: () => number;
  /** The number of open connections. */
  open: () => number;
  bytes: () => number;
  close(): Promise<void>;
};

export async function openCanaries(hosts: readonly string[] = ["127.0.0.1", "127.0.0.2", "::1"]): Promise<Canaries> {
  let connections = 0;
  let open = 0;
  let bytes = 0;
  const onConnection = (socket: Socket) => {
    connections += 1;
    open += 1;
    socket.on("close", () => {
      open -= 1;
    });
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      bytes += chunk.length;
      socket.destroy();
    });
  };
  const [first = "127.0.0.1", ...others] = hosts;
  const servers = [await listening(createServer(onConnection), 0, first)];
  const address = servers[0]?.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  for (const host of others) servers.push(await listening(createServer(onConnection), port, host));
  return {
    port,
    connections: () => connections,
    open: () => open,
    bytes: () => bytes,
    async close() {
      for (const server of servers) if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listening(server: Server, port: number, host: string): Promise<Server> {
  return new Promise((resolve) => {
    // Not every machine has IPv6.
    server.once("error", () => resolve(server));
    server.listen(port, host, () => resolve(server));
  });
}
