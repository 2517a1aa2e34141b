import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { startPlaceholder } from "./placeholder-server.ts";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("requests to a crashed agent are held, and get 429 when it restarts", async () => {
  const port = await freePort();
  const leave = await startPlaceholder(port);
  const call = request({ port, host: "127.0.0.1", method: "POST", headers: { expect: "100-continue" } });
  // So that it has surely arrived.
  await once(call, "continue");
  call.end("{}");
  const isLeft = leave();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  response.resume();
  expect([response.statusCode, response.headers["retry-after"]]).toEqual([429, "1"]);
  await isLeft;
  const next = request({ port, host: "127.0.0.1" });
  await expect(once(next, "response")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("the placeholder does nothing when the port is in use", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const leave = await startPlaceholder((other.address() as AddressInfo).port);
  await leave();
  expect(other.listening).toBe(true);
  other.close();
});
