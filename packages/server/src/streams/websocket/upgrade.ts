import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { addressOf } from "../../auth/client-address.ts";
import type { ExpiryWatch } from "../../auth/expiry-watch.ts";
import { assertHostAndOrigin } from "../../auth/origin-check.ts";
import type { AccessContext, ConversationContext, ProcessContext } from "../../context.ts";
import type { SocketOutbound } from "../../delivery/socket/outbound.ts";
import { assertOpen, isOurs, Problem, problemDocument } from "../../errors.ts";
import type { StreamLimits } from "../../limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Principal } from "../../ports/principal.ts";
import { invalidParameter } from "../../routing/fields.ts";
import { problemHeaders } from "../../routing/guards.ts";
import { streamQueryIn, type ViewerRequest, viewerRequestOf } from "../query.ts";
import type { Viewers } from "../viewers.ts";
import { SocketConnection } from "./connection.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import type { Tickets } from "./tickets.ts";

export type SocketUpgrade = {
  /** False when the path is not `/openfloor/ws`. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  close(): Promise<void>;
  /** Open sockets. */
  count(): number;
};

type Options = {
  server: ConversationContext & AccessContext;
  sockets: SocketOutbound;
  viewers: Viewers;
  tickets: Tickets;
  limits: StreamLimits;
  expiryWatch: ExpiryWatch;
};

type UpgradeCaller = { principal: Principal; speaker: string; view: ViewerRequest | undefined };

export function createSocketUpgrade(options: Options): SocketUpgrade {
  const { limits, server } = options;
  const webSocketServer = new WebSocketServer({
    noServer: true,
    maxPayload: limits.frameBytesMax,
    perMessageDeflate: false,
  });
  const heartbeat = createHeartbeat(webSocketServer.clients, limits, server.clock);
  return {
    count: () => webSocketServer.clients.size,
    upgrade(request, socket, head) {
      const url = `http://floor.invalid${request.url}`;
      if (!URL.canParse(url) || new URL(url).pathname !== "/openfloor/ws") return false;
      // Until the upgrade, an error without a listener would end the process.
      socket.on("error", ignore);
      admit(options, request, new URL(url).searchParams, webSocketServer.clients.size).then(
        (caller) => {
          // The client disconnected in the meantime.
          if (socket.destroyed) return;
          webSocketServer.handleUpgrade(request, socket, head, (ws) => {
            heartbeat.watch(ws);
            open(options, caller, ws, socket);
          });
        },
        (error: unknown) => refuse(socket, error, server),
      );
      return true;
    },
    async close() {
      heartbeat.stop();
      // Viewers already have the cursor to resume from.
      await closeSockets(
        webSocketServer,
        server.clock,
        "the floor is closing, connect again: unanswered deliveries are sent again",
      );
    },
  };
}

/** At the top level: a closure would keep the request in memory as long as the socket is open. */
function ignore(): void {}

async function admit(
  { server, tickets, limits }: Options,
  request: IncomingMessage,
  params: URLSearchParams,
  openNow: number,
): Promise<UpgradeCaller> {
  assertOpen(server);
  if (openNow >= limits.streamsMax) throw new Problem("busy", { detail: "too many sockets are open" });
  const headers = headersOf(request);
  assertHostAndOrigin(headers, server.originPolicy);
  const ticket = params.get("ticket");
  const address = addressOf(request, server.originPolicy);
  if (ticket !== null) server.access.admitAnyone(address);
  const principal = ticket === null ? await server.access.admit(headers, address) : tickets.redeem(ticket);
  const query = streamQueryIn("GET /openfloor/ws", params, principal);
  const { speaker, as = "viewer", view } = query;
  if (as === "viewer") return { principal, speaker, view: viewerRequestOf(query, principal) };
  if (view !== undefined) throw invalidParameter("view", "only viewers may use it");
  if (principal.conversations !== undefined) {
    throw new Problem("forbidden", { detail: "a guest is a viewer and cannot connect as an agent" });
  }
  // D26: an agent's socket creates no conversations, even with a credential that may.
  return { principal: { ...principal, scopes: [] }, speaker, view: undefined };
}

export function headersOf({ headers }: IncomingMessage): Headers {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(", ")] as [string, string]],
  );
  return new Headers(pairs);
}

/** Answers with a problem document over HTTP, because there is no WebSocket yet. */
export function refuse(socket: Duplex, error: unknown, server: Pick<ProcessContext, "onError" | "ids">): void {
  const problem = problemDocument(error, server.ids.random);
  if (isOurs(error)) server.onError(error);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title.replace(/[^\w ?.,'-]/gu, "")}`,
    ...Object.entries(problemHeaders(problem)).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  // The client may have disconnected.
  socket.on("error", () => {});
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function open(options: Options, { principal, speaker, view }: UpgradeCaller, ws: WebSocket, raw: Duplex): void {
  const { server, sockets, limits } = options;
  const connection = new SocketConnection(ws, raw, limits, server);
  const isAgent = view === undefined;
  const send = (frame: Record<string, unknown>) => connection.send(JSON.stringify(frame));
  // Created on the first message: most viewers send none.
  let inbox: Inbox | undefined;
  ws.on("message", (data: Buffer, isBinary) => {
    inbox ??= createInbox({
      server,
      sockets,
      limits,
      principal,
      speaker,
      isAgent,
      send,
      close: (code, reason) => connection.close(code, reason),
      setPaused: (isPaused) => (isPaused ? ws.pause() : ws.resume()),
    });
    if (isBinary) inbox.refuse(new Problem("bad-request", { detail: "frames are text, not binary" }));
    else inbox.take(data.toString());
  });
  const leave =
    view === undefined ? listenAsAgent(options, speaker, connection) : listenAsViewer(options, view, connection);
  const release = options.expiryWatch.watch(principal, () => connection.close(4001, "this credential has ended"));
  ws.on("close", () => {
    release();
    leave();
  });
}

/** A newer socket of the same agent replaces and closes the older one. */
function listenAsAgent({ sockets }: Options, speaker: string, connection: SocketConnection): () => void {
  return sockets.connect(speaker, {
    send: (text) => connection.send(text),
    replaced: () => connection.close(4009, "a newer socket of this agent has taken over"),
  });
}

function listenAsViewer({ viewers }: Options, view: ViewerRequest, connection: SocketConnection): () => void {
  try {
    const viewer = viewers.open(view, connection);
    return () => viewer.close();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    connection.close(1013, "too many streams are open, try again later");
    return () => {};
  }
}

const closeMs = 1_000;

/** Sends a close frame to all sockets, and terminates those that do not close in time. */
export async function closeSockets(server: WebSocketServer, clock: Clock, advice: string): Promise<void> {
  for (const ws of server.clients) ws.close(1012, advice);
  await new Promise<void>((resolve) => {
    const cancel = clock.at(clock.now() + closeMs, () => {
      for (const ws of server.clients) ws.terminate();
    });
    server.close(() => {
      cancel();
      resolve();
    });
  });
}
