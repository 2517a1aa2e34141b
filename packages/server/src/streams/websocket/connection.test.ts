import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { defaultStreamLimits, type StreamLimits } from "../../limits.ts";
import { collectGarbage } from "../../testing/collect-garbage.ts";
import { SharedDocument } from "../shared-document.ts";
import { SocketConnection } from "./connection.ts";

/** Both ends of one socket. */
async function socketPair(limits: Partial<StreamLimits> = {}, options: { autoPong?: boolean } = {}) {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  let cuts = 0;
  const metrics = { slowReaderCut: () => (cuts += 1) } as unknown as ConstructorParameters<
    typeof SocketConnection
  >[3]["metrics"];
  const upgraded = new Promise<{ connection: SocketConnection; ws: WebSocket }>((resolve) => {
    http.on("upgrade", (request: IncomingMessage, raw: Duplex, head: Buffer) => {
      sockets.handleUpgrade(request, raw, head, (ws) => {
        resolve({
          ws,
          connection: new SocketConnection(ws, raw, { ...defaultStreamLimits, ...limits }, { metrics }),
        });
      });
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`, options);
  const texts: string[] = [];
  client.on("message", (bytes) => texts.push(String(bytes)));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    client.on("close", (code, reason) => resolve({ code, reason: String(reason) }));
  });
  onTestFinished(() => {
    client.terminate();
    sockets.close();
    http.close();
  });
  await once(client, "open");
  return { ...(await upgraded), client, texts, closed, cuts: () => cuts };
}

const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000];

test("texts of every length arrive complete and in order, by `tell`, `send` or `event`", async () => {
  const { connection, texts, closed } = await socketPair();
  const expected: string[] = [];
  for (const length of lengths) {
    const text = "x".repeat(length);
    connection.send(text);
    connection.event(new SharedDocument({ a: text }), 1);
    connection.event(new SharedDocument({ b: text }), "here");
    connection.send("é".repeat(length));
    connection.send(`sent ${length}`);
    expected.push(text, `{"a":"${text}"}`, `{"b":"${text}","id":"here"}`, "é".repeat(length), `sent ${length}`);
  }
  connection.close(1000, "done");
  await closed;
  expect(texts.map((text) => text.length)).toEqual(expected.map((text) => text.length));
  expect(texts).toEqual(expected);
});

test("a document is encoded once for all connections", async () => {
  const [one, other] = [await socketPair(), await socketPair()];
  let encoded = 0;
  const toJSON = () => {
    encoded += 1;
    return { entry: 1 };
  };
  const document = new SharedDocument({ toJSON });
  for (const { connection } of [one, other, other]) connection.event(document, 1);
  await expect.poll(() => other.texts).toEqual(['{"entry":1}', '{"entry":1}']);
  await expect.poll(() => one.texts).toEqual(['{"entry":1}']);
  expect(encoded).toBe(1);
});

test("frames that were sent are not kept", async () => {
  const { connection, texts } = await socketPair();
  const sendTwo = () => {
    const document = new SharedDocument({ entry: 1 });
    connection.event(document, 1);
    connection.event(new SharedDocument({ entry: 2 }), 2);
    return new WeakRef(document.frame ?? {});
  };
  const frame = sendTwo();
  await expect.poll(() => texts.length).toBe(2);
  await collectGarbage();
  expect(frame.deref() === undefined).toBe(true);
});

test("a frame queued before the close is sent", async () => {
  const { connection, texts, closed } = await socketPair();
  connection.send("last words");
  connection.close(4001, "over");
  connection.send("too late");
  expect(await closed).toEqual({ code: 4001, reason: "over" });
  expect(texts).toEqual(["last words"]);
});

test("a disconnected slow client gets the frames queued before", async () => {
  const { connection, texts, closed, cuts } = await socketPair({ bufferedBytesMax: 100 });
  connection.send("one");
  connection.send("x".repeat(200));
  connection.send("never");
  expect((await closed).code).toBe(4008);
  expect(texts).toEqual(["one", "x".repeat(200)]);
  expect(cuts()).toBe(1);
});

test("only a pong with the number of a ping confirms the frames before it", async () => {
  const { connection, ws, texts, client } = await socketPair({}, { autoPong: false });
  const reached: string[] = [];
  const tell = async (text: string) => {
    connection.send(text);
    connection.onceReached(() => reached.push(text));
    return String((await once(client, "ping"))[0]);
  };
  const pong = async (mark: string) => {
    client.pong(mark);
    client.send("after it");
    await once(ws, "message");
  };
  const first = await tell("one");
  expect(texts).toEqual(["one"]);
  await tell("two");
  for (const mark of ["", "no number", "999"]) await pong(mark);
  expect(reached).toEqual([]);
  await pong(first);
  expect(reached).toEqual(["one"]);
  // One pong confirms all frames before it.
  await tell("three");
  await pong(await tell("four"));
  expect(reached).toEqual(["one", "two", "three", "four"]);
});
