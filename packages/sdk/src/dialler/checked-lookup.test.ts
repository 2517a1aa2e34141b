import { connect } from "node:net";
import { buildConnector } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConnectorFactory, createDiallerWith } from "../dialler.ts";
import { type Canaries, openCanaries } from "../testing/canaries.ts";
import { createAddressPolicy, targetOf } from "./address-policy.ts";
import { createCheckedRoute } from "./checked-lookup.ts";

let canaries: Canaries;

beforeAll(async () => {
  canaries = await openCanaries(["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
});
afterAll(() => canaries.close());

const policy = createAddressPolicy({ mode: "local" });
const noAddresses = async () => [];
const patience = { timeout: 10_000, interval: 5 };

async function connectedTo(host: string) {
  const socket = connect(canaries.port, host);
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return socket;
}

test("a socket connected to a checked address may be used, in every spelling of the address", async () => {
  for (const host of ["127.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"]) {
    const { refusalOf } = createCheckedRoute(targetOf(new URL(`http://${host}/`)), policy, noAddresses);
    const socket = await connectedTo("127.0.0.1");
    expect([refusalOf(socket), socket.destroyed]).toEqual([undefined, false]);
    socket.destroy();
  }
});

test("a socket connected to another address is destroyed, even if that address is allowed", async () => {
  const { refusalOf } = createCheckedRoute(targetOf(new URL("http://127.0.0.1/")), policy, noAddresses);
  const socket = await connectedTo("127.0.0.2");
  expect(refusalOf(socket)).toMatchObject({ code: "refused-address", isSent: false, retryable: false });
  expect(socket.destroyed).toBe(true);
});

test("a socket without a remote address is refused", async () => {
  const { refusalOf } = createCheckedRoute(targetOf(new URL("http://127.0.0.1/")), policy, noAddresses);
  const socket = await connectedTo("127.0.0.1");
  socket.destroy();
  expect(refusalOf(socket)).toMatchObject({ code: "refused-address" });
});

test("every checked address of a name may be used, and no other", async () => {
  const resolve = async () => ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
  const { lookup, refusalOf } = createCheckedRoute(targetOf(new URL("http://bot.example/")), policy, resolve);
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

test("exempt URLs of the operator may have any address", async () => {
  const { refusalOf } = createCheckedRoute(targetOf(new URL("http://0.0.0.0/")), undefined, noAddresses);
  const socket = await connectedTo("127.0.0.1");
  expect(refusalOf(socket)).toBeUndefined();
  socket.destroy();
});

/** Connects to another loopback address than the checked one. */
const astray: ConnectorFactory = (options) => {
  const open = buildConnector(options);
  return (target, callback) => open({ ...target, hostname: "127.0.0.2" }, callback);
};

test.each(["http", "https", "ws", "wss"])(
  "%s: nothing is written to an address that was not judged",
  async (scheme) => {
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const dialler = createDiallerWith(astray, { mode: "production", allowCidrs: ["127.0.0.0/8"], resolve });
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

test.each(["https", "wss"])("%s: a TLS handshake is sent to a checked address", async (scheme) => {
  const dialler = createDiallerWith(buildConnector, { mode: "production", allowCidrs: ["127.0.0.0/8"] });
  const ignore = () => {};
  const before = canaries.bytes();
  const url = `${scheme}://127.0.0.2:${canaries.port}/`;
  const dialling =
    scheme === "wss" ? dialler.dialSocket({ url, onText: ignore, onClose: ignore }) : dialler.dial({ url });
  await expect(dialling).rejects.toMatchObject({ code: "unreachable", isSent: false });
  expect(canaries.bytes()).toBeGreaterThan(before);
  await dialler.close();
});
