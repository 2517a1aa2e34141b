import { expect, test } from "vitest";
import { createAddressPolicy, targetOf } from "./address-policy.ts";

const https = targetOf(new URL("https://bot.example/"));
const production = createAddressPolicy({ mode: "production" });
const local = createAddressPolicy({ mode: "local" });

// One address inside each special-purpose range, and the edges of the wide ones.
const notPublic = [
  ...[
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
  ],
  ...["169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1"],
  ...["198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1"],
  ...["255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1"],
  ...[
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
  ],
  ...["fe80::1", "fe80::1%lo", "febf::1", "ff02::1", "4000::1", "not an address", ""],
];

test.each(notPublic)("%j is not a public address", (address) => {
  expect(production(https, address)).toMatch(/is not a public address$/u);
});

test.each([
  ...[
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
  ],
  ...["172.15.255.255", "172.32.0.0", "192.167.255.255", "198.17.255.255", "198.20.0.0", "223.255.255.255"],
  ...["2606:4700::1111", "2a00:1450:4001::1"],
])("%s is a public address", (address) => {
  expect(production(https, address)).toBeUndefined();
  expect(local(https, address)).toBeUndefined();
});

test("public addresses are dialled only by https on port 443", () => {
  expect(production(targetOf(new URL("http://bot.example/")), "8.8.8.8")).toMatch(/only https/u);
  expect(production(targetOf(new URL("https://bot.example:8443/")), "8.8.8.8")).toMatch(/port 8443/u);
  expect(production(targetOf(new URL("wss://bot.example/")), "8.8.8.8")).toBeUndefined();
});

test("local mode adds loopback, any port, and nothing else", () => {
  const target = targetOf(new URL("http://localhost:1234/"));
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) {
    expect(local(target, address)).toBeUndefined();
    expect(production(target, address)).toBeDefined();
  }
  for (const address of ["0.0.0.0", "10.0.0.1", "169.254.169.254", "::", "fe80::1"]) {
    expect(local(target, address)).toBeDefined();
  }
});

test("a listed host may have any address, on its default port or the listed one", () => {
  const judge = createAddressPolicy({
    mode: "production",
    allowHosts: ["Agents.Internal", "other.internal:8080", "[fd00::1]:81"],
  });
  const allowed = [
    "http://agents.internal/",
    "https://agents.internal./",
    "http://other.internal:8080",
    "http://[fd00::1]:81",
  ];
  for (const url of allowed) expect(judge(targetOf(new URL(url)), "10.0.0.1")).toBeUndefined();
  for (const url of ["http://agents.internal:8080/", "http://other.internal/", "http://x.agents.internal/"]) {
    expect(judge(targetOf(new URL(url)), "10.0.0.1")).toBeDefined();
  }
});

test("a listed range may be dialled on any port", () => {
  const judge = createAddressPolicy({ mode: "production", allowCidrs: ["10.1.0.0/16", "fd00::/8"] });
  const target = targetOf(new URL("http://agents.internal:8080/"));
  expect(judge(target, "10.1.2.3")).toBeUndefined();
  expect(judge(target, "fd12::1")).toBeUndefined();
  expect(judge(target, "10.2.2.3")).toBeDefined();
});

test("an invalid range throws", () => {
  for (const cidr of ["10.0.0.0", "agents.internal/8", "10.0.0.0/x"]) {
    expect(() => createAddressPolicy({ mode: "local", allowCidrs: [cidr] })).toThrow(/is not a range/u);
  }
});
