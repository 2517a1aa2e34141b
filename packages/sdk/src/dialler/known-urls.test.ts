// The check of a URL is kept, so that the next dial need not repeat it. No dial may get past a check that way.
import { afterEach, expect, test } from "vitest";
import { createDialler, createDiallerWith } from "../dialler.ts";
import { createFarEnds } from "../testing/far-ends.ts";
import { createLoopbackWire } from "../testing/loopback-wire.ts";
import type { PolicyOptions } from "./address-policy.ts";

const farEnds = createFarEnds();
afterEach(() => farEnds.close());

const refused = { code: "refused-address", isSent: false, retryable: false };

test("a refused URL stays refused, and leads to no connection", async () => {
  let connections = 0;
  const url = await farEnds.http((_request, response) => {
    connections += 1;
    response.end();
  });
  const dialler = createDialler({ mode: "production" });
  for (const asked of [url, "http://10.0.0.5/", "https://169.254.169.254/", "https://[::1]/", "https://0x7f000001/"]) {
    for (let time = 0; time < 3; time += 1) {
      await expect(dialler.dial({ url: asked })).rejects.toMatchObject(refused);
      expect(() => dialler.check(asked)).toThrow(expect.objectContaining(refused));
    }
  }
  for (let time = 0; time < 3; time += 1) {
    await expect(dialler.dial({ url: "file:///etc/passwd" })).rejects.toMatchObject({ code: "refused-url" });
    await expect(dialler.dial({ url: "https://a:b@bot.example/" })).rejects.toMatchObject({ code: "refused-url" });
  }
  expect(connections).toBe(0);
});

test("a known URL does not allow another path, port or host", async () => {
  const url = await farEnds.http((request, response) => response.end(request.url));
  const other = await farEnds.http((_request, response) => response.end());
  const dialler = createDialler({ mode: "production", exemptUrls: [`${url}a`] });
  for (let time = 0; time < 2; time += 1) {
    expect((await dialler.dial({ url: `${url}a` })).status).toBe(200);
    await expect(dialler.dial({ url: `${url}a?b` })).rejects.toMatchObject(refused);
    await expect(dialler.dial({ url: `${url}b` })).rejects.toMatchObject(refused);
    await expect(dialler.dial({ url: other })).rejects.toMatchObject(refused);
  }
});

test("a known URL of one dialler is checked by another", async () => {
  const url = await farEnds.http((_request, response) => response.end("ok"));
  expect((await createDialler({ mode: "local" }).dial({ url })).status).toBe(200);
  await expect(createDialler({ mode: "production" }).dial({ url })).rejects.toMatchObject(refused);
});

const policies: [string, PolicyOptions][] = [
  ["allowHosts", { mode: "production", allowHosts: ["bot.example"] }],
  ["allowCidrs", { mode: "production", allowCidrs: ["127.0.0.0/8"] }],
  ["local mode", { mode: "local" }],
];

test.each(policies)(
  "the addresses of a known name are resolved and checked on each connection: %s",
  async (_, policy) => {
    const { wire, dialled } = createLoopbackWire();
    let asked = 0;
    const addresses = ["127.0.0.1", "10.0.0.5", "127.0.0.1"];
    const resolve = async () => {
      asked += 1;
      return [{ address: addresses[asked - 1] ?? "10.0.0.5", family: 4 }];
    };
    const dialler = createDiallerWith(wire, { ...policy, resolve });
    const url = "https://bot.example/";
    const codes: string[] = [];
    for (let time = 0; time < 3; time += 1) {
      await dialler.dial({ url }).catch(({ code }) => codes.push(code));
    }
    expect([asked, codes.length]).toEqual([3, 3]);
    // A listed host may have any address; the others are refused when the name leads elsewhere.
    const isListed = policy.allowHosts !== undefined;
    expect(codes[1] === "refused-address").toBe(!isListed);
    expect(dialled).toEqual(isListed ? addresses : ["127.0.0.1", "127.0.0.1"]);
  },
);

test("more URLs than are kept are all dialled and checked", async () => {
  const paths: (string | undefined)[] = [];
  const url = await farEnds.http((request, response) => {
    paths.push(request.url);
    response.end("ok");
  });
  const allowed = new URL(url).host;
  const dialler = createDialler({ mode: "production", allowHosts: [allowed] });
  const count = 1_100;
  for (let index = 0; index < count; index += 1) {
    expect((await dialler.dial({ url: `${url}${index}` })).status).toBe(200);
    if (index % 100 === 0) await expect(dialler.dial({ url: "http://127.0.0.1:1/" })).rejects.toMatchObject(refused);
  }
  await dialler.dial({ url: `${url}0` });
  expect([paths.length, new Set(paths).size, paths.at(-1)]).toEqual([count + 1, count, "/0"]);
});
