// The start of a floor: what listens, and what is free again when it cannot start.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import type { FloorServerOptions } from "./options.ts";
import { silentLogger } from "./ports/logger.ts";
import type { FloorStore } from "./ports/store.ts";
import { createFloorServer, type FloorServer } from "./server.ts";
import { createMemoryStore } from "./store/memory.ts";

const host = "127.0.0.1";
const dialler = { dial: () => Promise.reject(new Error("no request expected")) };
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: FloorServerOptions, given: Partial<FloorStore> = {}) {
  let closed = 0;
  const close = async () => {
    closed += 1;
  };
  const store = { ...createMemoryStore(), close, ...given };
  const starting = createFloorServer({ store, dialler, logger: silentLogger }, { drainMs: 0, ...options });
  const started: FloorServer | Error = await starting.catch((error) => error);
  return { started, closed: () => closed };
}

/** A floor that has started. */
async function startFloor(options: FloorServerOptions) {
  const { started, closed } = await start(options);
  if (started instanceof Error) throw started;
  cleanups.push(started.close);
  return { floor: started, closed };
}

async function occupy(port = 0): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => socket.destroy());
  server.listen(port, host);
  await once(server, "listening");
  cleanups.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, server };
}

async function freePort(): Promise<number> {
  const { port, server } = await occupy();
  server.close();
  await once(server, "close");
  return port;
}

test("a port in use rejects, and closes the store", async () => {
  const { port } = await occupy();
  const { started, closed } = await start({ listen: { port } });
  expect([started, closed()]).toEqual([expect.objectContaining({ code: "EADDRINUSE" }), 1]);
});

test("a preferred port that is taken falls back to the other port", async () => {
  const { port: preferredPort } = await occupy();
  const { floor } = await startFloor({ listen: { port: 0, preferredPort } });
  expect(floor.port).not.toBe(preferredPort);
  expect((await fetch(`${floor.url}/livez`)).status).toBe(200);
});

test("a preferred port that is free is used", async () => {
  const preferredPort = await freePort();
  const { floor } = await startFloor({ listen: { port: 0, preferredPort } });
  expect([floor.port, floor.url]).toEqual([preferredPort, `http://${host}:${preferredPort}`]);
});

test("a preferred port and a port that are both taken reject, and close the store", async () => {
  const [{ port }, { port: preferredPort }] = [await occupy(), await occupy()];
  const { started, closed } = await start({ listen: { port, preferredPort } });
  expect([started, closed()]).toEqual([expect.objectContaining({ code: "EADDRINUSE" }), 1]);
});

test("a health port in use rejects, frees the main port and closes the store", async () => {
  const { port: healthPort } = await occupy();
  const port = await freePort();
  const { started, closed } = await start({ listen: { port }, healthPort });
  expect([started, closed()]).toEqual([expect.objectContaining({ code: "EADDRINUSE", port: healthPort }), 1]);
  expect((await occupy(port)).port).toBe(port);
});

test("a store that cannot be read rejects, and the port is not used", async () => {
  const port = await freePort();
  const failing = () => Promise.reject(new Error("the disk is gone"));
  const { settings } = createMemoryStore();
  for (const part of [{ ready: failing }, { settings: { ...settings, keep: failing } }]) {
    const { started, closed } = await start({ listen: { port } }, part);
    expect([started, closed()]).toEqual([expect.any(Error), 1]);
    expect((await occupy(port)).port).toBe(port);
    await cleanups.pop()?.();
  }
});

test("an address that other hosts reach is refused, and the store is closed", async () => {
  const { started, closed } = await start({ listen: { port: 0, host: "0.0.0.0" } });
  expect([String(started), closed()]).toEqual([expect.stringContaining("refusing to listen on 0.0.0.0"), 1]);
});

test("without `listen`, fetch works and there is no port", async () => {
  const { floor, closed } = await startFloor({ publicUrl: "https://floor.example" });
  expect([floor.port, floor.healthUrl, floor.url]).toEqual([undefined, undefined, "https://floor.example"]);
  const request = new Request(`${floor.url}/livez`, { headers: { host: "localhost" } });
  expect((await floor.fetch(request)).status).toBe(200);
  await floor.close();
  expect(closed()).toBe(1);
});

test("close can be called twice, also at the same time, and closes the store once", async () => {
  for (const options of [{}, { listen: { port: 0 }, healthPort: 0 }]) {
    const { floor, closed } = await startFloor(options);
    await Promise.all([floor.close(), floor.close()]);
    await floor.close();
    expect(closed()).toBe(1);
  }
});

/** Connects over and over, and reports how many connections were accepted and answered at the first answer. */
const knocking = `
  const { connect } = require("node:net");
  let [accepted, answered, open, isAnswered] = [0, 0, 0, false];
  const knock = () => {
    let text = "";
    open += 1;
    const socket = connect(Number(process.argv[1]), "${host}");
    socket.on("connect", () => {
      accepted += 1;
      socket.write("GET /livez HTTP/1.1\\r\\nHost: ${host}:" + process.argv[1] + "\\r\\nConnection: close\\r\\n\\r\\n");
    });
    socket.on("data", (chunk) => (text += chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      open -= 1;
      if (text.startsWith("HTTP/1.1 200") && text.endsWith("ok")) answered += 1;
      isAnswered ||= answered > 0;
      if (!isAnswered) setImmediate(knock);
      else if (open === 0) console.log(JSON.stringify({ accepted, answered }));
    });
  };
  for (let count = 0; count < 20; count += 1) knock();
  console.log("knocking");
`;

test("each request that arrives while the floor starts to listen is answered", async () => {
  const port = await freePort();
  const child = spawn(process.execPath, ["-e", knocking, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  cleanups.push(() => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("knocking");
  await startFloor({ listen: { port } });
  const { accepted, answered } = JSON.parse((await lines.next()).value);
  expect([accepted > 0, answered]).toEqual([true, accepted]);
});
