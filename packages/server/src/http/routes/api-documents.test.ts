import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { silentLogger } from "../../ports/logger.ts";
import type { PageFile, PageFiles } from "../../ports/page-files.ts";
import { createFloorServer, type FloorServer } from "../../server.ts";
import { createMemoryStore } from "../../store/memory.ts";

const file = (text: string, type: string): PageFile => ({
  bytes: Buffer.from(text),
  type,
  etag: `"${text}"`,
  isImmutable: false,
  gzip: gzipSync(text),
});
const files = new Map([
  ["api-reference/index.html", file("<p>reference", "text/html; charset=utf-8")],
  ["api-reference/reference.js", file("show()", "text/javascript; charset=utf-8")],
  ["index.html", file("<p>page", "text/html; charset=utf-8")],
]);
const page: PageFiles = { file: (path) => files.get(path) };
const dialler = { dial: () => Promise.reject(new Error("no request expected")) };

let server: FloorServer | undefined;
afterEach(() => server?.close());

async function start(ports: { page?: PageFiles } = {}) {
  const given = { store: createMemoryStore(), dialler, logger: silentLogger, ...ports };
  server = await createFloorServer(given, { drainMs: 0, version: "1.2.3", listen: { port: 0 } });
  const { url } = server;
  return { url, get: (path: string, headers = {}) => fetch(`${url}${path}`, { headers }) };
}

test.each(["/openapi.json", "/asyncapi.json"])("%s describes this floor, with an ETag", async (path) => {
  const { url, get } = await start();
  const response = await get(path);
  expect(response.headers.get("content-type")).toBe("application/json");
  const text = await response.text();
  expect(JSON.parse(text).info.version).toBe("1.2.3");
  expect(text).toContain(new URL(url).host);
  const etag = response.headers.get("etag") ?? "";
  expect((await get(path, { "if-none-match": etag })).status).toBe(304);
  expect((await get(path, { "if-none-match": '"other"' })).status).toBe(200);
});

test("a document is compressed for a client that accepts gzip", async () => {
  const { get } = await start();
  const plain = await get("/openapi.json", { "accept-encoding": "identity" });
  const zipped = await get("/openapi.json", { "accept-encoding": "gzip" });
  expect([plain, zipped].map(({ headers }) => headers.get("content-encoding"))).toEqual([null, "gzip"]);
  expect(Number(zipped.headers.get("content-length"))).toBeLessThan(Number(plain.headers.get("content-length")) / 4);
  // fetch decompresses it.
  expect(await zipped.text()).toBe(await plain.text());
});

test("the API reference and its files are served under the policy of the page", async () => {
  const { get } = await start({ page });
  const index = await get("/docs/api");
  expect([index.status, await index.text()]).toEqual([200, "<p>reference"]);
  const policy = index.headers.get("content-security-policy");
  expect(policy).toContain("script-src 'self'; style-src 'self';");
  expect(policy).not.toContain("unsafe");
  expect(await (await get("/docs/api/reference.js")).text()).toBe("show()");
  for (const path of ["/docs/api/none.js", "/docs/api/..%2findex.html"]) {
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  }
});

test("a floor without a reference names /openapi.json", async () => {
  const { get } = await start();
  for (const path of ["/docs/api", "/docs/api/reference.js"]) {
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ fix: expect.stringContaining("/openapi.json") }),
    ]);
  }
});
