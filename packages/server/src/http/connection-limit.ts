import type { Server } from "node:http";
import type { Socket } from "node:net";
import { addressKey } from "../auth/client-address.ts";
import { createCounts } from "../keyed-counter.ts";
import type { RequestLimits } from "../limits.ts";

/** Limits open connections, in total and per address. Clients behind one proxy share its limit. */
export function limitConnections(server: Server, { connectionsMax, connectionsPerAddressMax }: RequestLimits): void {
  server.maxConnections = connectionsMax;
  const open = createCounts();
  server.on("connection", (socket: Socket) => {
    const address = addressKey(socket.remoteAddress ?? "unknown");
    socket.on("close", open.add(address));
    if (open.of(address) > connectionsPerAddressMax) socket.destroy();
  });
}
