// Dials every trap of the corpus beside listeners that count connections: not one may arrive. The connector reaches only
// loopback, so that even a broken dialler reaches nothing else.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Resolve } from "./dialler/checked-lookup.ts";
import type { Dialler } from "./dialler/dial.ts";
import { createDiallerWith, type DiallerOptions } from "./dialler.ts";
import { type Canaries, openCanaries } from "./testing/canaries.ts";
import { createLoopbackWire } from "./testing/loopback-wire.ts";
import { loopbackHosts, specialHosts, trapNames, trapUrls } from "./testing/ssrf-corpus.ts";

let canaries: Canaries;
const opened: Server[] = [];

beforeAll(async () => {
  canaries = await openCanaries();
});
afterAll(() => canaries.close());
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

function createTrap(options: Partial<DiallerOptions>, resolve: Resolve = leadingTo("127.0.0.1")) {
  const { wire, dialled } = createLoopbackWire();
  const asked: string[] = [];
  const counting: Resolve = (hostname) => {
    asked.push(hostname);
    return resolve(hostname);
  };
  const dialler = createDiallerWith(wire, { mode: "production", resolve: counting, ...options });
  const before = canaries.connections();
  return { dialler, dialled, asked, connections: () => canaries.connections() - before };
}

function leadingTo(...addresses: string[]): Resolve {
  return async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
}

function dialAs(dialler: Dialler, url: string): Promise<unknown> {
  const ignore = () => {};
  return /^wss?:/iu.test(url)
    ? dialler.dialSocket({ url, onText: ignore, onClose: ignore })
    : dialler.dial({ url, body: "{}" });
}

const notDialled = {
  code: expect.stringMatching(/^refused-(?:address|url)$/u),
  isSent: false,
  retryable: false,
};

/** The error of a connection that a canary closed, or that found no listener. */
const gotThrough = expect.stringMatching(/^(?:broken|unreachable)$/u);

function urlsAt(host: string): string[] {
  const { port } = canaries;
  const http = [`https://${host}/`, `http://${host}:${port}/`, `https://${host}:${port}/x?y#z`];
  return [...http, `wss://${host}/`, `ws://${host}:${port}/x?y#z`];
}

test("the corpus has more than two hundred and fifty traps without duplicates", () => {
  const traps = [...loopbackHosts, ...specialHosts, ...trapUrls, ...trapNames.map(({ name }) => name)];
  expect(traps.length).toBeGreaterThan(250);
  expect(new Set(traps).size).toBe(traps.length);
});

test.each([...loopbackHosts, ...specialHosts])("production: %j is refused without a connection", async (host) => {
  const { dialler, dialled, asked, connections } = createTrap({});
  for (const url of urlsAt(host)) await expect(dialAs(dialler, url)).rejects.toMatchObject(notDialled);
  expect([dialled, asked, connections()]).toEqual([[], [], 0]);
});

test.each(trapUrls)("production and local: %j is refused without a connection", async (url) => {
  for (const mode of ["production", "local"] as const) {
    const { dialler, dialled, asked, connections } = createTrap({ mode });
    await expect(dialler.dial({ url, body: "{}" })).rejects.toMatchObject(notDialled);
    const ignore = () => {};
    const socketUrl = url.replace(/^http/u, "ws");
    const dialling = dialler.dialSocket({ url: socketUrl, onText: ignore, onClose: ignore });
    await expect(dialling).rejects.toMatchObject(notDialled);
    expect([dialled, asked, connections()]).toEqual([[], [], 0]);
  }
});

test.each(trapNames)("production: the name $name is refused when it resolves to $addresses", async (trap) => {
  const { dialler, dialled, connections } = createTrap({}, leadingTo(...trap.addresses));
  for (const url of urlsAt(trap.name)) {
    await expect(dialAs(dialler, url)).rejects.toMatchObject({ ...notDialled, code: "refused-address" });
  }
  expect([dialled, connections()]).toEqual([[], 0]);
});

