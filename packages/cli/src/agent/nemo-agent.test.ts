import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { nemoAgent } from "./nemo-agent.ts";
import type { NemoChoice } from "./nemo-settings.ts";

/** The first that the operator is told. */
function toldOf(choice: NemoChoice): Promise<unknown> {
  return new Promise((resolve, reject) => {
    nemoAgent(choice, resolve).then(({ close }) => onTestFinished(close), reject);
  });
}

async function serverThatRefuses(status: number) {
  const server = createServer((_, response) => response.writeHead(status).end());
  server.on("upgrade", (_, socket) => socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `ws://127.0.0.1:${port}/websocket`, close };
}

const headers = { authorization: "Bearer nobody-may-see-this" };

test.each([
  ["a wrong token", 401, { headers }, "check PLENARY_NEMO_TOKEN,"],
  ["a wrong token or path", 403, { headers }, "check PLENARY_NEMO_TOKEN,"],
  ["no token", 403, {}, "set PLENARY_NEMO_TOKEN if it wants a token,"],
])("a server that refuses %s with %i is told of at the start, with what may help", async (_, status, more, remedy) => {
  const { url, close } = await serverThatRefuses(status);
  onTestFinished(async () => void (await close()));
  const told = `${url}: answered ${status} instead of opening a WebSocket: ${remedy} or see whether --url is its whole address`;
  expect(await toldOf({ url, ...more })).toBe(told);
});

test("a server that is not there is told of at the start, and what comes of that", async () => {
  const { url, close } = await serverThatRefuses(503);
  await close();
  expect(await toldOf({ url })).toMatch(
    /^the workflow cannot be reached just now \(ws:.*\): until it is there, invites/u,
  );
});

test("whoever is stopped at once is told nothing", async () => {
  const { url, close } = await serverThatRefuses(403);
  onTestFinished(async () => void (await close()));
  const told: unknown[] = [];
  const agent = await nemoAgent({ url }, (error) => told.push(error));
  await agent.close();
  await toldOf({ url });
  expect(told).toEqual([]);
});
