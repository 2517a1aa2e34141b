// Only this file opens outbound connections. The address policy checks the parsed host if it is an address, else every
// address of the name, and finally the address that the socket is connected to.
import { lookup as lookUp } from "node:dns/promises";
import type { ClientRequestArgs } from "node:http";
import type { Socket } from "node:net";
import { Agent, buildConnector } from "undici";
import { WebSocket } from "ws";
import {
  type AddressPolicy,
  createAddressPolicy,
  isAddress,
  isHttps,
  type PolicyOptions,
  targetOf,
} from "./dialler/address-policy.ts";
import { createCheckedRoute, type Resolve } from "./dialler/checked-lookup.ts";
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
import { wrapSocket } from "./dialler/dialled-socket.ts";
import { HttpExchange, isTimeout, problemOf } from "./dialler/http-exchange.ts";
import { keepChecked } from "./dialler/keep-checked.ts";

export type DiallerOptions = PolicyOptions & {
  /** URLs of the operator's own configuration, which are not checked. */
  exemptUrls?: readonly string[];
  /** Origins (`http://10.0.0.5:7536`) whose URLs are not checked, WebSockets included. */
  exemptOrigins?: readonly string[];
  limits?: Partial<DialLimits>;
  /** Returns all addresses of a name. */
  resolve?: Resolve;
};

export function createDialler(options: DiallerOptions): Dialler {
  return createDiallerWith(buildConnector, options);
}

/** Opens TCP connections. Tests replace it by one that connects to another address. */
export type ConnectorFactory = typeof buildConnector;

export function createDiallerWith(factory: ConnectorFactory, options: DiallerOptions): Dialler {
  const { resolve = (hostname) => lookUp(hostname, { all: true, verbatim: true }) } = options;
  const limits = { ...dialLimits, ...options.limits };
  const policy = createAddressPolicy(options);
  const isExempt = exemptionOf(options);
  const checkedConnector = createConnector(factory, { policy, resolve, limits });
  const exemptConnector = createConnector(factory, { policy: undefined, resolve, limits });
  // Two pools, because a pool reuses connections without checking them again.
  const checkedAgent = agentOf(checkedConnector);
  const exemptAgent = agentOf(exemptConnector);
  const placeOf = keepChecked((text): Place => {
    const url = parseUrl(text, ["http:", "https:"]);
    const isFree = isExempt(url);
    if (!isFree) checkLiteralAddress(url, policy);
    const { href, origin, pathname, search } = url;
    return { href, origin, path: pathname + search, agent: isFree ? exemptAgent : checkedAgent };
  });
  return {
    async dial(request) {
      return sendRequest(placeOf(request.url), request, limits);
    },
    check(text) {
      const url = parseUrl(text, ["http:", "https:"]);
      if (!isExempt(url)) checkLiteralAddress(url, policy);
    },
    async dialSocket(request) {
      const url = parseUrl(request.url, ["ws:", "wss:"]);
      if (isExempt(url)) return openSocket(url, request, exemptConnector, limits);
      checkLiteralAddress(url, policy);
      return openSocket(url, request, checkedConnector, limits);
    },
    async close() {
      await Promise.all([checkedAgent.destroy(), exemptAgent.destroy()]);
    },
  };
}

function exemptionOf({ exemptUrls = [], exemptOrigins = [] }: DiallerOptions): (url: URL) => boolean {
  const urls = new Set(exemptUrls.map((url) => new URL(url).href));
  // A WebSocket has the same origin as an HTTP request.
  const origins = new Set(exemptOrigins.map((origin) => originKey(new URL(origin))));
  return (url) => urls.has(url.href) || origins.has(originKey(url));
}

function originKey({ protocol, host }: URL): string {
  return `${protocol.replace(/^ws/u, "http")}//${host}`;
}

function parseUrl(text: string, protocols: readonly string[]): URL {
  // The error of the parser is not the cause here, because it contains the whole text.
  if (!URL.canParse(text)) throw new DialError(text, "refused-url", "the URL is invalid");
  const url = new URL(text);
  if (!protocols.includes(url.protocol))
    throw new DialError(text, "refused-url", `the scheme ${url.protocol} is not allowed here`);
  if (url.username !== "" || url.password !== "") {
    throw new DialError(text, "refused-url", "the URL contains a user name or a password");
  }
  return url;
}

function checkLiteralAddress(url: URL, policy: AddressPolicy): void {
  const target = targetOf(url);
  const why = isAddress(target.host) ? policy(target, target.host) : undefined;
  if (why !== undefined) throw new DialError(url.href, "refused-address", why);
}

type Connector = ReturnType<ConnectorFactory>;
type ConnectorOptions = { policy: AddressPolicy | undefined; resolve: Resolve; limits: DialLimits };

/** Opens TCP first and TLS over it, so that not even a handshake is sent to an unchecked address. */
function createConnector(factory: ConnectorFactory, { policy, resolve, limits }: ConnectorOptions): Connector {
  const secure = buildConnector({ timeout: limits.connectMs });
  return (options, callback) => {
    const target = targetOf(options);
    const route = createCheckedRoute(target, policy, resolve);
    const open = factory({ timeout: limits.connectMs, lookup: route.lookup });
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
  // `HttpExchange` has its own timers.
  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
}

/** A URL that may be dialled, and the pool for it. */
type Place = { href: string; origin: string; path: string; agent: Agent };

function sendRequest(
  { href, origin, path, agent }: Place,
  request: DialRequest,
  defaults: DialLimits,
): Promise<DialResponse> {
  const { method = "POST", headers = {}, body = null } = request;
  const started = new HttpExchange(href, limitsOf(request, defaults), request);
  try {
    agent.dispatch({ origin, path, method, headers: { ...headers, "accept-encoding": "identity" }, body }, started);
  } catch (cause) {
    started.onResponseError(undefined, cause instanceof Error ? cause : new Error(String(cause)));
  }
  return started.response;
}

/** An option set to undefined counts as left out. */
function limitsOf(request: DialRequest, { answerBytesMax, ...defaults }: DialLimits): DialLimits {
  const {
    connectMs = defaults.connectMs,
    firstByteMs = defaults.firstByteMs,
    silenceMs = defaults.silenceMs,
    totalMs = defaults.totalMs,
  } = request;
  return { connectMs, firstByteMs, silenceMs, totalMs, answerBytesMax };
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
    const onAbort = () => refuse("aborted", "the caller aborted", { cause: signal?.reason });
    const timer = setTimeout(
      () => refuse("timeout", `opening the WebSocket took more than ${connectMs} ms`),
      connectMs,
    );
    socket.on("error", (cause) => {
      if (cause instanceof DialError) refuse(cause.code, cause.problem, { cause });
      else refuse(isTimeout(cause) ? "timeout" : "unreachable", problemOf(cause), { cause });
    });
    socket.on("unexpected-response", (_request, { statusCode: status = 0 }) => {
      const isRedirect = status >= 300 && status < 400;
      refuse(isRedirect ? "redirect" : "refused-upgrade", `answered ${status} instead of opening a WebSocket`, {
        status,
      });
    });
    socket.on("open", () => {
      settle();
      resolve(wrapSocket(socket, request));
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
  // A fragment is never sent, and ws throws on it.
  const address = new URL(url);
  address.hash = "";
  const { protocol, hostname, host, port } = address;
  const createConnection: Connecting = (_options, onCreated) => {
    connector({ protocol, hostname: hostname.replace(/^\[|\]$/gu, ""), host, port }, (error, socket) => {
      // With an error, the socket is ignored.
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
