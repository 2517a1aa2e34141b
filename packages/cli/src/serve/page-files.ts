import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { PageFile, PageFiles } from "@plenary/server";

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".mp3": "audio/mpeg",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/** Other types are compressed already. */
const isText = /^text\/|json|svg|wasm/u;

const zip = promisify(gzip);

/** The built web page; undefined when it was not built. */
export async function builtPage(): Promise<PageFiles | undefined> {
  const index = pageUrl();
  return index === undefined ? undefined : readPage(dirname(fileURLToPath(index)));
}

function pageUrl(): string | undefined {
  try {
    return import.meta.resolve("@plenary/web/page/index.html");
  } catch {
    // The web package is not installed.
    return undefined;
  }
}

/** Reads all files once, so that a rebuild is never served half done. Undefined without index.html. */
export async function readPage(folder: string): Promise<PageFiles | undefined> {
  const paths = ["index.html", "favicon.svg", "widget.js"];
  for (const sub of ["assets", "api-reference"]) {
    paths.push(...(await namesIn(join(folder, sub))).map((name) => `${sub}/${name}`));
  }
  const read = await Promise.all(paths.map(async (path) => [path, await fileAt(folder, path)] as const));
  const files = new Map(read);
  return files.get("index.html") === undefined ? undefined : { file: (path) => files.get(path) };
}

async function namesIn(folder: string): Promise<string[]> {
  const found = await undefinedIfMissing(readdir(folder, { withFileTypes: true }));
  return (found ?? []).filter((one) => one.isFile()).map(({ name }) => name);
}

async function fileAt(folder: string, path: string): Promise<PageFile | undefined> {
  const bytes = await undefinedIfMissing(readFile(join(folder, path)));
  if (bytes === undefined) return undefined;
  const type = types[extname(path).toLowerCase()] ?? "application/octet-stream";
  const zipped = isText.test(type) ? await zip(bytes, { level: 9 }) : undefined;
  return {
    bytes,
    type,
    etag: `"${hash("sha256", bytes, "base64url")}"`,
    isImmutable: path.startsWith("assets/"),
    ...(zipped !== undefined && zipped.length < bytes.length && { gzip: zipped }),
  };
}

async function undefinedIfMissing<Found>(looking: Promise<Found>): Promise<Found | undefined> {
  try {
    return await looking;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}
