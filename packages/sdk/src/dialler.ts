// Nothing else opens outbound connections. Addresses are judged where they are dialled: the parsed host if it is an
// address, else every address the name leads to, and at last the one the socket is connected to.
import { lookup as lookUp } from "node:dns/promises";
import type { ClientRequestArgs } from "node:http";
import type { Socket } from "node:net";
import { Agent, buildConnector } from "undici";
import { WebSocket } from "ws";
import { createJudge, isAddress, isHttps, type Judge, type PolicyOptions, targetOf } from "./dialler/address-policy.ts";
import { type Resolve, routeTo } from "./dialler/checked-lookup.ts";
import {
  type DialLimits,
  type DialledSocket,
  type Dialler,
  type DialRequest,
  type DialResponse,
  dialLimits,
  type SocketRequest,
} from "./dialler/dial.ts";
import { DialError, type DialErrorCode } from "./dialler/dial-error.ts";
import { carry } from "./dialler/dialled-socket.ts";
import { Exchange, isTimeout, problemOf } from "./dialler/http-exchange.ts";

export type DiallerOptions = PolicyOptions & {
  /** URLs of the operator's own configuration: never judged. */
  exemptUrls?: readonly string[];
  /** The same for everything at such an origin (`http://10.0.0.5:7536`), sockets included. */
  exemptOrigins?: readonly string[];
  limits?: Partial<DialLimits>;
  /** Name -> all its addresses. */
  resolve?: Resolve;
};

export function createDialler(options: DiallerOptions): Dialler {
  return createDiallerOver(buildConnector, options);
}

/** What opens a TCP connection. A test has one that leads astray. */
export type Wire = typeof buildConnector;

export function createDiallerOver(wire: Wire, options: DiallerOptions): Dialler {
  const { resolve = (hostname) => lookUp(hostname, { all: true, verbatim: true }) } = options;
  const limits = { ...dialLimits, ...options.limits };
  const judge = createJudge(options);
  const isExempt = exemptionOf(options);
  const judged = connectorOver(wire, { judge, resolve, limits });
  const unjudged = connectorOver(wire, { judge: undefined, resolve, limits });
  // Apart, since an open connection is used again without asking who opened it.
  const guarded = agentOf(judged);
  const free = agentOf(unjudged);
  return {
    async dial(request) {
      const url = parseUrl(request.url, ["http:", "https:"]);
      if (isExempt(url)) return exchange(url, request, free, limits);
      judgeLiteral(url, judge);
      return exchange(url, request, guarded, limits);
    },
    async dialSocket(request) {
      const url = parseUrl(request.url, ["ws:", "wss:"]);
      if (isExempt(url)) return openSocket(url, request, unjudged, limits);
      judgeLiteral(url, judge);
      return openSocket(url, request, judged, limits);
    },
    async close() {
      await Promise.all([guarded.destroy(), free.destroy()]);
    },
  };
}

function exemptionOf({ exemptUrls = [], exemptOrigins = [] }: DiallerOptions): (url: URL) => boolean {
  const urls = new Set(exemptUrls.map((url) => new URL(url).href));
  // A socket is opened at the same place as a request.
  const places = new Set(exemptOrigins.map((origin) => placeOf(new URL(origin))));
  return (url) => urls.has(url.href) || places.has(placeOf(url));
}

function placeOf({ protocol, host }: URL): string {
  return `${protocol.replace(/^ws/u, "http")}//${host}`;
}

function parseUrl(text: string, protocols: readonly string[]): URL {
  // Without the parser's own error as the cause: it holds the whole text.
  if (!URL.canParse(text)) throw new DialError(text, "refused-url", "this is not a URL");
  const url = new URL(text);
  if (!protocols.includes(url.protocol)) throw new DialError(text, "refused-url", `${url.protocol} is not dialled`);
  if (url.username !== "" || url.password !== "") {
    throw new DialError(text, "refused-url", "a URL with a user name or a password is not dialled");
  }
  return url;
}

function judgeLiteral(url: URL, judge: Judge): void {
  const target = targetOf(url);
  const why = isAddress(target.host) ? judge(target, target.host) : undefined;
  if (why !== undefined) throw new DialError(url.href, "refused-address", why);
}

