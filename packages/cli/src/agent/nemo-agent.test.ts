import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { nemoAgent } from "./nemo-agent.ts";
import type { NemoChoice } from "./nemo-settings.ts";

/** The first reported error. */
function firstError(choice: NemoChoice): Promise<unknown> {
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
  ["no token", 403, {}, "set PLENARY_NEMO_TOKEN if it needs a token,"],
])("a server that refuses %s with %i is reported at startup, with a fix", async (_, status, more, remedy) => {
  const { url, close } = await serverThatRefuses(status);
  onTestFinished(async () => void (await close()));
  const reported = `${url}: answered ${status} instead of opening a WebSocket: ${remedy} and check that --url is its full address`;
  expect(await firstError({ url, ...more })).toBe(reported);
});

test("an unreachable server is reported at startup", async () => {
  const { url, close } = await serverThatRefuses(503);
  await close();
  expect(await firstError({ url })).toMatch(/^the workflow cannot be reached \(ws:.*\): until it can, invites/u);
});

test("an agent that is stopped at once reports nothing", async () => {
  const { url, close } = await serverThatRefuses(403);
  onTestFinished(async () => void (await close()));
  const reported: unknown[] = [];
  const agent = await nemoAgent({ url }, (error) => reported.push(error));
  await agent.close();
  await firstError({ url });
  expect(reported).toEqual([]);
});
