import type { WebSocket } from "ws";
import type { DialledSocket, SocketRequest } from "./dial.ts";

const pingMs = 30_000;

/** Adds a heartbeat to a WebSocket, because a peer that vanishes does not close it. */
export function wrapSocket(
  socket: WebSocket,
  { onText, onClose }: Pick<SocketRequest, "onText" | "onClose">,
): DialledSocket {
  let isAlive = true;
  const heartbeat = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, pingMs).unref();
  const alive = () => {
    isAlive = true;
  };
  socket.on("pong", alive);
  socket.on("ping", alive);
  socket.on("message", (data, isBinary) => {
    alive();
    if (!isBinary) onText(data.toString());
  });
  socket.on("close", (code, reason) => {
    clearInterval(heartbeat);
    onClose(code, reason.toString());
  });
  return {
    send(text) {
      if (socket.readyState !== socket.OPEN) return false;
      socket.send(text);
      return true;
    },
    close: (code = 1000, reason = "") => socket.close(code, reason),
  };
}
