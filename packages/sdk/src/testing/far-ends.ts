import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";

/** Local servers of a test. `close` also closes their connections. */
export function createFarEnds() {
  const opened: (Server | TcpServer)[] = [];
  const sockets = new Set<Socket>();
  const listening = async (server: Server | TcpServer): Promise<string> => {
    opened.push(server);
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      // A dialler that aborts resets the connection.
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  return {
    http: (listener: RequestListener) => listening(createServer(listener)),
    /** Calls `answer` with the socket for every request; its bytes go out as they are. */
    tcp: (answer: (socket: Socket, request: string) => void) =>
      listening(createTcpServer((socket) => socket.on("data", (chunk) => answer(socket, chunk.toString())))),
    connections: () => sockets.size,
    close() {
      for (const server of opened.splice(0)) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The answer of a server that writes its own bytes. */
export function rawAnswer(headers: readonly string[], body = "", status = "200 OK"): string {
  return [`HTTP/1.1 ${status}`, ...headers, "", body].join("\r\n");
}
