import { connect } from "node:net";
import { buildConnector } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDiallerOver, type Wire } from "../dialler.ts";
import { type Canaries, openCanaries } from "../testing/canaries.ts";
import { createJudge, targetOf } from "./address-policy.ts";
import { routeTo } from "./checked-lookup.ts";

let canaries: Canaries;

beforeAll(async () => {
  canaries = await openCanaries(["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
});
afterAll(() => canaries.close());

const judge = createJudge({ mode: "local" });
const nobody = async () => [];
const patience = { timeout: 10_000, interval: 5 };

async function connectedTo(host: string) {
  const socket = connect(canaries.port, host);
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return socket;
}

test("a socket that is connected where it was judged may be used, however the address is written", async () => {
  for (const host of ["127.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"]) {
    const { refusalOf } = routeTo(targetOf(new URL(`http://${host}/`)), judge, nobody);
    const socket = await connectedTo("127.0.0.1");
    expect([refusalOf(socket), socket.destroyed]).toEqual([undefined, false]);
    socket.destroy();
  }
});

test("a socket that is connected anywhere else is destroyed, even where dialling would have been fine", async () => {
  const { refusalOf } = routeTo(targetOf(new URL("http://127.0.0.1/")), judge, nobody);
  const socket = await connectedTo("127.0.0.2");
  expect(refusalOf(socket)).toMatchObject({ code: "refused-address", isSent: false, retryable: false });
  expect(socket.destroyed).toBe(true);
});

test("a socket that is connected nowhere any more is refused", async () => {
  const { refusalOf } = routeTo(targetOf(new URL("http://127.0.0.1/")), judge, nobody);
  const socket = await connectedTo("127.0.0.1");
  socket.destroy();
  expect(refusalOf(socket)).toMatchObject({ code: "refused-address" });
});

test("any address that a name was judged by will do, and no other", async () => {
  const resolve = async () => ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
  const { lookup, refusalOf } = routeTo(targetOf(new URL("http://bot.example/")), judge, resolve);
  const early = await connectedTo("127.0.0.1");
  expect(refusalOf(early)).toMatchObject({ code: "refused-address" });
  await new Promise<void>((done) => lookup("bot.example", { all: true }, () => done()));
  for (const host of ["127.0.0.1", "127.0.0.2"]) {
    const socket = await connectedTo(host);
    expect(refusalOf(socket)).toBeUndefined();
    socket.destroy();
  }
  const elsewhere = await connectedTo("127.0.0.3");
  expect(refusalOf(elsewhere)).toMatchObject({ code: "refused-address" });
});

test("the operator's own URLs lead wherever they lead", async () => {
  const { refusalOf } = routeTo(targetOf(new URL("http://0.0.0.0/")), undefined, nobody);
  const socket = await connectedTo("127.0.0.1");
  expect(refusalOf(socket)).toBeUndefined();
  socket.destroy();
});

/** Whatever is judged, the connection comes about with another loopback address. */
const astray: Wire = (options) => {
  const open = buildConnector(options);
  return (target, callback) => open({ ...target, hostname: "127.0.0.2" }, callback);
};

test.each(["http", "https", "ws", "wss"])(
  "%s: nothing is written to an address that was not judged",
  async (scheme) => {
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const dialler = createDiallerOver(astray, { mode: "production", allowCidrs: ["127.0.0.0/8"], resolve });
    const ignore = () => {};
    for (const host of ["127.0.0.1", "bot.example"]) {
      const before = { connections: canaries.connections(), bytes: canaries.bytes() };
      const url = `${scheme}://${host}:${canaries.port}/`;
      const dialling = scheme.startsWith("ws")
        ? dialler.dialSocket({ url, onText: ignore, onClose: ignore })
        : dialler.dial({ url, body: "{}" });
      await expect(dialling).rejects.toMatchObject({
        code: "refused-address",
        isSent: false,
        retryable: false,
        message: expect.stringContaining("127.0.0.2"),
      });
      await expect.poll(() => canaries.connections(), patience).toBe(before.connections + 1);
      await expect.poll(() => canaries.open(), patience).toBe(0);
      expect(canaries.bytes()).toBe(before.bytes);
    }
    await dialler.close();
  },
);

test.each(["https", "wss"])("%s: a handshake is written to an address that was judged", async (scheme) => {
  const dialler = createDiallerOver(buildConnector, { mode: "production", allowCidrs: ["127.0.0.0/8"] });
  const ignore = () => {};
  const before = canaries.bytes();
  const url = `${scheme}://127.0.0.2:${canaries.port}/`;
  const dialling =
    scheme === "wss" ? dialler.dialSocket({ url, onText: ignore, onClose: ignore }) : dialler.dial({ url });
  await expect(dialling).rejects.toMatchObject({ code: "unreachable", isSent: false });
  expect(canaries.bytes()).toBeGreaterThan(before);
  await dialler.close();
});
