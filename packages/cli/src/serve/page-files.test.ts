import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readPage } from "./page-files.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-page-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const script = "console.log('a page');\n".repeat(20);

function build(): void {
  mkdirSync(join(folder, "assets", "deeper"), { recursive: true });
  mkdirSync(join(folder, "api-reference"));
  writeFileSync(join(folder, "api-reference", "index.html"), "<!doctype html>");
  writeFileSync(join(folder, "index.html"), "<!doctype html>");
  writeFileSync(join(folder, "favicon.svg"), "<svg/>");
  writeFileSync(join(folder, "secret.txt"), "not of the page");
  writeFileSync(join(folder, "assets", "page-1a2b.js"), script);
  writeFileSync(join(folder, "assets", "font.woff2"), script);
  writeFileSync(join(folder, "assets", "what.xyz"), "?");
}

test("each file has a path, a type and a cache lifetime", async () => {
  build();
  const page = await readPage(folder);
  const fileAt = (path: string) => {
    const found = page?.file(path);
    return found && [String(found.bytes), found.type, found.isImmutable];
  };
  expect(fileAt("index.html")).toEqual(["<!doctype html>", "text/html; charset=utf-8", false]);
  expect(fileAt("favicon.svg")).toEqual(["<svg/>", "image/svg+xml", false]);
  expect(fileAt("api-reference/index.html")).toEqual(["<!doctype html>", "text/html; charset=utf-8", false]);
  expect(fileAt("assets/page-1a2b.js")).toEqual([script, "text/javascript; charset=utf-8", true]);
  expect(fileAt("assets/what.xyz")).toEqual(["?", "application/octet-stream", true]);
});

test("files outside the page are not served, however the path is spelt", async () => {
  build();
  const page = await readPage(folder);
  for (const path of ["secret.txt", "assets/../secret.txt", "assets/deeper", "assets/", "", "toString", "__proto__"]) {
    expect([path, page?.file(path)]).toEqual([path, undefined]);
  }
});

test("text is compressed when that makes it smaller; compressed types are not", async () => {
  build();
  const page = await readPage(folder);
  const zipped = page?.file("assets/page-1a2b.js")?.gzip;
  expect(String(gunzipSync(zipped ?? ""))).toBe(script);
  expect(page?.file("favicon.svg")?.gzip).toBeUndefined();
  expect(page?.file("assets/font.woff2")?.gzip).toBeUndefined();
});

test("the ETag depends on the content", async () => {
  build();
  const tag = async (path: string) => (await readPage(folder))?.file(path)?.etag;
  const before = await tag("index.html");
  expect(before).toMatch(/^"[\w-]{43}"$/u);
  expect(await tag("index.html")).toBe(before);
  writeFileSync(join(folder, "index.html"), "<!doctype html> ");
  expect(await tag("index.html")).not.toBe(before);
});

test("files are served from memory after the folder is gone", async () => {
  build();
  const page = await readPage(folder);
  rmSync(join(folder, "index.html"));
  expect(String(page?.file("index.html")?.bytes)).toBe("<!doctype html>");
});

test("without an index there is no page", async () => {
  expect(await readPage(folder)).toBeUndefined();
  expect(await readPage(join(folder, "nowhere"))).toBeUndefined();
});
