// Callers that send too much: the floor accepts its declared limits, and uses no memory for the rest.
import { once } from "node:events";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { constants, createGzip, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { envelopeOf, utterance } from "../support/envelopes.ts";
import { isNightly, report } from "../support/nightly.ts";
import { createProcesses, type FloorProcess, type Processes } from "../support/start-plenary-process.ts";
import { rssBytesOf } from "./measurements.ts";
import { type Answer, get, post } from "./raw-http.ts";
import { authorization } from "./senders.ts";

const mebibyte = 1_048_576;
const gibibyte = 1_024 * mebibyte;
/** How much of a refused request or answer is read at most. */
const sentBytesMax = gibibyte / 8;
/** 20 MiB, plus garbage that is not collected yet. Asserted in nightly runs: it depends on the load of the machine. */
const rssRiseMax = 32 * mebibyte;
const owner = "tag:people.example,2026:owner";

let processes: Processes;
let floor: FloorProcess;
let agents: Server[];
/** Connections from the floor to the agents. */
let sockets: Socket[];

// In a nightly run each test has its own floor, so that its memory is measured from the same start.
const [before, after] = isNightly ? [beforeEach, afterEach] : [beforeAll, afterAll];

before(async () => {
  processes = createProcesses();
  floor = await processes.startFloor(join(processes.folder, "floor.db"));
  const opening = JSON.stringify({ id: "c1", owner: { identification: { speakerUri: owner } } });
  expect((await post(`${floor.url}/api/v1/conversations`, opening, authorization)).status).toBe(201);
  for (let count = 0; isNightly && count < 200; count += 1) await say(`warm ${count}`);
});

beforeEach(() => {
  agents = [];
  sockets = [];
});

afterEach(() => {
  for (const agent of agents) {
    agent.closeAllConnections();
    agent.close();
  }
});

after(() => processes.close());

function say(text: string): Promise<Answer> {
  return post(
    `${floor.url}/openfloor`,
    JSON.stringify(envelopeOf("c1", owner, [utterance(owner, text)])),
    authorization,
  );
}

/** Runs an attack and measures the memory of the floor. The floor must serve others afterwards. */
async function withstand(name: string, run: () => Promise<void>): Promise<void> {
  const before = rssBytesOf(floor.pid);
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, rssBytesOf(floor.pid));
  }, 5);
  await run().finally(() => clearInterval(timer));
  const rise = Math.max(peak, rssBytesOf(floor.pid)) - before;
  report(`exhaustion: ${name}: RSS rise ${(rise / mebibyte).toFixed(1)} MiB`);
  expect((await get(`${floor.url}/readyz`)).status).toBe(200);
  expect((await say("still here")).status).toBe(200);
  if (isNightly) expect(rise).toBeLessThan(rssRiseMax);
}

/** Sends bytes until the other end closes or a gibibyte is sent. */
function pour(headers: Record<string, string>, head = "", chunk = Buffer.alloc(64 * 1_024, "x")) {
  return new Promise<{ status: number | undefined; sentBytes: number }>((resolve) => {
    let [status, sentBytes] = [undefined as number | undefined, 0];
    const outgoing = request(`${floor.url}/openfloor`, {
      method: "POST",
      headers: { ...authorization, "content-type": "application/json", ...headers },
    });
    const end = () => resolve({ status, sentBytes });
    const push = () => {
      while (sentBytes < gibibyte && !outgoing.destroyed) {
        sentBytes += chunk.length;
        if (!outgoing.write(chunk)) return;
      }
      outgoing.end();
    };
    outgoing.on("drain", push);
    outgoing.on("response", (incoming) => {
      status = incoming.statusCode;
      incoming.resume();
    });
    outgoing.on("error", end);
    outgoing.on("close", end);
    outgoing.write(head);
    push();
  });
}

test("a gibibyte in one request is refused while it arrives", async () => {
  await withstand("1 GiB stream in", async () => {
    const { status, sentBytes } = await pour({}, '{"openFloor":"');
    expect(status).toBe(413);
    expect(sentBytes).toBeLessThan(sentBytesMax);
  });
});

test("a request whose Content-Length is too large is not read at all", async () => {
  const { status, sentBytes } = await pour({ "content-length": String(gibibyte) });
  expect(status).toBe(413);
  expect(sentBytes).toBeLessThan(sentBytesMax);
});

/** A kilobyte that would be a mebibyte, sent until a gibibyte of it would be a terabyte. */
const bomb = gzipSync(Buffer.alloc(mebibyte), { level: constants.Z_BEST_COMPRESSION });
const packedChunk = Buffer.concat(Array(64).fill(bomb));

test("a compressed body is not decompressed", async () => {
  await withstand("zip bomb in", async () => {
    for (const encoding of ["gzip", "deflate", "br", "zstd", "gzip, gzip"]) {
      const { status, sentBytes } = await pour({ "content-encoding": encoding }, "", packedChunk);
      expect([encoding, status]).toEqual([encoding, 415]);
      expect(sentBytes).toBeLessThan(sentBytesMax);
    }
    const small = gzipSync(JSON.stringify(envelopeOf("c1", owner, [utterance(owner, "packed")])));
    const answered = await post(`${floor.url}/openfloor`, small.toString("latin1"), {
      ...authorization,
      "content-encoding": "gzip",
    });
    expect(answered.status).toBe(415);
  });
});

test("a list a million levels deep is refused, and nothing is stored", async () => {
  await withstand("depth 10^6", async () => {
    for (const text of ["[".repeat(1_000_000), `${"[".repeat(500_000)}${"]".repeat(500_000)}`]) {
      expect((await post(`${floor.url}/openfloor`, text, authorization)).status).toBe(400);
    }
  });
});

async function startAgent(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.on("error", () => {});
    incoming.on("end", () => answer(response));
  });
  server.on("connection", (socket) => sockets.push(socket));
  agents.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
}

function flood(response: NodeJS.WritableStream & { destroyed?: boolean }): void {
  const chunk = Buffer.alloc(64 * 1_024, "x");
  let sentBytes = 0;
  const push = () => {
    while (sentBytes < gibibyte && response.destroyed !== true) {
      sentBytes += chunk.length;
      if (!response.write(chunk)) return;
    }
    response.end();
  };
  response.on("drain", push);
  push();
}

test.each([
  [
    "an endless answer",
    (response: ServerResponse) => {
      response.writeHead(200, { "content-type": "application/json" });
      flood(response);
    },
  ],
  [
    "an endless stream of drafts",
    (response: ServerResponse) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: start\ndata: ");
      flood(response);
    },
  ],
  [
    "a compressed answer without a request for it",
    (response: ServerResponse) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      const packed = createGzip();
      packed.pipe(response);
      flood(packed);
    },
  ],
  [
    "headers without end",
    (response: ServerResponse) => {
      response.socket?.write("HTTP/1.1 200 OK\r\n");
      if (response.socket !== null) flood(response.socket);
    },
  ],
])("an agent that sends %s is declined, and not read to its end", async (name, answer) => {
  const serviceUrl = await startAgent(answer);
  await withstand(`agent with ${name}`, async () => {
    const body = JSON.stringify(envelopeOf("c1", owner, [{ eventType: "invite", to: { serviceUrl } }]));
    const { status, text } = await post(`${floor.url}/openfloor`, body, { ...authorization, prefer: "wait=60" });
    expect(status).toBe(200);
    expect(text).toContain("declineInvite");
    expect(sockets.length).toBeGreaterThan(0);
    for (const { bytesWritten } of sockets) expect(bytesWritten).toBeLessThan(sentBytesMax);
  });
});
