// A small body of a known length is collected and given out in one piece; every other body is a stream.
import { afterEach, expect, test } from "vitest";
import { createDialler } from "../dialler.ts";
import { createFarEnds, rawAnswer } from "../testing/far-ends.ts";
import type { DialLimits, DialResponse } from "./dial.ts";

const farEnds = createFarEnds();
afterEach(() => farEnds.close());

const diallerWith = (limits: Partial<DialLimits> = {}) => createDialler({ mode: "local", limits });

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const wholeIn = ({ whole }: DialResponse) => whole && Buffer.from(whole).toString();

test("a small body with a length is given out whole, and its iteration gives the same bytes each time", async () => {
  const url = await farEnds.http((_request, response) => response.end("hello"));
  const answer = await diallerWith().dial({ url });
  expect([answer.status, wholeIn(answer)]).toEqual([200, "hello"]);
  expect([await textOf(answer.body), await textOf(answer.body)]).toEqual(["hello", "hello"]);
});

test("64 KiB are given out whole, and one byte more is a stream", async () => {
  const url = await farEnds.http((request, response) => response.end("x".repeat(Number(request.url?.slice(1)))));
  const dialler = diallerWith();
  const small = await dialler.dial({ url: `${url}65536` });
  expect([small.whole?.length, (await textOf(small.body)).length]).toEqual([65_536, 65_536]);
  const large = await dialler.dial({ url: `${url}65537` });
  expect([large.whole, (await textOf(large.body)).length]).toEqual([undefined, 65_537]);
});

test("a body that arrives in parts is put together", async () => {
  const url = await farEnds.tcp((socket) => {
    socket.write(rawAnswer(["Content-Length: 11"], "hello"));
    setImmediate(() => socket.write(" world"));
  });
  const answer = await diallerWith().dial({ url });
  expect([wholeIn(answer), await textOf(answer.body)]).toEqual(["hello world", "hello world"]);
});

test("a body without a length, an event stream and a failure are streams", async () => {
  const url = await farEnds.http((request, response) => {
    const [, status = "200", type = "text/plain"] = request.url?.split("/") ?? [];
    const body = "data: x\n\n";
    const length = status === "200" && type === "plain" ? {} : { "content-length": body.length };
    response.writeHead(Number(status), { "content-type": `text/${type}; charset=utf-8`, ...length });
    response.write(body);
    response.end();
  });
  for (const path of ["200/plain", "200/event-stream", "400/plain", "404/plain", "500/plain", "503/event-stream"]) {
    const { status, whole, body } = await diallerWith().dial({ url: `${url}${path}` });
    expect([path, status, whole]).toEqual([path, Number(path.slice(0, 3)), undefined]);
    expect(await textOf(body)).toBe("data: x\n\n");
  }
});

test("the status of a failure is given out before its body", async () => {
  const url = await farEnds.tcp((socket) => {
    socket.write(rawAnswer(["Content-Length: 100"], "half", "500 Internal Server Error"));
  });
  const { status, body } = await diallerWith({ silenceMs: 20 }).dial({ url });
  expect(status).toBe(500);
  await expect(textOf(body)).rejects.toMatchObject({ code: "timeout" });
});

test("empty bodies: length 0, 204 and HEAD", async () => {
  const url = await farEnds.http((request, response) => {
    if (request.url === "/204") response.writeHead(204).end();
    else response.writeHead(200, { "content-length": request.method === "HEAD" ? 500 : 0 }).end();
  });
  const dialler = diallerWith();
  const [empty, none, head] = [
    await dialler.dial({ url }),
    await dialler.dial({ url: `${url}204` }),
    await dialler.dial({ url, method: "HEAD" }),
  ];
  expect([empty.whole?.length, none.whole, head.whole?.length]).toEqual([0, undefined, 0]);
  expect([none.status, head.headers.get("content-length")]).toEqual([204, "500"]);
  for (const { body } of [empty, none, head]) expect(await textOf(body)).toBe("");
});