test.each(specialHosts)("local: %j is refused without a connection", async (host) => {
  const { dialler, dialled, asked, connections } = createTrap({ mode: "local" });
  for (const url of urlsAt(host)) await expect(dialAs(dialler, url)).rejects.toMatchObject(notDialled);
  expect([dialled, asked, connections()]).toEqual([[], [], 0]);
});

test.each(loopbackHosts)("local: %j is loopback and may be dialled", async (host) => {
  const { dialler, dialled } = createTrap({ mode: "local" });
  const url = `http://${host}:${canaries.port}/`;
  await expect(dialler.dial({ url, body: "{}" })).rejects.toMatchObject({ code: gotThrough });
  expect(dialled).toHaveLength(1);
});

test("local: a name of a loopback address may be dialled, a name of a private network may not", async () => {
  for (const { addresses } of trapNames) {
    const { dialler, dialled } = createTrap({ mode: "local" }, leadingTo(...addresses));
    const isHere = addresses.every((address) => ["127.0.0.1", "::1", "::ffff:127.0.0.1"].includes(address));
    const code = isHere ? gotThrough : "refused-address";
    await expect(dialler.dial({ url: `http://some.example:${canaries.port}/` })).rejects.toMatchObject({ code });
    expect(dialled.length > 0).toBe(isHere);
  }
});

/** An allowed host that redirects every request to a canary. */
async function redirector(status: number, host: string): Promise<string> {
  const location = `http://${host}:${canaries.port}/`;
  const server = createServer((_request, response) => response.writeHead(status, { location }).end());
  server.on("upgrade", (_request, socket) => {
    socket.end(`HTTP/1.1 ${status} Elsewhere\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
  });
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

for (const status of [301, 302, 303, 307, 308]) {
  test.each(["127.0.0.1", "127.0.0.2", "[::1]"])(
    `an allowed host that redirects by ${status} to %s leads nowhere`,
    async (host) => {
      const allowed = await redirector(status, host);
      const { dialler, connections } = createTrap({ allowHosts: [allowed] });
      const redirected = { code: "redirect", retryable: false };
      await expect(dialAs(dialler, `http://${allowed}/`)).rejects.toMatchObject(redirected);
      await expect(dialAs(dialler, `ws://${allowed}/`)).rejects.toMatchObject(redirected);
      expect(connections()).toBe(0);
    },
  );
}

test("a name that first resolves to a public and then to a loopback address is refused the second time", async () => {
  for (const scheme of ["https", "wss"]) {
    const answers = ["8.8.8.8", "127.0.0.1", "127.0.0.1"];
    const { dialler, dialled, asked, connections } = createTrap({}, async () => [
      { address: answers[asked.length - 1] ?? "127.0.0.1", family: 4 },
    ]);
    const url = `${scheme}://rebind.example/`;
    await expect(dialAs(dialler, url)).rejects.toMatchObject({ code: "unreachable" });
    expect([asked.length, dialled]).toEqual([1, ["8.8.8.8"]]);
    await expect(dialAs(dialler, url)).rejects.toMatchObject({ code: "refused-address", isSent: false });
    expect([asked.length, dialled, connections()]).toEqual([2, ["8.8.8.8"], 0]);
  }
});

test("an address object that changes after the check is dialled as checked", async () => {
  for (const scheme of ["https", "wss"]) {
    let reads = 0;
    const shifty = {
      family: 4,
      get address() {
        reads += 1;
        return reads === 1 ? "8.8.8.8" : "127.0.0.1";
      },
    };
    const { dialler, dialled, connections } = createTrap({}, async () => [shifty]);
    await expect(dialAs(dialler, `${scheme}://shifty.example/`)).rejects.toMatchObject({ code: "unreachable" });
    expect([dialled, connections()]).toEqual([["8.8.8.8"], 0]);
  }
});
