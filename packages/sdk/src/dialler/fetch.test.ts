import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDialler } from "../dialler.ts";
import { createFetch } from "./fetch.ts";

// Answers with what it received; /empty without a body, /never not at all.
const server = createServer(async (request, response) => {
  if (request.url === "/never") return;
  const { method, headers } = request;
  const body = await text(request);
  if (request.url === "/empty") return void response.writeHead(204).end();
  response.writeHead(418).end(JSON.stringify({ method, header: headers["x-own"], body }));
});
const dialler = createDialler({ mode: "local" });
const fetch = createFetch(dialler);
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await dialler.close();
  server.closeAllConnections();
  server.close();
});

test("method, headers and body are sent, and status and body are returned", async () => {
  const posted = await fetch(url, { method: "POST", headers: { "x-own": "1" }, body: "words" });
  expect([posted.status, await posted.json()]).toEqual([418, { method: "POST", header: "1", body: "words" }]);
  expect(await (await fetch(url)).json()).toEqual({ method: "GET", body: "" });
});

test("an answer without a body has none", async () => {
  const { status, body } = await fetch(`${url}/empty`);
  expect([status, body]).toEqual([204, null]);
});

test("the signal aborts the request", async () => {
  const signal = AbortSignal.timeout(20);
  await expect(fetch(`${url}/never`, { signal })).rejects.toMatchObject({ name: "DialError", code: "aborted" });
});

test("an address that the dialler refuses is not reached", async () => {
  await expect(fetch("http://10.0.0.5/")).rejects.toMatchObject({ code: "refused-address" });
});
