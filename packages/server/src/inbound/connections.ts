import type { Server } from "node:http";
import type { Socket } from "node:net";
import { addressKey } from "../admit.ts";
import type { DoorLimits } from "../door-limits.ts";

/** No address takes all the connections there are. Those behind a proxy of ours share its limit. */
export function limitConnections(server: Server, { connectionsMax, connectionsPerAddressMax }: DoorLimits): void {
  server.maxConnections = connectionsMax;
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = addressKey(socket.remoteAddress ?? "unknown");
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.on("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    if (count > connectionsPerAddressMax) socket.destroy();
  });
}
