// The other side of P8: `ws` alone, accepting whoever comes.
import { once } from "node:events";
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { answerQuestions } from "./processes.mjs";

answerQuestions({
  async start() {
    const server = createServer();
    new WebSocketServer({ server, perMessageDeflate: false }).on("connection", (ws) => {
      ws.on("message", () => {});
      ws.on("error", () => {});
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return { port: server.address().port };
  },
});
