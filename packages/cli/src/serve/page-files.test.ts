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
  writeFileSync(join(folder, "index.html"), "<!doctype html>");
  writeFileSync(join(folder, "favicon.svg"), "<svg/>");
  writeFileSync(join(folder, "secret.txt"), "not of the page");
  writeFileSync(join(folder, "assets", "page-1a2b.js"), script);
  writeFileSync(join(folder, "assets", "font.woff2"), script);
  writeFileSync(join(folder, "assets", "what.xyz"), "?");
}

test("each file is known by its path, with its type and how long it may be kept", async () => {
  build();
  const page = await readPage(folder);
  const told = (path: string) => {
    const found = page?.file(path);
    return found && [String(found.bytes), found.type, found.isImmutable];
  };
  expect(told("index.html")).toEqual(["<!doctype html>", "text/html; charset=utf-8", false]);
  expect(told("favicon.svg")).toEqual(["<svg/>", "image/svg+xml", false]);
  expect(told("assets/page-1a2b.js")).toEqual([script, "text/javascript; charset=utf-8", true]);
  expect(told("assets/what.xyz")).toEqual(["?", "application/octet-stream", true]);
});

test("nothing else can be asked for, however the way to it is spelt", async () => {
  build();
  const page = await readPage(folder);
  for (const path of ["secret.txt", "assets/../secret.txt", "assets/deeper", "assets/", "", "toString", "__proto__"]) {
    expect([path, page?.file(path)]).toEqual([path, undefined]);
  }
});

test("text is zipped where that makes it smaller, and what is packed already is not", async () => {
  build();
  const page = await readPage(folder);
  const zipped = page?.file("assets/page-1a2b.js")?.gzip;
  expect(String(gunzipSync(zipped ?? ""))).toBe(script);
  expect(page?.file("favicon.svg")?.gzip).toBeUndefined();
  expect(page?.file("assets/font.woff2")?.gzip).toBeUndefined();
});

test("a tag says what is in a file: equal for the same, another for anything else", async () => {
  build();
  const tag = async (path: string) => (await readPage(folder))?.file(path)?.etag;
  const before = await tag("index.html");
  expect(before).toMatch(/^"[\w-]{43}"$/u);
  expect(await tag("index.html")).toBe(before);
  writeFileSync(join(folder, "index.html"), "<!doctype html> ");
  expect(await tag("index.html")).not.toBe(before);
});

test("what is read is kept, whatever becomes of the folder", async () => {
  build();
  const page = await readPage(folder);
  rmSync(join(folder, "index.html"));
  expect(String(page?.file("index.html")?.bytes)).toBe("<!doctype html>");
});

test("without an index there is no page", async () => {
  expect(await readPage(folder)).toBeUndefined();
  expect(await readPage(join(folder, "nowhere"))).toBeUndefined();
});
