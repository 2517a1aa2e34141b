import { expect, test } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { addressKey, addressOf, isLocal, isLoopback } from "./client-address.ts";
import { assertHostAndOrigin, type OriginPolicy, oncePerOrigin } from "./origin-check.ts";

const policy: OriginPolicy = { proxies: 0, allowHosts: ["floor.example"], allowOrigins: ["https://page.example"] };

function refusal(run: () => void): string {
  try {
    run();
    return "admitted";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("only allowed hosts are accepted", () => {
  const at = (host: string) => refusal(() => assertHostAndOrigin(new Headers({ host }), policy));
  for (const host of [
    "localhost",
    "localhost:7536",
    "127.0.0.1:1",
    "[::1]:7536",
    "floor.example",
    "FLOOR.example:443",
  ]) {
    expect([host, at(host)]).toEqual([host, "admitted"]);
  }
  for (const host of [
    "",
    "evil.example",
    "localhost.evil.example",
    "floor.example:99999",
    "127.0.0.1.evil.example",
    "a b",
    "x@localhost",
    "localhost/",
  ]) {
    expect([host, at(host)]).toEqual([host, "forbidden-host"]);
  }
});

test("only the own origin and allowed origins are accepted", () => {
  const from = (origin: string) =>
    refusal(() => assertHostAndOrigin(new Headers({ host: "localhost:1", origin }), policy));
  for (const origin of ["http://localhost:1", "https://page.example"]) expect(from(origin)).toBe("admitted");
  for (const origin of ["null", "http://localhost:2", "https://evil.example", "https://page.example.evil.example"]) {
    expect([origin, from(origin)]).toEqual([origin, "forbidden-origin"]);
  }
});

test("behind a TLS proxy the own origin is the https origin", () => {
  const from = (origin: string) =>
    refusal(() => assertHostAndOrigin(new Headers({ host: "floor.example", origin }), policy));
  for (const origin of ["http://floor.example", "https://floor.example"]) expect(from(origin)).toBe("admitted");
  expect(from("https://floor.example:8443")).toBe("forbidden-origin");
});

test.each<[number, string | undefined, string]>([
  [0, "192.0.2.1", "203.0.113.9"],
  [1, "192.0.2.66, 192.0.2.1", "192.0.2.1"],
  [2, "192.0.2.66, 192.0.2.1 ,198.51.100.1", "192.0.2.1"],
  [2, "192.0.2.1", "192.0.2.1"],
  [1, "192.0.2.66,192.0.2.1,,", "192.0.2.1"],
  [1, undefined, "203.0.113.9"],
])("behind %i own proxies, X-Forwarded-For: %s gives the client %s", (proxies, header, address) => {
  const incoming = { socket: { remoteAddress: "203.0.113.9" }, headers: { "x-forwarded-for": header } };
  expect(addressOf(incoming, { ...policy, proxies })).toBe(address);
});

test("loopback addresses are recognized", () => {
  for (const host of ["127.0.0.1", "127.1.2.3", "::1", "localhost"]) expect(isLoopback(host)).toBe(true);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.example"]) expect(isLoopback(host)).toBe(false);
});

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["192.0.2.7:4711", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::FFFF:c000:207", "192.0.2.7"],
  ["[::ffff:192.0.2.7]:4711", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64"],
  ["[2001:db8:1:2::9]:4711", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["unknown", "unknown"],
  ["here", "here"],
  ["1.2.3.4.5", "1.2.3.4.5"],
  [":::", ":::"],
  ["x".repeat(1_000), "x".repeat(64)],
  ["2001::ffff:102:304", "2001:0:0:0::/64"],
  ["0:0:0:1::ffff:102:304", "0:0:0:1::/64"],
  ["2001::5:6:7:8:9", "2001:0:0:5::/64"],
])("the caller at %s is counted as %s", (address, key) => {
  expect(addressKey(address)).toBe(key);
});

test("the origin of a refused page is reported once a minute, if it can be allowed", async () => {
  const named: string[] = [];
  const clock = createFakeClock();
  const onForeignOrigin = oncePerOrigin((origin) => named.push(origin), clock);
  const from = (origin: string) =>
    refusal(() => assertHostAndOrigin(new Headers({ host: "localhost", origin }), { ...policy, onForeignOrigin }));
  for (const origin of [
    "http://localhost:3000",
    "http://localhost:3000",
    "null",
    "no origin\u00e4",
    "http://x.example/y",
  ]) {
    expect(from(origin)).toBe("forbidden-origin");
  }
  expect(from("https://page.example")).toBe("admitted");
  for (let port = 4_000; port < 4_100; port += 1) from(`http://localhost:${port}`);
  expect(named.slice(0, 2)).toEqual(["http://localhost:3000", "http://localhost:4000"]);
  expect(named).toHaveLength(16);
  await clock.advance(59_999);
  from("http://localhost:3000");
  expect(named).toHaveLength(16);
  await clock.advance(1);
  from("http://localhost:3000");
  from("http://localhost:3000");
  expect(named.slice(16)).toEqual(["http://localhost:3000"]);
});

test("a caller is local only if every header and address says so", () => {
  type Signs = { url: string; proxies: number; isListening: boolean; headers: Record<string, string>; address: string };
  const judged = (change: Partial<Signs>) => {
    const here = { url: "http://127.0.0.1:7536", proxies: 0, isListening: true, address: "127.0.0.1" };
    const { url, proxies, isListening, headers = {}, address } = { ...here, ...change };
    const floor = { url, originPolicy: { proxies }, isOnLoopback: isListening };
    return isLocal(floor, { headers: new Headers({ host: "localhost:7536", ...headers }), address });
  };
  for (const change of [
    {},
    { address: "::ffff:127.0.0.1" },
    { address: "::1" },
    { address: "" },
    { headers: { host: "[::1]:7536" } },
    { headers: { "x-forwarded-for": "127.0.0.1, ::1", "x-forwarded-host": "localhost" } },
  ]) {
    expect([change, judged(change)]).toEqual([change, true]);
  }
  for (const change of [
    { url: "https://floor.example" },
    { proxies: 1 },
    { isListening: false },
    { address: "192.0.2.1" },
    { headers: { host: "floor.example" } },
    { headers: { host: "" } },
    { headers: { "x-forwarded-host": "localhost, floor.example" } },
    { headers: { "x-forwarded-for": "127.0.0.1, 192.0.2.1" } },
    { headers: { "x-real-ip": "192.0.2.1" } },
    ...["forwarded", "via", "cf-connecting-ip", "true-client-ip"].map((name) => ({ headers: { [name]: "x" } })),
  ]) {
    expect([change, judged(change)]).toEqual([change, false]);
  }
});
