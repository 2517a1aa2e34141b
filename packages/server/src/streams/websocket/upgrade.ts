import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { addressOf } from "../../auth/client-address.ts";
import type { ExpiryWatch } from "../../auth/expiry-watch.ts";
import { assertHostAndOrigin } from "../../auth/origin-check.ts";
import type { ServerContext } from "../../context.ts";
import type { SocketOutbound } from "../../delivery/socket/outbound.ts";
import { assertOpen, isOurs, Problem, problemDocument } from "../../errors.ts";
import type { StreamLimits } from "../../limits.ts";
import type { Principal } from "../../ports/principal.ts";
import { speakerOf, viewerRequestOf } from "../query.ts";
import type { ViewerRequest } from "../viewer.ts";
import type { Viewers } from "../viewers.ts";
import { closeSockets } from "./close.ts";
import { createSocketConnection, type SocketConnection } from "./connection.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import type { Tickets } from "./tickets.ts";

export type SocketUpgrade = {
  /** False when the address is not ours to answer. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  close(): Promise<void>;
  /** Sockets that are open. */
  count(): number;
};

type Options = {
  server: ServerContext;
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
      // Nobody else listens until it is decided who this is.
      socket.on("error", ignore);
      admit(options, request, new URL(url).searchParams, webSocketServer.clients.size).then(
        (caller) => {
          // A client that hung up meanwhile gets no answer.
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
        "the floor is closing, connect again: what is not answered comes again",
      );
    },
  };
}

/** Made here, so that no socket that stays open keeps the request it was opened by. */
function ignore(): void {}

async function admit(
  { server, tickets, limits }: Options,
  request: IncomingMessage,
  query: URLSearchParams,
  openNow: number,
): Promise<UpgradeCaller> {
  assertOpen(server);
  if (openNow >= limits.streamsMax) throw new Problem("busy", { detail: "too many sockets are open" });
  const headers = headersOf(request);
  assertHostAndOrigin(headers, server.originPolicy);
  const ticket = query.get("ticket");
  const address = addressOf(request, server.originPolicy);
  const principal = await (ticket === null
    ? server.access.admit(headers, address)
    : redeem(server, tickets, ticket, address));
  const speaker = speakerOf(query, principal);
  const as = query.get("as");
  if (as === null || as === "viewer") return { principal, speaker, view: viewerRequestOf(query, speaker, principal) };
  if (as !== "agent") throw new Problem("bad-request", { detail: "`as` is `agent` or `viewer`" });
  if (query.has("view")) throw new Problem("bad-request", { detail: "`view` is for viewers" });
  if (principal.conversations !== undefined) {
    throw new Problem("forbidden", { detail: "a guest looks on; it is no agent that is delivered to" });
  }
  // D26: an agent's socket creates no conversations, whatever its credential.
  return { principal: { ...principal, scopes: [] }, speaker, view: undefined };
}

async function redeem(
  { access }: ServerContext,
  tickets: Tickets,
  ticket: string,
  address: string,
): Promise<Principal> {
  access.admitAnyone(address);
  return tickets.redeem(ticket);
}

export function headersOf({ headers }: IncomingMessage): Headers {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(", ")] as [string, string]],
  );
  return new Headers(pairs);
}

/** Before the upgrade there is only HTTP to say it in. */
export function refuse(socket: Duplex, error: unknown, server: Pick<ServerContext, "onError" | "ids">): void {
  const problem = problemDocument(error, server.ids.random);
  if (isOurs(error)) server.onError(error);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title.replace(/[^\w ?.,'-]/gu, "")}`,
    "content-type: application/problem+json",
    `content-length: ${Buffer.byteLength(body)}`,
    ...(problem.status === 401 ? ['www-authenticate: Bearer realm="plenary"'] : []),
    ...(problem.retryAfter === undefined ? [] : [`retry-after: ${problem.retryAfter}`]),
    "connection: close",
  ];
  // A peer that is gone already needs no answer.
  socket.on("error", () => {});
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function open(options: Options, { principal, speaker, view }: UpgradeCaller, ws: WebSocket, raw: Duplex): void {
  const { server, sockets, limits } = options;
  const connection = createSocketConnection(ws, raw, limits, server);
  const isAgent = view === undefined;
  const send = (frame: Record<string, unknown>) => connection.send(JSON.stringify(frame));
  // Most viewers never say a word.
  let inbox: Inbox | undefined;
  ws.on("message", (data: Buffer, isBinary) => {
    inbox ??= createInbox({
      ...{ server, sockets, limits, principal, speaker, isAgent, send },
      hangUp: (code, reason) => connection.close(code, reason),
      hold: (isHeld) => (isHeld ? ws.pause() : ws.resume()),
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

/** Two sockets of one agent: the newest is written to, the older one is closed. */
function listenAsAgent({ sockets }: Options, speaker: string, connection: SocketConnection): () => void {
  return sockets.connect(speaker, {
    send: (text) => connection.send(text),
    replaced: () => connection.close(4009, "a newer socket of this agent has taken over"),
  });
}

function listenAsViewer({ viewers }: Options, view: ViewerRequest, connection: SocketConnection): () => void {
  try {
    const viewer = viewers.open(view, connection.sink);
    return () => viewer.close();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    connection.close(1013, "too many streams are open, try again later");
    return () => {};
  }
}
