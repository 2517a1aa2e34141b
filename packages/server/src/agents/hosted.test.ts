import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import type { FloorServerOptions } from "../options.ts";
import { silentLogger } from "../ports/logger.ts";
import { createFloorServer, type FloorServer } from "../server.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { HostedAgents } from "./hosted.ts";

let server: FloorServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const hostedAgents: HostedAgents = {
  names: ["clock", "echo"],
  create: (name, _serviceUrl, _host, caller) => ({
    manifest: { identification: { speakerUri: `tag:here.example,2026:${name}` } },
    fetch: async () => new Response(`${name} for a ${caller}`),
  }),
};

async function start(options: FloorServerOptions): Promise<string> {
  const dialler = { dial: () => Promise.reject(new Error("no agent is dialled")) };
  const ports = { store: createMemoryStore(), dialler, hostedAgents, logger: silentLogger };
  const given = { token: "the-operators-token", drainMs: 0, listen: { port: 0 }, ...options };
  server = await createFloorServer(ports, given);
  return server.url;
}

const once = { perS: 0.000_001, burst: 1 };
const page = { origin: "https://floor.example" };

function post(url: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}${path}`, { method: "POST", body: "{}", headers });
}

test("a hosted agent has a rate limit per address", async () => {
  const url = await start({ rateLimits: { hostedAgents: { ...once, burst: 2 } } });
  const call = async (name: string) => (await post(url, `/agents/${name}`)).status;
  expect([await call("clock"), await call("clock"), await call("clock"), await call("echo")]).toEqual([
    200, 200, 429, 200,
  ]);
});

test("a page of another origin has its own rate limit, and can read the 429", async () => {
  const url = await start({ rateLimits: { perAddress: once } });
  expect(await (await post(url, "/agents/clock", page)).text()).toBe("clock for a page");
  const again = await post(url, "/agents/echo", page);
  expect([again.status, again.headers.get("access-control-allow-origin")]).toEqual([429, "*"]);
  expect(await (await post(url, "/agents/clock")).text()).toBe("clock for a program");
});

test("a trailing slash names the same agent; a longer path does not", async () => {
  const url = await start({});
  const call = async (path: string) => (await post(url, path)).status;
  expect(await Promise.all(["/agents/clock/", "/agents/clock/?key=1"].map(call))).toEqual([200, 200]);
  expect(await Promise.all(["/agents/clock/x", "/agents/clock//", "/agents//", "/agents/"].map(call))).toEqual([
    404, 404, 404, 404,
  ]);
});

test("a preflight is answered for hosted agents only", async () => {
  const url = await start({});
  const preflight = (path: string) => {
    const asked = { "access-control-request-method": "POST", "access-control-request-headers": "content-type,x-own" };
    const headers = { ...page, ...asked, "access-control-request-private-network": "true" };
    return fetch(`${url}${path}`, { method: "OPTIONS", headers });
  };
  for (const path of ["/agents/clock", "/agents/clock/"]) {
    const { status, headers } = await preflight(path);
    const granted = ["origin", "methods", "headers", "private-network"].map((one) =>
      headers.get(`access-control-allow-${one}`),
    );
    expect([status, ...granted]).toEqual([204, "*", "POST", "content-type,x-own", "true"]);
  }
  for (const path of ["/openfloor", "/openfloor/at/x", "/api/v1/agents", "/agents", "/agents/clock/x", "/chat", "/"]) {
    const refused = await preflight(path);
    expect([path, refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([path, 403, null]);
  }
});

test("DNS rebinding is refused at hosted agents, too", async () => {
  const url = new URL(`${await start({})}/agents/clock`);
  const status = await new Promise((resolve, reject) => {
    const headers = { host: "evil.example", origin: "http://evil.example" };
    const asked = request(url, { method: "POST", headers }, (response) => resolve(response.resume().statusCode));
    asked.on("error", reject).end("{}");
  });
  expect(status).toBe(403);
});
