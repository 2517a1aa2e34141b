import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "../../ports/logger.ts";
import type { PageFile, PageFiles } from "../../ports/page-files.ts";
import { createFloorServer, type FloorServer } from "../../server.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { acceptsGzip } from "../file-response.ts";

const script = Buffer.from("console.log('the page');".repeat(50));
const files: Record<string, PageFile> = {
  "index.html": { ...plain("<!doctype html><title>Plenary</title>", "text/html; charset=utf-8"), etag: '"index"' },
  "favicon.svg": { ...plain("<svg/>", "image/svg+xml"), etag: '"sign"' },
  "assets/page-1a2b.js": {
    bytes: script,
    type: "text/javascript; charset=utf-8",
    etag: '"script"',
    isImmutable: true,
    gzip: gzipSync(script),
  },
};
const page: PageFiles = { file: (path) => (Object.hasOwn(files, path) ? files[path] : undefined) };

function plain(text: string, type: string): PageFile {
  return { bytes: Buffer.from(text), type, etag: "", isImmutable: false };
}

const dialler = { dial: () => Promise.reject(new Error("no request expected")) };

let server: FloorServer | undefined;
let url = "";

async function start(given: { page?: PageFiles }): Promise<void> {
  const ports = { store: createMemoryStore(), dialler, logger: silentLogger, ...given };
  server = await createFloorServer(ports, { drainMs: 0, listen: { port: 0 } });
  url = server.url;
}

/** The raw response: not decompressed, and without added request headers. */
async function ask(path: string, headers: Record<string, string> = {}, method = "GET") {
  const sent = request(`${url}${path}`, { method, headers, agent: false });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("a floor with a page", () => {
  beforeEach(() => start({ page }));

  test("serves the page at its root, with revalidation and a policy that allows connections to this floor only", async () => {
    const { status, headers, body } = await ask("/");
    expect([status, String(body)]).toEqual([200, "<!doctype html><title>Plenary</title>"]);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-length": String(body.length),
      "cache-control": "no-cache",
      etag: '"index"',
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": "microphone=(self), camera=(), geolocation=()",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(String(headers["content-security-policy"]).split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "media-src 'self' data: blob: https: http:",
      "connect-src 'self'",
      "font-src 'self'",
      "frame-src 'none'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  });

  test("serves the other files, those with a hashed name as immutable", async () => {
    const { headers, body } = await ask("/assets/page-1a2b.js");
    expect(body).toEqual(script);
    expect(headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: expect.stringContaining("Accept-Encoding"),
    });
    expect(headers["content-encoding"]).toBeUndefined();
    expect((await ask("/favicon.svg")).headers["content-type"]).toBe("image/svg+xml");
  });

  test("compresses a file for a client that accepts gzip, with a separate ETag", async () => {
    const { headers, body } = await ask("/assets/page-1a2b.js", { "accept-encoding": "br;q=1, gzip" });
    expect(headers).toMatchObject({
      "content-encoding": "gzip",
      etag: '"script-gzip"',
      "content-length": String(body.length),
    });
    expect(gunzipSync(body)).toEqual(script);
    const bare = await ask("/favicon.svg", { "accept-encoding": "gzip" });
    expect([bare.headers["content-encoding"], String(bare.body)]).toEqual([undefined, "<svg/>"]);
  });

  test("answers 304 for the current ETag, and 200 for another", async () => {
    const status = async (path: string, tag: string, more: Record<string, string> = {}) => {
      const answer = await ask(path, { "if-none-match": tag, ...more });
      return [answer.status, answer.body.length > 0, answer.headers.etag];
    };
    expect(await status("/", '"index"')).toEqual([304, false, '"index"']);
    expect(await status("/", '"old", W/"index"')).toEqual([304, false, '"index"']);
    expect(await status("/", "*")).toEqual([304, false, '"index"']);
    expect(await status("/", '"old"')).toEqual([200, true, '"index"']);
    const script = "/assets/page-1a2b.js";
    expect(await status(script, '"script"', { "accept-encoding": "gzip" })).toEqual([200, true, '"script-gzip"']);
    expect(await status(script, '"script-gzip"', { "accept-encoding": "gzip" })).toEqual([304, false, '"script-gzip"']);
  });

  test("answers HEAD like GET, without the body", async () => {
    const { status, headers, body } = await ask("/", {}, "HEAD");
    expect([status, headers.etag, body.length]).toEqual([200, '"index"', 0]);
  });

  test("serves no other file, in any spelling of the path", async () => {
    for (const path of ["/assets/none.js", "/assets/..%2findex.html", "/assets/%2e%2e/index.html", "/index.html"]) {
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    }
  });
});

test("a floor without a page answers with a text, and may not be framed either", async () => {
  await start({});
  const { status, headers, body } = await ask("/");
  expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=UTF-8"]);
  expect(String(body)).toContain("This floor is running. It has no web page");
  expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect((await ask("/assets/page.js")).status).toBe(404);
  expect((await ask("/favicon.svg")).status).toBe(404);
});

test.each([
  ["gzip", true],
  ["deflate, GZIP;q=0.5", true],
  ["*", true],
  ["br, *;q=0.1", true],
  ["x-gzip", true],
  ["gzip;q=0", false],
  ["gzip;q=0.000, *", false],
  ["gzip ; q=1", true],
  ["*;q=0", false],
  ["br", false],
  ["identity", false],
  ["", false],
])("accept-encoding %j accepts gzip: %j", (header, isTaken) => {
  expect(acceptsGzip(header)).toBe(isTaken);
});
