import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const gzipBytesMax = 60_000;
const root = fileURLToPath(new URL("..", import.meta.url));

let folder: string;
let bundle: Uint8Array;
let imports: string[];

beforeAll(async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: 'export * from "@plenary/protocol";', resolveDir: root },
    conditions: ["@plenary/source"],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  bundle = outputFiles[0]?.contents ?? new Uint8Array();
  imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  folder = mkdtempSync(join(tmpdir(), "plenary-bundle-"));
  writeFileSync(join(folder, "protocol.mjs"), bundle);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(`the whole protocol package takes a page at most ${gzipBytesMax} bytes`, () => {
  const gzipBytes = gzipSync(bundle).length;
  console.log(`@plenary/protocol in a browser: ${bundle.length} bytes minified, ${gzipBytes} gzipped`);
  expect(gzipBytes).toBeLessThanOrEqual(gzipBytesMax);
});

test("the package imports nothing, least of all from Node", () => {
  expect(imports).toEqual([]);
  expect(Buffer.from(bundle).toString()).not.toMatch(/\bnode:|\brequire\(/u);
});

const envelope = (eventType: string) => ({
  openFloor: {
    schema: { version: "1.1.0" },
    conversation: { id: "conv:1" },
    sender: { speakerUri: "tag:ann.example,2025:1" },
    events: [{ eventType }],
  },
});

const page = `
  import { parseEnvelope } from "./protocol.mjs";
  const attempt = (code) => { try { return code(); } catch (error) { return error.name; } };
  const mint = { now: "2025-01-31T10:05:00Z", newId: () => "new" };
  const read = (document) => {
    const { ok, issues } = parseEnvelope(JSON.stringify(document), mint);
    return { ok, rules: issues.map(({ rule }) => rule) };
  };
  console.log(JSON.stringify({
    generated: attempt(() => new Function("return 1")()),
    good: read(${JSON.stringify(envelope("bye"))}),
    bad: read(${JSON.stringify(envelope("goodbye"))}),
  }));
`;

// A strict Content-Security-Policy forbids code made from strings; this option of Node does the same.
test("the package parses envelopes where code may not be made from strings", () => {
  const file = join(folder, "page.mjs");
  writeFileSync(file, page);
  const options = ["--disallow-code-generation-from-strings", file];
  const result = JSON.parse(execFileSync(process.execPath, options, { encoding: "utf8" }));
  expect(result).toEqual({
    generated: "EvalError",
    good: { ok: true, rules: [] },
    bad: { ok: true, rules: ["event-type-known"] },
  });
});