type Connector = ReturnType<Wire>;
type Guard = { judge: Judge | undefined; resolve: Resolve; limits: DialLimits };

/** TCP first and TLS over it, so that not even a handshake is written to an address that nobody judged. */
function connectorOver(wire: Wire, { judge, resolve, limits }: Guard): Connector {
  const secure = buildConnector({ timeout: limits.connectMs });
  return (options, callback) => {
    const target = targetOf(options);
    const route = routeTo(target, judge, resolve);
    const open = wire({ timeout: limits.connectMs, lookup: route.lookup });
    open({ ...options, protocol: "http:", port: String(target.port) }, (error, socket) => {
      if (error !== null) return callback(error, null);
      const refusal = route.refusalOf(socket);
      if (refusal !== undefined) return callback(refusal, null);
      if (isHttps(target)) secure({ ...options, protocol: "https:", httpSocket: socket }, callback);
      else callback(null, socket);
    });
  };
}

function agentOf(connect: Connector): Agent {
  // An exchange has timers of its own.
  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
}

function exchange(url: URL, request: DialRequest, agent: Agent, defaults: DialLimits): Promise<DialResponse> {
  const { url: _, method = "POST", headers = {}, body = null, signal, onSent, ...own } = request;
  const started = new Exchange(url.href, { ...defaults, ...definedOf(own) }, { signal, onSent });
  try {
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { ...headers, "accept-encoding": "identity" },
        body,
      },
      started,
    );
  } catch (cause) {
    started.onResponseError(undefined, cause instanceof Error ? cause : new Error(String(cause)));
  }
  return started.response;
}

/** An option given as undefined is an option left out. */
function definedOf(own: Partial<DialLimits>): Partial<DialLimits> {
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
}

function openSocket(
  url: URL,
  request: SocketRequest,
  connector: Connector,
  limits: DialLimits,
): Promise<DialledSocket> {
  const { headers = {}, signal, connectMs = limits.connectMs } = request;
  const socket = clientSocket(url, headers, connector, limits);
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const refuse = (code: DialErrorCode, problem: string, options: { status?: number; cause?: unknown } = {}) => {
      settle();
      reject(new DialError(url.href, code, problem, options));
      socket.terminate();
    };
    const onAbort = () => refuse("aborted", "the caller gave up", { cause: signal?.reason });
    const timer = setTimeout(() => refuse("timeout", `opening a socket took more than ${connectMs} ms`), connectMs);
    socket.on("error", (cause) => {
      if (cause instanceof DialError) refuse(cause.code, cause.problem, { cause });
      else refuse(isTimeout(cause) ? "timeout" : "unreachable", problemOf(cause), { cause });
    });
    socket.on("unexpected-response", (_request, { statusCode: status = 0 }) => {
      const isRedirect = status >= 300 && status < 400;
      refuse(isRedirect ? "redirect" : "refused-upgrade", `answered ${status} instead of a socket`, { status });
    });
    socket.on("open", () => {
      settle();
      resolve(carry(socket, request));
    });
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted === true) onAbort();
  });
}

type Connecting = NonNullable<ClientRequestArgs["createConnection"]>;

function clientSocket(
  url: URL,
  headers: Readonly<Record<string, string>>,
  connector: Connector,
  { answerBytesMax }: DialLimits,
): WebSocket {
  // A fragment is never sent, and ws would throw it back at us.
  const address = new URL(url);
  address.hash = "";
  const { protocol, hostname, host, port } = address;
  const createConnection: Connecting = (_options, onCreated) => {
    connector({ protocol, hostname: hostname.replace(/^\[|\]$/gu, ""), host, port }, (error, socket) => {
      // Whoever is told of an error does not look at the socket.
      onCreated(error, socket as Socket);
    });
    return undefined;
  };
  try {
    return new WebSocket(address, {
      headers,
      createConnection,
      followRedirects: false,
      maxPayload: answerBytesMax,
      perMessageDeflate: false,
    });
  } catch (cause) {
    throw new DialError(url.href, "unreachable", problemOf(cause as Error), { cause });
  }
}
