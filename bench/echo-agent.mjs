// A trivial agent in a process of its own, written without our SDK: it says again what it hears, under its own name.
import { once } from "node:events";
import { createServer } from "node:http";
import { WebSocket } from "ws";
import { answerQuestions } from "./processes.mjs";

function replyTo({ openFloor, delivery }, speakerUri) {
  const events = openFloor.events.filter(({ eventType }) => eventType === "utterance");
  for (const event of events) {
    event.to = { speakerUri: openFloor.sender.speakerUri };
    const { dialogEvent } = event.parameters;
    dialogEvent.id = `re:${dialogEvent.id}`;
    dialogEvent.speakerUri = speakerUri;
  }
  const reply = { openFloor: { ...openFloor, sender: { speakerUri }, events } };
  return JSON.stringify(delivery === undefined ? reply : { ...reply, inReplyTo: delivery });
}

async function listen(speakerUri) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const reply = Buffer.from(replyTo(JSON.parse(Buffer.concat(chunks).toString()), speakerUri));
      response.writeHead(200, { "content-type": "application/json", "content-length": reply.length });
      response.end(reply);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server.address().port;
}

answerQuestions({
  start: async ({ speakerUri }) => ({ port: await listen(speakerUri) }),
  /** Calls a floor and takes what it is sent there. */
  async connect({ url, headers, speakerUri }) {
    const socket = new WebSocket(url, { perMessageDeflate: false, headers });
    socket.on("message", (text) => {
      const frame = JSON.parse(text);
      if (frame.openFloor !== undefined) socket.send(replyTo(frame, speakerUri));
    });
    await once(socket, "open");
  },
});
