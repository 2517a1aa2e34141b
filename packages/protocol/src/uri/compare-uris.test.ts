import { expect, test } from "vitest";
import { canonicalAddress, foldUri, isSameAddress, isSameUri } from "./compare-uris.ts";

test.each([
  ["tag:a,2025:1", "tag:a,2025:1", true],
  ["https://Bot.example", "https://bot.example/", true],
  ["https://bot.example//", "https://bot.example", true],
  ["tag:a,2025:1", "tag:a,2025:12", false],
  ["https://bot.example/a", "https://bot.example", false],
  ["", "/", true],
])("%j and %j are the same URI: %s", (a, b, same) => {
  expect(isSameUri(a, b)).toBe(same);
  expect(isSameUri(b, a)).toBe(same);
  expect(foldUri(a) === foldUri(b)).toBe(same);
  if (same) expect(isSameAddress(a, b)).toBe(true);
});

test.each([
  ["http://localhost:8080/", "http://localhost:8080"],
  ["http://127.0.0.1:8080", "http://localhost:8080"],
  ["http://[::1]:8080/a/", "http://localhost:8080/a"],
  ["http://[0:0:0:0:0:0:0:1]", "http://localhost"],
  ["HTTPS://Bot.Example:443/Agent/", "https://bot.example/agent"],
  ["https://bot.example:80/", "https://bot.example:80"],
  ["http://bot.example:/", "http://bot.example"],
  ["wss://bot.example:443/ws", "wss://bot.example/ws"],
  ["https://bot.example/a/?key=1#part", "https://bot.example/a?key=1"],
  ["https://bot.example/?", "https://bot.example"],
  ["https://bot.example?key=1", "https://bot.example?key=1"],
  ["https://ann@bot.example/", "https://ann@bot.example"],
  ["https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443"],
  ["tag:Bot.example,2025:1", "tag:bot.example,2025:1"],
  ["", ""],
])("the canonical form of %s is %s, and stays unchanged", (url, canonical) => {
  expect(canonicalAddress(url)).toBe(canonical);
  expect(canonicalAddress(canonical)).toBe(canonical);
});

test.each([
  ["http://localhost:8080", "http://127.0.0.1:8081"],
  ["http://localhost", "https://localhost"],
  ["http://localhost", "http://127.0.0.2"],
  ["https://bot.example/a", "https://bot.example/b"],
  ["https://bot.example/?key=1", "https://bot.example/?key=2"],
  ["https://bot.example/", "https://bot.example/?key=1"],
  ["https://bot.example", "https://bot.example.evil.example"],
  // URLs with another host than they seem to have.
  ["http://localhost", "http://localhost@evil.example"],
  ["http://localhost", "http://evil.example@localhost"],
  ["http://localhost", "http://evil.example\\@localhost"],
  ["http://localhost", "http://evil.example#@localhost"],
  ["http://localhost", "http://evil.example?@localhost"],
  ["http://localhost", "http:\\\\localhost"],
])("%s and %s are different addresses", (a, b) => {
  expect(isSameAddress(a, b)).toBe(false);
  expect(isSameAddress(b, a)).toBe(false);
});

test("a long address is compared in linear time", () => {
  const long = `http://${"a".repeat(100_000)}@${"/".repeat(100_000)}`;
  expect(isSameAddress(long, `${long}x`)).toBe(false);
});
