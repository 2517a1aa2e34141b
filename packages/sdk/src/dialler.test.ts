import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { resolveText } from "./agent/linked-text.ts";
import type { DialLimits } from "./dialler/dial.ts";
import { createDialler } from "./dialler.ts";

const opened: (Server | TcpServer)[] = [];

afterEach(() => {
  for (const server of opened.splice(0)) {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  }
});

async function listening<S extends Server | TcpServer>(server: S): Promise<string> {
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
}

const farEnd = (listener: RequestListener) => listening(createServer(listener));
const diallerWith = (limits: Partial<DialLimits> = {}) => createDialler({ mode: "local", limits });

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test("posts the body and returns status, headers and body", async () => {
  const url = await farEnd((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      response.writeHead(201, { "x-one": "1" });
      response.end(JSON.stringify([request.method, request.url, request.headers["accept-encoding"], body]));
    });
  });
  const headers = { "content-type": "application/json", "accept-encoding": "gzip" };
  const answer = await diallerWith().dial({ url: `${url}a?b=c#d`, body: "{}", headers });
  expect([answer.status, answer.headers.get("X-One")]).toEqual([201, "1"]);
  expect(JSON.parse(await textOf(answer.body))).toEqual(["POST", "/a?b=c", "identity", "{}"]);
});

test.each([301, 302, 303, 307, 308])("a redirect by %i is a failure and is not followed", async (status) => {
  let followed = 0;
  const target = await farEnd((_request, response) => {
    followed += 1;
    response.end();
  });
  const url = await farEnd((_request, response) => response.writeHead(status, { location: target }).end());
  await expect(diallerWith().dial({ url })).rejects.toMatchObject({ code: "redirect", isSent: true, retryable: false });
  expect(followed).toBe(0);
});

test("connection refused: not sent, and retryable", async () => {
  const url = await farEnd(() => {});
  await new Promise((resolve) => opened.pop()?.close(resolve));
  await expect(diallerWith().dial({ url })).rejects.toMatchObject({
    code: "unreachable",
    isSent: false,
    retryable: true,
    message: expect.stringContaining("ECONNREFUSED"),
  });
});

test("a name that does not resolve is unreachable", async () => {
  const resolve = () => Promise.reject(new Error("ENOTFOUND"));
  const dialler = createDialler({ mode: "local", resolve });
  await expect(dialler.dial({ url: "https://bot.example/" })).rejects.toMatchObject({
    code: "unreachable",
    isSent: false,
  });
});

test("a server that does not answer in time may have received the request", async () => {
  const url = await farEnd(() => {});
  const dial = diallerWith().dial({ url, firstByteMs: 20, body: "{}" });
  await expect(dial).rejects.toMatchObject({ code: "timeout", isSent: true, retryable: false });
});

test("a connection timeout means that the request was not sent", async () => {
  const resolve = () => new Promise<never>(() => {});
  const dial = createDialler({ mode: "local", resolve }).dial({ url: "https://bot.example/", connectMs: 20 });
  await expect(dial).rejects.toMatchObject({ code: "timeout", isSent: false, retryable: true });
});

test("silence in the middle of a response is a timeout", async () => {
  const url = await farEnd((_request, response) => response.write("half"));
  const { body } = await diallerWith({ silenceMs: 20 }).dial({ url });
  await expect(textOf(body)).rejects.toMatchObject({ code: "timeout", isSent: true });
});

test("an endless slow response ends at the total timeout", async () => {
  const url = await farEnd((_request, response) => {
    const timer = setInterval(() => response.write("."), 2);
    response.on("close", () => clearInterval(timer));
  });
  const readAll = async () => textOf((await diallerWith().dial({ url, totalMs: 60 })).body);
  await expect(readAll()).rejects.toMatchObject({ code: "timeout", problem: expect.stringContaining("whole") });
});

test("a response with a too large content-length or body is aborted", async () => {
  let sent = 0;
  const endless = await farEnd((_request, response) => {
    const chunk = Buffer.alloc(65_536);
    const write = () => {
      sent += chunk.length;
      // The body ends by itself, so that a missing limit shows as a complete response.
      if (sent >= 20_000_000) response.end();
      else if (!response.destroyed) response.write(chunk, () => setImmediate(write));
    };
    write();
  });
  const { body } = await diallerWith({ answerBytesMax: 100_000 }).dial({ url: endless });
  await expect(textOf(body)).rejects.toMatchObject({ code: "too-large" });
  expect(sent).toBeLessThan(20_000_000);
  const claims = await farEnd((_request, response) =>
    response.writeHead(200, { "content-length": 2_000_000 }).write("x"),
  );
  await expect(diallerWith().dial({ url: claims })).rejects.toMatchObject({ code: "too-large" });
});

test("a response of one mebibyte is read, and one byte more is refused", async () => {
  const url = await farEnd((request, response) => {
    response.flushHeaders();
    response.end(Buffer.alloc(1_048_576 + Number(request.url?.slice(1)), "x"));
  });
  expect(await textOf((await diallerWith().dial({ url: `${url}0` })).body)).toHaveLength(1_048_576);
  const { body } = await diallerWith().dial({ url: `${url}1` });
  await expect(textOf(body)).rejects.toMatchObject({ code: "too-large", isSent: true, retryable: false });
});

