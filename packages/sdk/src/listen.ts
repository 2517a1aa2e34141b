import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import type { Agent } from "./agent.ts";
import type { TextDialler } from "./dialler/dial.ts";
import { addCorsHeaders, everyOrigin } from "./http/cors.ts";
import { problemResponse } from "./http/problem-response.ts";

export type ListenOptions = {
  port: number;
  host?: string;
  /** The public address of the agent. Default: the address it listens on, or with `0.0.0.0` the URL of the request. */
  serviceUrl?: string;
  /** Origins of web pages that may call the agent. Default: the `allowOrigins` of the agent, or all (`*`). */
  allowOrigins?: readonly string[];
  /** Fetches text that is given by URL before `onUtterance` runs. Default: the handler has to fetch it. */
  textDialler?: TextDialler;
};

export type ListeningAgent = {
  url: string;
  /** Stops accepting requests. Running requests get 5 s to finish. */
  close(): Promise<void>;
};

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
const closeTimeoutMs = 5_000;

export async function listen(agent: Agent, options: ListenOptions): Promise<ListeningAgent> {
  const { port, host = "127.0.0.1", ...reached } = options;
  let url = "";
  let own: { serviceUrl?: string } = {};
  const server = createServer({ headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs }, (req, res) => {
    // The caller has disconnected, so there is no response to send.
    serve(agent, req, res, { ...own, ...reached, url }).catch(() => res.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;
  url = urlOf(bound);
  // With 0.0.0.0 or ::, only the request shows the address of the agent.
  if (!isEveryAddress(bound)) own = { serviceUrl: url };
  return {
    url,
    close: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
        server.close((error) => {
          clearTimeout(timer);
          if (error === undefined) resolve();
          else reject(error);
        });
        server.closeIdleConnections();
      }),
  };
}

function isEveryAddress({ address }: AddressInfo): boolean {
  return address === "0.0.0.0" || address === "::";
}

function urlOf(bound: AddressInfo): string {
  const { address, family, port } = bound;
  // 0.0.0.0 and :: include the loopback address.
  if (isEveryAddress(bound)) return `http://127.0.0.1:${port}`;
  return family === "IPv6" ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

type ServeOptions = Pick<ListenOptions, "allowOrigins" | "textDialler" | "serviceUrl"> & { url: string };

async function serve(
  agent: Agent,
  req: IncomingMessage,
  res: ServerResponse,
  { url, ...reached }: ServeOptions,
): Promise<void> {
  const disconnected = new AbortController();
  res.on("close", () => {
    if (!res.writableFinished) disconnected.abort();
  });
  const request = requestOf(req, url, disconnected.signal);
  const withCorsHeaders = (response: Response) =>
    addCorsHeaders(req.headers.origin ?? null, reached.allowOrigins ?? everyOrigin, response);
  const response =
    request === undefined
      ? withCorsHeaders(
          problemResponse({ status: 400, title: "Bad request", detail: "the Host header or the path is invalid" }),
        )
      : await agent
          .fetch(request, { ...reached, ...callerOf(req) })
          .catch(() => withCorsHeaders(internalError(disconnected.signal)));
  // The unread rest of a body would be parsed as the next request.
  if (!req.complete) res.setHeader("connection", "close");
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) res.end();
  else await pipeline(Readable.fromWeb(response.body as WebStream), res);
}

function callerOf({ socket }: IncomingMessage): { caller?: string } {
  return socket.remoteAddress === undefined ? {} : { caller: socket.remoteAddress };
}

// The details of an internal error are not sent to the caller.
function internalError(signal: AbortSignal): Response {
  signal.throwIfAborted();
  return problemResponse({ status: 500, title: "Internal error", detail: "the agent could not answer" });
}

/**
 * The address that the caller used belongs to the agent, so the Host and X-Forwarded headers are used. A caller that forges
 * them only affects its own request.
 */
function requestOf(req: IncomingMessage, url: string, signal: AbortSignal): Request | undefined {
  const { method = "GET", headers } = req;
  const scheme = headers["x-forwarded-proto"] === "https" ? "https" : "http";
  const { "x-forwarded-host": name = headers.host } = headers;
  const base = typeof name === "string" ? `${scheme}://${name}` : url;
  if (!URL.canParse(req.url ?? "/", base)) return undefined;
  const hasBody = method !== "GET" && method !== "HEAD";
  const body = hasBody ? { body: Readable.toWeb(req) as ReadableStream<Uint8Array>, duplex: "half" as const } : {};
  return new Request(new URL(req.url ?? "/", base), { method, headers: headersOf(req), signal, ...body });
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}
