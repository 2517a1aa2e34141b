// A load generator of its own process: raw sockets, one request at a time on each, nothing parsed that need not be.
import { once } from "node:events";
import { connect } from "node:net";
import { answerQuestions } from "./processes.mjs";
import { percentile } from "./ratio.mjs";
import { createRotation, createSpeech } from "./speech.mjs";

const headEnd = Buffer.from("\r\n\r\n");
const lastChunk = Buffer.from("\r\n0\r\n\r\n");

function requestOf({ path, headers }, lane, body) {
  const length = Buffer.byteLength(body);
  const given = Object.entries({ host: "127.0.0.1", "content-type": "application/json", ...headers, ...lane.headers });
  const lines = [`POST ${path} HTTP/1.1`, ...given.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.from(`${lines.join("\r\n")}\r\ncontent-length: ${length}\r\n\r\n${body}`);
}

/** Where a response that begins at 0 ends; -1 while it is not all there. */
function responseEnd(bytes) {
  const head = bytes.indexOf(headEnd);
  if (head < 0) return -1;
  const length = /content-length: *(\d+)/iu.exec(bytes.toString("latin1", 0, head))?.[1];
  if (length !== undefined) {
    const end = head + headEnd.length + Number(length);
    return end <= bytes.length ? end : -1;
  }
  const chunk = bytes.indexOf(lastChunk, head);
  return chunk < 0 ? -1 : chunk + lastChunk.length;
}

/** One connection that asks, waits for the answer and asks again, until the slice is over. */
async function runLane({ port, marker }, speech, isOver, tally) {
  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  await once(socket, "connect");
  let pending = Buffer.alloc(0);
  let sentAt = 0;
  const ask = () => {
    tally.asked += 1;
    sentAt = performance.now();
    socket.write(speech.next());
  };
  const take = (response) => {
    tally.latencies.push(performance.now() - sentAt);
    const isRight = response.toString("latin1", 9, 12) === "200" && (!marker || response.includes(marker));
    if (!isRight) tally.failures.push(response.toString());
  };
  await new Promise((resolve, reject) => {
    socket.on("close", () => reject(new Error("the server hung up")));
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const end = responseEnd(pending);
      if (end < 0) return;
      take(pending.subarray(0, end));
      pending = pending.subarray(end);
      if (isOver()) resolve();
      else ask();
    });
    ask();
  });
  socket.removeAllListeners("close").destroy();
}

const targets = new Map();

/**
 * Connects anew each time: servers hang up on connections that were idle while others had their turn. A slice ends after
 * `ms`, or with `count` after so many requests.
 */
async function run({ name, ms, count }) {
  const { target, speeches } = targets.get(name);
  const tally = { asked: 0, latencies: [], failures: [] };
  const startedAt = performance.now();
  const isOver = () => (count === undefined ? performance.now() - startedAt >= ms : tally.asked >= count);
  await Promise.all(speeches.map((speech) => runLane(target, speech, isOver, tally)));
  const tookMs = performance.now() - startedAt;
  const { latencies, failures } = tally;
  if (failures.length > 0) throw new Error(`${failures.length} failures, such as ${failures[0]}`);
  const [p50, p99] = [0.5, 0.99].map((part) => percentile(latencies, part));
  return { count: latencies.length, tookMs, p50, p99 };
}

answerQuestions({
  start() {},
  /**
   * `marker`: what a right answer holds. Each lane has a connection of its own; with `connections` there are so many, and
   * whichever asks next takes the lane whose turn it is, `times` requests in a row.
   */
  open({ name, lanes, connections, times, ...target }) {
    const speeches = lanes.map((lane) => createSpeech(lane, (body) => requestOf(target, lane, body)));
    const shared = connections === undefined ? speeches : Array(connections).fill(createRotation(speeches, times));
    targets.set(name, { target, speeches: shared });
  },
  run,
});