test("a compressed response is refused", async () => {
  const url = await farEnd((_request, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("{}")),
  );
  await expect(diallerWith().dial({ url })).rejects.toMatchObject({ code: "encoded" });
});

test("a server that disconnects or sends invalid HTTP gives `broken`, and may have received the request", async () => {
  const hangsUp = await listening(createTcpServer((socket) => socket.once("data", () => socket.destroy())));
  const nonsense = await listening(createTcpServer((socket) => socket.once("data", () => socket.end("hello\r\n\r\n"))));
  for (const url of [hangsUp, nonsense]) {
    await expect(diallerWith().dial({ url, body: "{}" })).rejects.toMatchObject({ code: "broken", isSent: true });
  }
});

test("the caller can abort before, during and after the first byte", async () => {
  const before = AbortSignal.abort();
  const url = await farEnd((request, response) => {
    if (request.url === "/first") response.write("x");
  });
  await expect(diallerWith().dial({ url, signal: before })).rejects.toMatchObject({ code: "aborted", isSent: false });
  const during = new AbortController();
  const waiting = diallerWith().dial({ url, signal: during.signal });
  during.abort();
  await expect(waiting).rejects.toMatchObject({ code: "aborted" });
  const after = new AbortController();
  const { body } = await diallerWith().dial({ url: `${url}first`, signal: after.signal });
  after.abort();
  await expect(textOf(body)).rejects.toMatchObject({ code: "aborted", isSent: true });
});

test("leaving the body early closes the connection", async () => {
  let onClose = () => {};
  const closed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  const url = await farEnd((_request, response) => {
    response.on("close", onClose);
    response.write("first");
  });
  const { body } = await diallerWith().dial({ url });
  for await (const _chunk of body) break;
  await closed;
});

test("production dials loopback only if the operator allows it", async () => {
  const url = await farEnd((_request, response) => response.end("ok"));
  const { host } = new URL(url);
  await expect(createDialler({ mode: "production" }).dial({ url })).rejects.toMatchObject({ code: "refused-address" });
  for (const allowed of [{ exemptUrls: [url] }, { allowHosts: [host] }, { allowCidrs: ["127.0.0.0/8"] }]) {
    const dialler = createDialler({ mode: "production", ...allowed });
    expect(await textOf((await dialler.dial({ url })).body)).toBe("ok");
  }
  const exempt = createDialler({ mode: "production", exemptUrls: [url] });
  await exempt.dial({ url });
  await expect(exempt.dial({ url: `${url}admin` })).rejects.toMatchObject({ code: "refused-address" });
});

test("an exempt origin covers its URLs, and no other port of the same host", async () => {
  const url = await farEnd((request, response) => response.end(request.url));
  const elsewhere = await farEnd((_request, response) => response.end());
  const dialler = createDialler({ mode: "production", exemptOrigins: [url] });
  expect(await textOf((await dialler.dial({ url: `${url}a/b?c=d` })).body)).toBe("/a/b?c=d");
  await expect(dialler.dial({ url: elsewhere })).rejects.toMatchObject({ code: "refused-address" });
  const socket = { onText: () => {}, onClose: () => {} };
  // Allowed by the policy, and then refused by a server without WebSockets.
  const opening = dialler.dialSocket({ url: url.replace("http", "ws"), ...socket });
  await expect(opening).rejects.not.toMatchObject({ code: "refused-address" });
  const refused = dialler.dialSocket({ url: elsewhere.replace("http", "ws"), ...socket });
  await expect(refused).rejects.toMatchObject({ code: "refused-address" });
});

test("localhost is dialled in local mode, on any port", async () => {
  const url = await farEnd((_request, response) => response.end("ok"));
  const { status } = await diallerWith().dial({ url: url.replace("127.0.0.1", "localhost") });
  expect(status).toBe(200);
});

test("loopback is dialled in local mode by its IPv6 address, too", async () => {
  const url = await farEnd((_request, response) => response.end("ok"));
  const mapped = url.replace("127.0.0.1", "[::ffff:127.0.0.1]");
  expect(await textOf((await diallerWith().dial({ url: mapped })).body)).toBe("ok");
});

test("a header with a line break is refused before anything is sent", async () => {
  const url = await farEnd((_request, response) => response.end());
  const dial = diallerWith().dial({ url, headers: { "x-a": "b\r\nx-c: d" } });
  await expect(dial).rejects.toMatchObject({ isSent: false });
});

test("resolveText fetches the text at a valueUrl through the dialler", async () => {
  const url = await farEnd((request, response) => response.writeHead(request.url === "/gone" ? 404 : 200).end("wörld"));
  const dialogEvent = (valueUrl: string) => ({
    id: "de:1",
    speakerUri: "tag:ann.example,2025:1",
    span: { startTime: "2025-01-31T10:05:00Z" },
    features: { text: { mimeType: "text/plain", tokens: [{ value: "hello " }, { valueUrl }, { value: "!" }] } },
  });
  expect(await resolveText(dialogEvent(url), diallerWith())).toBe("hello wörld!");
  await expect(resolveText(dialogEvent(`${url}gone`), diallerWith())).rejects.toThrow(/answered 404/u);
  const production = createDialler({ mode: "production" });
  await expect(resolveText(dialogEvent(url), production)).rejects.toMatchObject({ code: "refused-address" });
});
