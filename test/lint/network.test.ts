// D32: the dialler is the only way out, and the linter enforces it. Runs its real configuration on sample sources.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

const forbidden = [
  ...['import { fetch as call } from "undici"', 'import * as undici from "undici"', 'import "undici/index.js"'],
  ...['import type { Agent } from "undici"', 'export { request } from "undici"', 'await import("undici")'],
  ...['import { request } from "node:http"', 'import { get as ask } from "node:http"', 'import http from "node:http"'],
  ...['import * as http from "node:http"', 'import { createServer, request } from "node:http"', 'import "node:http"'],
  ...['import { Agent } from "node:http"', 'import { ClientRequest } from "node:http"', 'export * from "node:http"'],
  ...['const { request } = await import("node:http")', 'const http = require("node:http")', 'import http from "http"'],
  ...[
    'import { request } from "node:https"',
    'import { get } from "node:https"',
    'import * as https from "node:https"',
  ],
  ...['import { connect } from "node:http2"', 'import { connect } from "node:net"', 'import net from "node:net"'],
  ...[
    'import { createConnection } from "node:net"',
    'import { Socket } from "node:net"',
    'import * as net from "node:net"',
  ],
  ...[
    'import { isIP, Socket as Wire } from "node:net"',
    'export { Socket } from "node:net"',
    'import { connect } from "net"',
  ],
  ...['import { connect } from "node:tls"', 'import { TLSSocket } from "node:tls"', 'import * as tls from "node:tls"'],
  ...[
    'import { lookup } from "node:dns"',
    'import { lookup } from "node:dns/promises"',
    'import dns from "dns/promises"',
  ],
  ...['import { createSocket } from "node:dgram"', 'import { createRequire } from "node:module"'],
  ...[
    'import { WebSocket } from "ws"',
    'import WebSocket from "ws"',
    'import * as ws from "ws"',
    'const { WebSocket } = await import("ws")',
  ],
  ...['import { WebSocket as Client } from "ws"', 'import { WebSocketServer, WebSocket } from "ws"'],
  ...["import { WebSocket } from 'ws'", 'import { default as Client } from "ws"', 'export { WebSocket } from "ws"'],
  ...[
    'const { Socket } = await import("node:net")',
    'import { createWebSocketStream } from "ws"',
    'import WebSocket from "ws/lib/websocket.js"',
  ],
  ...['await fetch("https://bot.example")', "const call = fetch", 'globalThis.fetch("https://bot.example")'],
  ...['globalThis["fetch"]("https://bot.example")', "const { fetch: call } = globalThis", "global.fetch"],
  ...['new WebSocket("wss://bot.example")', "globalThis.WebSocket", 'new EventSource("https://bot.example")'],
  ...["globalThis.EventSource", "new XMLHttpRequest()", 'process.getBuiltinModule("node:http")'],
];

const allowed = [
  ...[
    'import { createServer } from "node:http"',
    'import { createServer } from "node:net"',
    'import { isIP } from "node:net"',
  ],
  ...['import { createServer, type IncomingMessage, type ServerResponse } from "node:http"'],
  ...[
    'import type { IncomingHttpHeaders, RequestListener } from "node:http"',
    'import { createServer } from "node:https"',
  ],
  ...[
    'import type { AddressInfo, LookupFunction, Socket } from "node:net"',
    'import { type Socket, BlockList } from "node:net"',
  ],
  ...['import { WebSocketServer } from "ws"', 'import { type WebSocket, WebSocketServer } from "ws"'],
  ...['import type { WebSocket } from "ws"', 'import type { WebSocket as Wire } from "ws"'],
  ...["app.fetch(request)", "const answer = (fetch: () => void) => fetch()", "({ fetch: () => 1 })"],
  ...['import { Readable } from "node:stream"', "globalThis.crypto"],
];

let folder: string;
let refused: Set<string>;

const fileOf = (kind: string, index: number) => `packages/sample/src/${kind}-${index}.ts`;
const elsewhere = [
  "packages/sdk/src/dialler.ts",
  "packages/sample/src/some.test.ts",
  "packages/sample/src/testing/far-end.ts",
];

function write(path: string, source: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), `${source};\n`);
}

/** The files in which the linter found an error by a rule about the network. */
function lint(): Set<string> {
  const tool = join(root, "node_modules/@biomejs/biome/bin/biome");
  const options = ["lint", "--vcs-enabled=false", "--max-diagnostics=none", "--reporter=json", "packages"];
  const { stdout } = spawnSync(process.execPath, [tool, ...options], { cwd: folder, encoding: "utf8" });
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { category: string; severity: string; location: { path: string } }[];
  };
  const rules = /^plugin$|\/(?:noRestrictedImports|noRestrictedGlobals|noJsRestrictedProperties)$/u;
  const found = diagnostics.filter(({ category, severity }) => severity === "error" && rules.test(category));
  return new Set(found.map(({ location }) => location.path));
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-network-"));
  for (const path of ["biome.json", "scripts/no-client-sockets.grit"]) cpSync(join(root, path), join(folder, path));
  for (const [index, source] of forbidden.entries()) write(fileOf("forbidden", index), source);
  for (const [index, source] of allowed.entries()) write(fileOf("allowed", index), source);
  for (const path of elsewhere) write(path, forbidden.filter((source) => source.startsWith("import {")).join(";\n"));
  refused = lint();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(forbidden.map((source, index) => ({ source, index })))("the linter refuses $source", ({ index }) => {
  expect(refused).toContain(fileOf("forbidden", index));
});

test.each(allowed.map((source, index) => ({ source, index })))("the linter accepts $source", ({ index }) => {
  expect(refused).not.toContain(fileOf("allowed", index));
});

test.each(elsewhere)("the linter lets %s call others", (path) => {
  expect(refused).not.toContain(path);
});
