// Load over bare sockets, in a process of its own. Each line on stdin is a phase; each phase ends with a line of figures.
// Every acknowledged utterance is written to a file, which the test compares with the log.
import { appendFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const [port, token, ledger, conversations] = process.argv.slice(2);
let sent = 0;

function requestText() {
  sent += 1;
  const conversation = `c${sent % Number(conversations)}`;
  const speakerUri = `tag:people.example,2026:${conversation}`;
  const features = { text: { mimeType: "text/plain", tokens: [{ value: "word ".repeat(120) }] } };
  const dialogEvent = { id: `load-${sent}`, speakerUri, span: { startTime: "2026-01-01T00:00:00Z" }, features };
  const events = [{ eventType: "utterance", parameters: { dialogEvent } }];
  const sender = { speakerUri };
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id: conversation }, sender, events };
  const body = JSON.stringify({ openFloor });
  const head = `POST /openfloor HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n`;
  const text = `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  return { text, conversation, id: dialogEvent.id };
}

/** One connection, one request at a time. */
function createConnection() {
  const socket = connect(Number(port), "127.0.0.1");
  socket.setNoDelay(true).setEncoding("latin1");
  let rest = "";
  let done;
  const fail = () => {
    connection.isBroken = true;
    const answer = done;
    done = undefined;
    answer?.(undefined);
  };
  socket.on("data", (chunk) => {
    rest += chunk;
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) return;
    const head = rest.slice(0, end + 2);
    const length = Number(/\r\ncontent-length: (\d+)/iu.exec(head)?.[1] ?? 0);
    if (rest.length < end + 4 + length) return;
    rest = rest.slice(end + 4 + length);
    if (/\r\nconnection: close/iu.test(head)) connection.isBroken = true;
    const answer = done;
    done = undefined;
    answer?.(head);
  });
  socket.on("error", fail).on("close", fail);
  const connection = {
    isBroken: false,
    freeAt: performance.now(),
    opened: new Promise((resolve) => {
      socket.once("connect", resolve).once("error", resolve);
    }),
    send(text, tell) {
      done = tell;
      socket.write(text);
    },
    close: () => socket.destroy(),
  };
  return connection;
}

/** A server may close a connection that was idle for long; one that was idle for a while is not trusted with a request. */
const idleMsMax = 2_000;

function createPool(max) {
  const free = [];
  const all = new Set();
  const drop = (connection) => {
    all.delete(connection);
    connection.close();
  };
  const open = () => {
    const fresh = createConnection();
    all.add(fresh);
    return fresh;
  };
  return {
    /** A few at a time: many new connections at once are another test. */
    async fill() {
      while (all.size < max) {
        const batch = Array.from({ length: Math.min(50, max - all.size) }, open);
        await Promise.all(batch.map(({ opened }) => opened));
        free.push(...batch);
      }
      // None has been used: what was opened first has not been idle, it has waited for the last.
      for (const connection of free) connection.freeAt = performance.now();
    },
    take() {
      for (let known = free.pop(); known !== undefined; known = free.pop()) {
        if (!known.isBroken && performance.now() - known.freeAt < idleMsMax) return known;
        drop(known);
      }
      return all.size < max ? open() : undefined;
    },
    give(connection) {
      connection.freeAt = performance.now();
      if (connection.isBroken) drop(connection);
      else free.push(connection);
    },
    close() {
      for (const connection of all) connection.close();
    },
  };
}

function createTally() {
  const figures = { acknowledged: 0, refused: {}, bare: 0, broken: 0, odd: {}, offered: 0, unsent: 0, pending: 0 };
  const latencies = [];
  const lines = [];
  return {
    figures,
    note(head, { conversation, id }, tookMs, isInTime) {
      const status = head?.slice(9, 12);
      if (status === undefined) figures.broken += 1;
      else if (status === "200") {
        if (isInTime) figures.acknowledged += 1;
        latencies.push(tookMs);
        lines.push(`${conversation} ${id} ${/\r\nplenary-seq: (\S+)/iu.exec(head)?.[1] ?? ""}\n`);
      } else if (status === "429" || status === "503") {
        figures.refused[status] = (figures.refused[status] ?? 0) + 1;
        if (!/\r\nretry-after: \d+/iu.test(head)) figures.bare += 1;
      } else figures.odd[status] = (figures.odd[status] ?? 0) + 1;
    },
    end(ms) {
      appendFileSync(ledger, lines.join(""));
      latencies.sort((a, b) => a - b);
      const at = (part) => latencies[Math.floor(latencies.length * part)] ?? 0;
      return { ...figures, ms, p50: at(0.5), p99: at(0.99) };
    },
  };
}

/** `rate` 0: as fast as the connections go (closed loop). Else so many a second, independent of the responses. */
async function run({ connections, rate, ms }) {
  const pool = createPool(connections);
  const tally = createTally();
  const { figures } = tally;
  await pool.fill();
  const startedAt = performance.now();
  const isOver = () => performance.now() >= startedAt + ms;
  let due = 0;
  let lookedAt = startedAt;
  const next = () => {
    const connection = isOver() ? undefined : pool.take();
    if (connection === undefined) return false;
    due -= 1;
    figures.pending += 1;
    figures.offered += 1;
    const request = requestText();
    const at = performance.now();
    connection.send(request.text, (head) => {
      figures.pending -= 1;
      tally.note(head, request, performance.now() - at, !isOver());
      pool.give(connection);
      if (rate === 0 || due >= 1) next();
    });
    return true;
  };
  if (rate === 0) while (next());
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const isLate = performance.now() > startedAt + ms + 120_000;
      if (isLate || (isOver() && figures.pending === 0)) {
        clearInterval(timer);
        resolve();
        return;
      }
      due += rate === 0 ? 0 : ((performance.now() - lookedAt) / 1_000) * rate;
      lookedAt = performance.now();
      while (due >= 1 && next());
      // No connection is free: a request that cannot be sent now is dropped.
      if (isOver() || due <= rate / 10) return;
      figures.unsent += Math.floor(due - rate / 10);
      due = rate / 10;
    }, 5);
  });
  pool.close();
  return tally.end(ms);
}

console.log(JSON.stringify({ ready: true }));
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await run(JSON.parse(line))));
}
