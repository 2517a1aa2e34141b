import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import type { Agent } from "./agent.ts";
import type { TextDialler } from "./dialler/dial.ts";
import { everyOrigin, readableBy } from "./http/cors.ts";
import { problemResponse } from "./http/problem-response.ts";

export type ListenOptions = {
  port: number;
  host?: string;
  /** The address that others reach the agent at; default: the one it listens on, or, on every address, that of the request. */
  serviceUrl?: string;
  /** Origins of web pages that may call the agent; default: those that the agent allows, or else all (`*`). */
  allowOrigins?: readonly string[];
  /** Reads words that are given by URL before they are answered; default: that is left to the handlers. */
  textDialler?: TextDialler;
};

export type Listening = {
  url: string;
  /** Takes no more requests; those being answered have a moment to finish. */
  close(): Promise<void>;
};

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
const closeTimeoutMs = 5_000;

export async function listen(agent: Agent, options: ListenOptions): Promise<Listening> {
  const { port, host = "127.0.0.1", ...reached } = options;
  let url = "";
  let own: { serviceUrl?: string } = {};
  const server = createServer({ headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs }, (req, res) => {
    // Nothing is told to a caller who has hung up.
    serve(agent, req, res, { ...own, ...reached, url }).catch(() => res.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;
  url = urlOf(bound);
  // On every address only the caller knows by which one it is reached from there.
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
  // Listening on every address, the agent is at least on this one.
  if (isEveryAddress(bound)) return `http://127.0.0.1:${port}`;
  return family === "IPv6" ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

type Reached = Pick<ListenOptions, "allowOrigins" | "textDialler" | "serviceUrl"> & { url: string };

async function serve(
  agent: Agent,
  req: IncomingMessage,
  res: ServerResponse,
  { url, ...reached }: Reached,
): Promise<void> {
  const hungUp = new AbortController();
  res.on("close", () => {
    if (!res.writableFinished) hungUp.abort();
  });
  const request = requestOf(req, url, hungUp.signal);
  const toldTo = (response: Response) =>
    readableBy(req.headers.origin ?? null, reached.allowOrigins ?? everyOrigin, response);
  const response =
    request === undefined
      ? toldTo(
          problemResponse({ status: 400, title: "Bad request", detail: "the Host header or the path is not a URL's" }),
        )
      : await agent.fetch(request, { ...reached, ...callerOf(req) }).catch(() => toldTo(failed(hungUp.signal)));
  // A body that was not read to its end would be taken for the next request.
  if (!req.complete) res.setHeader("connection", "close");
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) res.end();
  else await pipeline(Readable.fromWeb(response.body as WebStream), res);
}

function callerOf({ socket }: IncomingMessage): { caller?: string } {
  return socket.remoteAddress === undefined ? {} : { caller: socket.remoteAddress };
}

// Our own fault, and none of the caller's business.
function failed(signal: AbortSignal): Response {
  signal.throwIfAborted();
  return problemResponse({ status: 500, title: "Internal error", detail: "the agent could not answer" });
}

/**
 * The address the caller used is one of the agent's own, so the Host header counts, and so does what a proxy says of
 * them. A caller that makes them up gets a wrong address for itself alone.
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
