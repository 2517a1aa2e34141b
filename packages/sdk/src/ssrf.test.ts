// Every spelling that is known to lead to this machine or its network, dialled in production mode next to listeners that
// count: not one connection may arrive.
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createDialler } from "./dialler.ts";

let servers: Server[];
let port: number;
let connections = 0;

beforeAll(async () => {
  const canary = () =>
    createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
  const listenOn = (host: string, wanted: number) =>
    new Promise<Server>((resolve) => {
      const server = canary();
      // Not every machine has IPv6.
      server.once("error", () => resolve(server));
      server.listen(wanted, host, () => resolve(server));
    });
  const first = await listenOn("127.0.0.1", 0);
  const address = first.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  servers = [first, await listenOn("::1", port), await listenOn("127.0.0.2", port)];
});
afterAll(() => {
  for (const server of servers) server.close();
});
beforeEach(() => {
  connections = 0;
});

const literals = [
  ...["127.0.0.1", "127.0.0.2", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1", "0177.0.0.1"],
  ...[
    "017700000001",
    "0177.0x0.1",
    "127.0.0.1.",
    "127.000.000.001",
    "0000177.0.0.1",
    "0X7F.0X0.0X0.0X1",
    "0",
    "0.0.0.0",
    "0x0",
    "00.0.0.0",
  ],
  ...[
    "①②⑦.0.0.1",
    "１２７.０.０.１",
    "127。0。0。1",
    "127．0．0．1",
    "127%2e0%2e0%2e1",
    "%31%32%37.0.0.1",
    "1​27.0.0.1",
    "127.0.0.1﹒",
  ],
  ...["[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
  ...["[0:0:0:0:0:ffff:127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[fe80::1]"],
  ...[
    "[fd00:ec2::254]",
    "[::ffff:169.254.169.254]",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "0251.0376.0251.0376",
  ],
  ...["169.254.43518", "10.0.0.1", "012.0.0.1", "167772161", "172.16.0.1", "192.168.0.1", "3232235521", "100.64.0.1"],
  ...["100.100.100.200", "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255", "0xffffffff", "240.0.0.1"],
];

test("the corpus has at least sixty spellings", () => {
  expect(new Set(literals).size).toBeGreaterThanOrEqual(60);
});

test.each(literals)("%s is refused before anything is sent", async (host) => {
  const dialler = createDialler({ mode: "production" });
  for (const url of [`https://${host}/`, `http://${host}:${port}/`, `https://${host}:${port}/x?y#z`]) {
    await expect(dialler.dial({ url, body: "{}" })).rejects.toMatchObject({
      code: expect.stringMatching(/^refused-(?:address|url)$/u),
      isSent: false,
      retryable: false,
    });
  }
  for (const url of [`wss://${host}/`, `ws://${host}:${port}/`]) {
    const ignore = () => {};
    await expect(dialler.dialSocket({ url, onText: ignore, onClose: ignore })).rejects.toMatchObject({
      code: expect.stringMatching(/^refused-(?:address|url)$/u),
    });
  }
  expect(connections).toBe(0);
});

test.each(["localhost", "localhost.", "LOCALHOST", "a.localhost", "metadata.google.internal", "rebind.example"])(
  "the name %s is refused when any of its addresses is",
  async (host) => {
    for (const addresses of [["127.0.0.1"], ["::1"], ["8.8.8.8", "127.0.0.1"], ["169.254.169.254", "8.8.8.8"]]) {
      const resolve = async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      const dialler = createDialler({ mode: "production", resolve });
      for (const url of [`https://${host}/`, `http://${host}:${port}/`]) {
        await expect(dialler.dial({ url })).rejects.toMatchObject({ code: "refused-address", isSent: false });
      }
      const onClose = () => {};
      await expect(
        dialler.dialSocket({ url: `ws://${host}:${port}/`, onText: onClose, onClose }),
      ).rejects.toMatchObject({ code: "refused-address" });
    }
    expect(connections).toBe(0);
  },
);

test("a name that changes its address after it was judged is dialled where it was judged", async () => {
  const answers = ["127.0.0.2", "127.0.0.1"];
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    asked.push(hostname);
    return [{ address: answers[asked.length - 1] ?? "127.0.0.1", family: 4 }];
  };
  const dialler = createDialler({ mode: "production", resolve, allowCidrs: ["127.0.0.2/32"] });
  const url = `http://rebind.example:${port}/`;
  await expect(dialler.dial({ url })).rejects.toMatchObject({ code: "broken" });
  expect([asked.length, connections]).toEqual([1, 1]);
  await expect(dialler.dial({ url })).rejects.toMatchObject({ code: "refused-address", isSent: false });
  expect([asked.length, connections]).toEqual([2, 1]);
});

test.each([
  ...[
    "file:///etc/passwd",
    "ftp://bot.example/",
    "gopher://127.0.0.1:70/",
    "data:text/plain,x",
    "javascript:0",
    "blob:x",
  ],
  ...["http:", "//bot.example", "bot.example", "", "https://", "https://user@bot.example/", "https://u:p@127.0.0.1/"],
  ...["https://bot.example@127.0.0.1/", "https://127.0.0.1#@bot.example/", "https://[::1%25lo]/", "ws://bot.example/"],
  ...[
    "https://127.0.0.1\\@bot.example/",
    "https://bot.example:99999/",
    "https://256.256.256.256/",
    "https://0x100000000/",
  ],
])("%j is refused", async (url) => {
  await expect(createDialler({ mode: "production" }).dial({ url })).rejects.toMatchObject({
    code: expect.stringMatching(/^refused-(?:address|url)$/u),
  });
  expect(connections).toBe(0);
});

test("a password in a refused URL is not repeated in the error", async () => {
  const dial = createDialler({ mode: "local" }).dial({ url: "https://u:secret@bot.example/" });
  await expect(dial).rejects.toThrow(/^(?!.*secret)/u);
});
