// A server of the NeMo Agent Toolkit as its users run it, with its faults: written from the published page and from
// observations of the real one, without code of this project.
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { createHandler, type Handler, type Registry } from "./stock-handler.ts";
import type { Workflow } from "./stock-run.ts";
import { isAuth, isInteraction, isObject, isUserMessage, type Json } from "./stock-shapes.ts";

/** One socket of a client, from its upgrade to its end. */
export type Caller = {
  url: URL;
  headers: IncomingMessage["headers"];
  /** Every frame it sent that was JSON. */
  frames: Json[];
  /** The frames that the server silently dropped. */
  ignored: Json[];
  /** Settles with the code: 1006 when the connection was cut. */
  closed: Promise<number>;
  isOpen: () => boolean;
  raw: (text: string) => void;
  /** Settles when the server has everything that the client has sent so far. */
  heard: () => Promise<void>;
  drop: () => void;
};

type Setting = {
  /** How long the server still accepts a reply after the timeout. */
  graceMs?: number;
  /** Runs when a client connects. */
  onConnect?: (caller: Caller) => void;
};

export type StockServer = Awaited<ReturnType<typeof startStockServer>>;

export async function startStockServer(workflow: Workflow, { graceMs = 5_000, onConnect }: Setting = {}) {
  // A default argument of Python: every message has the time at which the server was started.
  const timestamp = pythonTime(new Date());
  const registry: Registry = { handlers: new Map(), timestamp, graceMs, cancelled: 0, workflow };
  const callers: Caller[] = [];
  const frames: Json[] = [];
  const state = { refusal: undefined as number | undefined };
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => {
    const isHealth = request.url === "/health";
    response.writeHead(isHealth ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isHealth ? { status: "healthy" } : { detail: "Not Found" }));
  });
  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const url = new URL(request.url ?? "/", "ws://stock");
    const session = url.searchParams.get("session");
    const isBadSession = session !== null && !/^[A-Za-z0-9\-_.~]+$/u.test(session);
    const status = state.refusal ?? (url.pathname !== "/websocket" || isBadSession ? 403 : undefined);
    if (status !== undefined) return void stream.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`);
    return sockets.handleUpgrade(request, stream, head, (socket) => {
      const caller = callerOf(socket, url, request);
      callers.push(caller);
      attend(socket, caller, createHandler(registry, socket, url.searchParams.get("conversation_id")), {
        timestamp,
        frames,
      });
      onConnect?.(caller);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/websocket`,
    port,
    callers,
    /** Every user_message of any client, in order. */
    asked: () => frames.filter(({ type }) => type === "user_message"),
    replies: () => frames.filter(({ type }) => type === "user_interaction_message"),
    ignored: () => callers.flatMap(({ ignored }) => ignored),
    /** Runs that a second message on the same socket silently ended. */
    cancelled: () => registry.cancelled,
    /** Conversations whose workflow still runs. */
    running: () => [...registry.handlers.keys()],
    /** Refuses connections with this status; undefined accepts them again. */
    refuse(status: number | undefined) {
      state.refusal = status;
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
}

function callerOf(socket: WebSocket, url: URL, { headers }: IncomingMessage): Caller {
  socket.on("error", () => {});
  return {
    url,
    headers,
    frames: [],
    ignored: [],
    closed: new Promise((resolve) => socket.once("close", resolve)),
    isOpen: () => socket.readyState === socket.OPEN,
    raw: (text) => socket.send(text),
    async heard() {
      const answered = once(socket, "pong");
      socket.ping();
      await answered;
    },
    drop: () => socket.terminate(),
  };
}

function attend(
  socket: WebSocket,
  caller: Caller,
  handler: Handler,
  { timestamp, frames }: { timestamp: string; frames: Json[] },
): void {
  socket.on("message", (bytes: RawData, isBinary: boolean) => {
    const frame = isBinary ? undefined : jsonIn(String(bytes));
    // An exception inside the real server: no close frame, no error frame.
    if (!isObject(frame)) return socket.terminate();
    caller.frames.push(frame);
    frames.push(frame);
    if (isUserMessage(frame)) return handler.begin(frame);
    if (isInteraction(frame)) return handler.reply(frame) || socket.terminate();
    if (isAuth(frame)) return socket.send(JSON.stringify(authResponse(frame.payload)));
    return void caller.ignored.push(frame);
  });
  socket.once("close", () => handler.leave());

  function authResponse({ method, ...secrets }: Json): Json {
    const isBroken = method === "jwt" && String(secrets.token).split(".").length !== 3;
    const details = "JWT token is empty or malformed (expected 3 dot-separated parts)";
    const error = { code: "user_auth_error", message: "Authentication failed", details };
    return {
      type: "auth_response_message",
      status: isBroken ? "error" : "success",
      timestamp,
      user_id: isBroken ? null : userId(JSON.stringify(secrets)),
      payload: isBroken ? error : null,
    };
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same id for the same credential. */
function userId(credential: string): string {
  const hex = createHash("sha1").update(credential).digest("hex");
  return randomUUID().replace(/[\da-f]/gu, (_digit, at: number) => hex[at] ?? "0");
}

/** `str(datetime)`: a space, microseconds, an offset. */
function pythonTime(time: Date): string {
  return time.toISOString().replace("T", " ").replace("Z", "762+00:00");
}
