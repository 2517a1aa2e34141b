// Passes every answer of the floors in this process to the checker, and appends what is wrong to the file of the run. It changes no answer.
import { appendFileSync } from "node:fs";
import { Server } from "node:http";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const file = process.env.PLENARY_CONTRACT;
const shared = Symbol.for("plenary.contract");
// One per process: test files of one worker may load this module again.
globalThis[shared] ??= install({
  listening: new Map(),
  floors: new WeakSet(),
  isEvery: false,
  checker: undefined,
  waiting: [],
  written: new Set(),
});
const state = globalThis[shared];

/** Checks the answers of the server that listens on this port. */
export async function watchFloor(port) {
  if (file === undefined) return;
  const server = state.listening.get(port)?.deref();
  if (server !== undefined) state.floors.add(server);
  await loadChecker(state);
}

/** Every server of this process that opens WebSockets is a floor. */
export function watchEveryFloor() {
  state.isEvery = true;
}

async function loadChecker(state) {
  // In one file: it loads fast, and before the first answers.
  state.checker ??= await import(pathToFileURL(join(dirname(file), "checker.mjs")).href);
  for (const check of state.waiting.splice(0)) check(state.checker);
}

function install(state) {
  if (file === undefined) return state;
  const { emit } = Server.prototype;
  Server.prototype.emit = function (name, request, response, ...rest) {
    if (name === "listening") state.listening.set(this.address()?.port, new WeakRef(this));
    // A floor gets its handlers right after this event.
    if (name === "listening" && (state.isEvery || isFloor(this, state))) void loadChecker(state);
    if (name === "request" && isFloor(this, state)) watchResponse(request, response, state);
    if (name === "upgrade" && isFloor(this, state)) watchSocket(request, response, state);
    return emit.call(this, name, request, response, ...rest);
  };
  return state;
}

function isFloor(server, { floors, isEvery }) {
  return isEvery ? server.listenerCount("upgrade") > 0 : floors.has(server);
}

const unwritten = [];

/** `check` gets the checker, which may not be loaded yet, and returns the lines to write. */
function later({ checker, waiting, written }, check) {
  const run = (loaded) => {
    const line = check(loaded);
    if (line === undefined || written.has(line)) return;
    written.add(line);
    unwritten.push(`${line}\n`);
    try {
      appendFileSync(file, unwritten.join(""));
      unwritten.length = 0;
    } catch {
      // A test may forbid this process to write to files; the next line tries again.
    }
  };
  if (checker === undefined) waiting.push(run);
  else run(checker);
}

function lineOf(route, { method, path, status }, fault) {
  const name = route?.operation.id ?? "none";
  if (fault === undefined) return route && JSON.stringify({ seen: name, status });
  // One line per kind of fault: numbers in pointers differ.
  const where = route === undefined ? `${method} ${path}` : name;
  return JSON.stringify({ fault: `${where} ${status}: ${fault.replaceAll(/\/\d+/g, "/N")}` });
}

/** Calls `take` with the bytes of each `write` and `end`. */
function tap(stream, take) {
  for (const name of ["write", "end"]) {
    const original = stream[name];
    stream[name] = function (chunk, encoding, ...rest) {
      if (typeof chunk === "string") take(Buffer.from(chunk, typeof encoding === "string" ? encoding : "utf8"));
      else if (chunk instanceof Uint8Array) take(chunk);
      return original.call(this, chunk, encoding, ...rest);
    };
  }
}

function watchResponse(request, response, state) {
  const { method, url = "" } = request;
  if (method === "OPTIONS") return;
  const path = url.split("?")[0];
  const chunks = [];
  const about = () => {
    const type = String(response.getHeader("content-type") ?? headersOf(response)["content-type"] ?? "");
    return { method, path, status: response.statusCode, type: type.split(";")[0].trim() };
  };
  let events;
  tap(response, (bytes) => {
    if (events === undefined && chunks.length === 0 && about().type === "text/event-stream") {
      events = createEventReader((text) => checkEvent(state, about(), text));
    }
    if (events === undefined) chunks.push(bytes);
    else events(bytes);
  });
  response.once("close", () => {
    if (!response.headersSent || (!response.writableFinished && events === undefined)) return;
    const answer = { ...about(), body: events === undefined ? textOf(response, chunks) : undefined };
    later(state, ({ operationOf, answerFault }) => {
      const route = operationOf(method, path);
      return lineOf(route, answer, answerFault(route, answer));
    });
  });
}

/** Headers that were given to `writeHead` only. */
function headersOf(response) {
  const lines = String(response._header ?? "").split("\r\n");
  return Object.fromEntries(
    lines.map((line) => [line.split(":")[0].toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
}

function checkEvent(state, about, text) {
  later(state, ({ operationOf, eventFault }) => {
    const route = operationOf(about.method, about.path);
    const fault = eventFault(route, about.status, text);
    return fault === undefined ? undefined : lineOf(route, about, fault);
  });
}

/** Calls back with the JSON of each field of an event stream: of `data`, and of the fields of the toolkit. */
function createEventReader(onJson) {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const end = rest.lastIndexOf("\n");
    if (end < 0) return;
    const lines = rest.subarray(0, end).toString().split("\n");
    rest = rest.subarray(end + 1);
    for (const line of lines) {
      const [, value] = /^(?!event|id|retry)\w+: (.*)$/.exec(line) ?? [];
      if (value !== undefined && value !== "[DONE]") onJson(value);
    }
  };
}

function watchSocket(request, socket, state) {
  // The floor refuses such an address.
  if (!URL.canParse(`http://floor.invalid${request.url}`)) return;
  const url = new URL(`http://floor.invalid${request.url}`);
  const about = { method: "GET", path: url.pathname, type: "application/problem+json" };
  let [head, frames] = [Buffer.alloc(0), undefined];
  const onFrame = (text) => {
    later(state, ({ operationOf, frameFault }) => {
      const fault = frameFault(url, text);
      return fault === undefined
        ? undefined
        : lineOf(operationOf("GET", url.pathname), { ...about, status: 101 }, fault);
    });
  };
  tap(socket, (bytes) => {
    if (frames !== undefined) return frames(bytes);
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const status = Number(head.toString("latin1", 9, 12));
    const body = status === 101 ? "" : head.subarray(end + 4).toString();
    later(state, ({ operationOf, answerFault }) => {
      const route = operationOf("GET", url.pathname);
      return lineOf(route, { ...about, status }, answerFault(route, { ...about, status, body }));
    });
    frames = createFrameReader(status === 101 ? onFrame : () => {});
    if (status === 101) frames(head.subarray(end + 4));
  });
}

/** RFC 6455, section 5.2: the text messages of a server, which are not masked. */
function createFrameReader(onText) {
  let [rest, parts] = [Buffer.alloc(0), []];
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= 2) {
      const short = rest[1] & 0x7f;
      const start = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (rest.length < start) return;
      const length = short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2));
      if (rest.length < start + length) return;
      const opcode = rest[0] & 0x0f;
      const payload = rest.subarray(start, start + length);
      if (opcode < 2) parts.push(Buffer.from(payload));
      if (opcode < 2 && rest[0] & 0x80) onText(Buffer.concat(parts.splice(0)).toString());
      rest = rest.subarray(start + length);
    }
  };
}

function textOf(response, chunks) {
  const bytes = Buffer.concat(chunks);
  const encoding = response.getHeader("content-encoding") ?? headersOf(response)["content-encoding"];
  const isZipped = encoding === "gzip" && bytes.length > 0;
  return (isZipped ? gunzipSync(bytes) : bytes).toString();
}
