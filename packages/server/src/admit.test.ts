import { expect, test } from "vitest";
import { assertPlace, type Door, isLoopback } from "./admit.ts";

const door: Door = { proxies: 0, allowHosts: ["floor.example"], allowOrigins: ["https://page.example"] };

function refusal(run: () => void): string {
  try {
    run();
    return "admitted";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("only names of this floor are answered to", () => {
  const at = (host: string) => refusal(() => assertPlace(new Headers({ host }), door));
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
    "127.0.0.1.evil.example",
    "a b",
    "x@localhost",
    "localhost/",
  ]) {
    expect([host, at(host)]).toEqual([host, "forbidden-host"]);
  }
});

test("only pages of our own origin, or allowed ones, are answered", () => {
  const from = (origin: string) => refusal(() => assertPlace(new Headers({ host: "localhost:1", origin }), door));
  for (const origin of ["http://localhost:1", "https://page.example"]) expect(from(origin)).toBe("admitted");
  for (const origin of ["null", "http://localhost:2", "https://evil.example", "https://page.example.evil.example"]) {
    expect([origin, from(origin)]).toEqual([origin, "forbidden-origin"]);
  }
});

test("loopback is told from everything else", () => {
  for (const host of ["127.0.0.1", "127.1.2.3", "::1", "localhost"]) expect(isLoopback(host)).toBe(true);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.example"]) expect(isLoopback(host)).toBe(false);
});
