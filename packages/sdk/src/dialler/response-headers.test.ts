import { afterEach, expect, test } from "vitest";
import { createDialler } from "../dialler.ts";
import { createFarEnds, rawAnswer } from "../testing/far-ends.ts";

const farEnds = createFarEnds();
afterEach(() => farEnds.close());

async function headersOf(lines: readonly string[]) {
  const url = await farEnds.tcp((socket) => socket.end(rawAnswer([...lines, "Content-Length: 2"], "ok")));
  return (await createDialler({ mode: "local" }).dial({ url })).headers;
}

test("names are case-insensitive in get and has", async () => {
  const headers = await headersOf(["X-Own: One", "x-EMPTY:"]);
  expect(["x-own", "X-OWN", "X-Own"].map((name) => [headers.get(name), headers.has(name)])).toEqual([
    ["One", true],
    ["One", true],
    ["One", true],
  ]);
  expect([headers.get("x-empty"), headers.has("x-empty")]).toEqual(["", true]);
  expect([headers.get("x-other"), headers.has("x-other")]).toEqual([null, false]);
});

test("names of Object.prototype are headers only when they were sent", async () => {
  const none = await headersOf([]);
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
    expect([name, none.get(name), none.has(name)]).toEqual([name, null, false]);
  }
  const sent = await headersOf(["Constructor: c", "__proto__: p"]);
  expect([sent.get("constructor"), sent.get("__proto__"), sent.has("__proto__")]).toEqual(["c", "p", true]);
});

test("repeated headers are joined by get, and iterated one by one", async () => {
  const headers = await headersOf(["Set-Cookie: a=1; Path=/", "Vary: x", "set-cookie: b=2", "VARY: y"]);
  expect([headers.get("vary"), headers.get("Set-Cookie")]).toEqual(["x, y", "a=1; Path=/, b=2"]);
  expect([...headers]).toEqual([
    ["set-cookie", "a=1; Path=/"],
    ["set-cookie", "b=2"],
    ["vary", "x"],
    ["vary", "y"],
    ["content-length", "2"],
  ]);
});

test("they make a Headers that gives the same", async () => {
  const lines = [
    "Set-Cookie: a=1",
    "Set-Cookie: b=2",
    "X-Own:  spaced\t ",
    "X-Latin: \u00fc",
    "Content-Type: text/plain",
  ];
  const headers = await headersOf(lines);
  const copy = new Headers([...headers]);
  expect(copy.getSetCookie()).toEqual(["a=1", "b=2"]);
  for (const name of ["x-own", "x-latin", "content-type", "content-length", "x-other"]) {
    expect([name, headers.get(name), headers.has(name)]).toEqual([name, copy.get(name), copy.has(name)]);
  }
});

test("a repeated content-type or content-encoding does not break the answer", async () => {
  const typed = await headersOf(["Content-Type: text/plain", "Content-Type: text/html"]);
  expect(typed.get("content-type")).toBe("text/plain, text/html");
  const encoded = await headersOf(["Content-Encoding: identity", "Content-Encoding: identity"]).catch((error) => error);
  expect(encoded).toMatchObject({ code: "encoded" });
});
