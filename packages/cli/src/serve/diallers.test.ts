import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createDialler, dialLimits } from "@plenary/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createIdentityDial } from "./diallers.ts";

const answers: Record<string, RequestListener> = {
  "/echo": async (request, response) => {
    const { method, headers } = request;
    response.writeHead(201, { "content-type": "application/json" });
    response.end(JSON.stringify({ method, kind: headers["content-type"], body: await text(request) }));
  },
  "/nothing": (_request, response) => response.writeHead(204).end(),
  "/elsewhere": (_request, response) => response.writeHead(302, { location: "/nothing" }).end(),
  "/endless": (_request, response) => response.end(Buffer.alloc(dialLimits.answerBytesMax + 1)),
};

let issuer: Server;
let url = "";
beforeEach(async () => {
  issuer = createServer((request, response) => answers[request.url ?? ""]?.(request, response)).listen(0, "127.0.0.1");
  await once(issuer, "listening");
  url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
});
afterEach(async () => {
  issuer.closeAllConnections();
  issuer.close();
  await once(issuer, "close");
});

async function ask(path: string, allowHosts: readonly string[] = [new URL(url).host]) {
  const dialler = createDialler({ mode: "production", allowHosts });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  try {
    return await createIdentityDial(dialler)(`${url}${path}`, { method: "POST", headers, body: "code=1" });
  } finally {
    await dialler.close();
  }
}

test("an issuer gets the request unchanged, and its answer is a Response", async () => {
  const response = await ask("/echo");
  expect(response.status).toBe(201);
  expect(response.headers.get("content-type")).toBe("application/json");
  const kind = "application/x-www-form-urlencoded";
  expect(await response.json()).toEqual({ method: "POST", kind, body: "code=1" });
});

test("a response may have no body", async () => {
  expect((await ask("/nothing")).status).toBe(204);
});

test.each([
  ["a redirect is not followed", "/elsewhere", "redirect"],
  ["an answer without end is not read", "/endless", "too-large"],
])("%s", async (_name, path, code) => {
  await expect(ask(path)).rejects.toMatchObject({ code });
});

test("on this machine only configured issuers are dialled", async () => {
  await expect(ask("/echo", [])).rejects.toMatchObject({ code: "refused-address" });
});
