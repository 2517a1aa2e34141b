// The built page, for a floor that runs from the sources.
import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { PageFile, PageFiles } from "@plenary/server";

const folder = join(import.meta.dirname, "..", "..", "packages", "web", "dist");
const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

export function builtPage(): PageFiles {
  if (!existsSync(join(folder, "index.html"))) throw new Error("the page was not built: npm run build");
  const inFolders = ["assets", "api-reference"].flatMap((sub) =>
    readdirSync(join(folder, sub)).map((name) => `${sub}/${name}`),
  );
  const files = new Map(["index.html", "favicon.svg", "widget.js", ...inFolders].map((path) => [path, fileAt(path)]));
  return { file: (path) => files.get(path) };
}

function fileAt(path: string): PageFile {
  const bytes = readFileSync(join(folder, path));
  const type = types[extname(path)] ?? "application/octet-stream";
  const etag = `"${hash("sha256", bytes, "base64url")}"`;
  return { bytes, type, etag, isImmutable: path.startsWith("assets/"), gzip: gzipSync(bytes) };
}