test("a server that closes before the announced length breaks the dial", async () => {
  const url = await farEnds.tcp((socket) => socket.end(rawAnswer(["Content-Length: 10"], "half")));
  await expect(diallerWith().dial({ url, body: "{}" })).rejects.toMatchObject({
    code: "broken",
    isSent: true,
    retryable: false,
  });
});

test("a server that stalls before the announced length times out, and its connection is closed", async () => {
  const url = await farEnds.tcp((socket) => socket.write(rawAnswer(["Content-Length: 10"], "half")));
  await expect(diallerWith({ silenceMs: 20 }).dial({ url })).rejects.toMatchObject({
    code: "timeout",
    problem: "the next part of the response took more than 20 ms",
    isSent: true,
  });
  await expect.poll(farEnds.connections).toBe(0);
});

test("parts that keep coming end at the total timeout", async () => {
  const url = await farEnds.tcp((socket) => {
    socket.write(rawAnswer(["Content-Length: 60000"]));
    const timer = setInterval(() => socket.write("."), 2);
    socket.on("close", () => clearInterval(timer));
  });
  await expect(diallerWith().dial({ url, totalMs: 60 })).rejects.toMatchObject({
    code: "timeout",
    problem: expect.stringContaining("whole"),
  });
});

test("bytes after the announced length are neither part of the body nor the answer to the next request", async () => {
  const smuggled = rawAnswer(["Content-Length: 4"], "evil");
  const url = await farEnds.tcp((socket, request) => {
    if (request.startsWith("GET /first")) socket.write(rawAnswer(["Content-Length: 2"], `ok${smuggled}`));
    else socket.write(rawAnswer(["Content-Length: 4"], "good"));
  });
  const dialler = diallerWith();
  expect(wholeIn(await dialler.dial({ url: `${url}first`, method: "GET" }))).toBe("ok");
  expect(wholeIn(await dialler.dial({ url: `${url}second`, method: "GET" }))).toBe("good");
});

test("a lying or repeated length gives an error and never a body", async () => {
  for (const headers of [["Content-Length: 5", "Content-Length: 2"], ["Content-Length: -1"], ["Content-Length: 1e1"]]) {
    const url = await farEnds.tcp((socket) => socket.end(rawAnswer(headers, "hello")));
    await expect(diallerWith().dial({ url })).rejects.toMatchObject({ code: "broken", isSent: true });
  }
});

test("abort in the middle of a small body rejects the dial and closes the connection", async () => {
  let onHalf = () => {};
  const half = new Promise<void>((resolve) => {
    onHalf = resolve;
  });
  const url = await farEnds.tcp((socket) => socket.write(rawAnswer(["Content-Length: 10"], "half"), onHalf));
  const controller = new AbortController();
  const dial = diallerWith().dial({ url, signal: controller.signal });
  await half;
  controller.abort();
  await expect(dial).rejects.toMatchObject({ code: "aborted", isSent: true, retryable: false });
  await expect.poll(farEnds.connections).toBe(0);
});

test("answerBytesMax is the limit of a small body, too", async () => {
  const url = await farEnds.http((request, response) => response.end("x".repeat(Number(request.url?.slice(1)))));
  const dialler = diallerWith({ answerBytesMax: 100 });
  expect((await dialler.dial({ url: `${url}100` })).whole?.length).toBe(100);
  await expect(dialler.dial({ url: `${url}101` })).rejects.toMatchObject({ code: "too-large", isSent: true });
});

test("the connections of whole bodies are used again", async () => {
  const ports = new Set<number | undefined>();
  const url = await farEnds.http((request, response) => {
    ports.add(request.socket.remotePort);
    response.end("ok");
  });
  const dialler = diallerWith();
  for (let count = 0; count < 10; count += 1) expect(wholeIn(await dialler.dial({ url }))).toBe("ok");
  // A dial that follows at once finds the first connection not yet free.
  expect(ports.size).toBeLessThanOrEqual(2);
});
