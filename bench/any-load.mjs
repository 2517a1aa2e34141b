// A load generator of its own process: raw sockets that ask again as soon as they are answered, whatever the answer is.
import { connect } from "node:net";
import { answerQuestions } from "./processes.mjs";

const statusAt = [9, 12];
let [isOver, lanes, counts] = [true, [], {}];

function requestOf({ path, headers, body }) {
  const given = Object.entries({ host: "127.0.0.1", "content-type": "application/json", ...headers });
  const head = [`POST ${path} HTTP/1.1`, ...given.map(([name, value]) => `${name}: ${value}`)].join("\r\n");
  return Buffer.from(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Connects again when it is hung up on. */
function runLane(port, request) {
  return new Promise((resolve) => {
    const begin = () => {
      if (isOver) return resolve();
      const socket = connect(port, "127.0.0.1", () => socket.write(request)).setNoDelay(true);
      socket.on("data", (chunk) => {
        // An answer fits into one piece, or its rest says nothing new.
        if (chunk.toString("latin1", 0, 5) !== "HTTP/") return;
        const status = chunk.toString("latin1", ...statusAt);
        counts[status] = (counts[status] ?? 0) + 1;
        if (isOver) socket.destroy();
        else socket.write(request);
      });
      socket.on("error", () => {});
      socket.on("close", begin);
      stops.add(() => socket.destroy());
    };
    begin();
  });
}

const stops = new Set();

answerQuestions({
  start() {},
  /** `requests` are dealt out to so many connections. */
  begin({ port, connections, requests }) {
    [isOver, counts] = [false, {}];
    const bytes = requests.map(requestOf);
    lanes = Array.from({ length: connections }, (_, lane) => runLane(port, bytes[lane % bytes.length]));
  },
  async end() {
    isOver = true;
    for (const stop of stops) stop();
    stops.clear();
    await Promise.all(lanes);
    return { counts };
  },
});
