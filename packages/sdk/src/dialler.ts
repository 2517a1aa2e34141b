// Nothing else opens outbound connections. Addresses are judged where they are dialled: the parsed host if it is an
// address, else every address the name leads to, and at last the one the socket is connected to.
import { lookup as lookUp } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { WebSocket } from "ws";
import { createJudge, isAddress, type Judge, type PolicyOptions, type Target, targetOf } from "./address-policy.ts";
import {
  type DialLimits,
  type DialledSocket,
  type Dialler,
  type DialRequest,
  type DialResponse,
  dialLimits,
  type SocketRequest,
} from "./dial.ts";
import { DialError, type DialErrorCode } from "./dial-error.ts";
import { Exchange, problemOf } from "./exchange.ts";

export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

export type DiallerOptions = PolicyOptions & {
  /** URLs of the operator's own configuration: never judged. */
  exemptUrls?: readonly string[];
  limits?: Partial<DialLimits>;
  /** Name -> all its addresses. */
  resolve?: Resolve;
};

const pingMs = 30_000;

export function createDialler(options: DiallerOptions): Dialler {
  const { exemptUrls = [], resolve = (hostname) => lookUp(hostname, { all: true, verbatim: true }) } = options;
  const limits = { ...dialLimits, ...options.limits };
  const judge = createJudge(options);
  const exempt = new Set(exemptUrls.map((url) => new URL(url).href));
  const anywhere: Judge = () => undefined;
  // Apart, since an open connection is used again without asking who opened it.
  const guarded = agentOf(judge, resolve, limits);
  const free = agentOf(anywhere, resolve, limits);
  return {
    async dial(request) {
      const url = parseUrl(request.url, ["http:", "https:"]);
      const isExempt = exempt.has(url.href);
      if (!isExempt) judgeLiteral(url, judge);
      return exchange(url, request, isExempt ? free : guarded, limits);
    },
    async dialSocket(request) {
      const url = parseUrl(request.url, ["ws:", "wss:"]);
      const chosen = exempt.has(url.href) ? anywhere : judge;
      judgeLiteral(url, chosen);
      const lookup = guardedLookup(targetOf(url), chosen, resolve);
      return openSocket(url, request, { lookup, judge: chosen, limits });
    },
    async close() {
      await Promise.all([guarded.destroy(), free.destroy()]);
    },
  };
}

function parseUrl(text: string, protocols: readonly string[]): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new DialError(text, "refused-url", "this is not a URL", { cause });
  }
  if (!protocols.includes(url.protocol)) throw new DialError(text, "refused-url", `${url.protocol} is not dialled`);
  if (url.username !== "" || url.password !== "") {
    throw new DialError(url.host, "refused-url", "a URL with a user name or a password is not dialled");
  }
  return url;
}

// Node calls no lookup for a host that is an address already.
function judgeLiteral(url: URL, judge: Judge): void {
  const target = targetOf(url);
  const why = isAddress(target.host) ? judge(target, target.host) : undefined;
  if (why !== undefined) throw new DialError(url.href, "refused-address", why);
}

function guardedLookup(target: Target, judge: Judge, resolve: Resolve): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        // One forbidden address among good ones is a trap, not bad luck.
        const why = addresses.map(({ address }) => judge(target, address)).find((reason) => reason !== undefined);
        if (why !== undefined) callback(new DialError(hostname, "refused-address", why), "");
        else if (first === undefined) callback(new DialError(hostname, "unreachable", "this name has no address"), "");
        else if (all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}

function agentOf(judge: Judge, resolve: Resolve, limits: DialLimits): Agent {
  return new Agent({
    connect(options, callback) {
      const { hostname, protocol, port } = options;
      const isHttps = protocol === "https:";
      const target = targetOf(new URL(`${protocol}//${hostname}:${port || (isHttps ? 443 : 80)}`));
      const lookup = guardedLookup(target, judge, resolve);
      buildConnector({ timeout: limits.connectMs, lookup })(options, (error, socket) => {
        if (error !== null) return callback(error, null);
        const why = judge(target, socket.remoteAddress ?? "");
        if (why === undefined) return callback(null, socket);
        socket.destroy();
        callback(new DialError(hostname, "refused-address", why), null);
      });
    },
    // An exchange has timers of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function exchange(url: URL, request: DialRequest, agent: Agent, defaults: DialLimits): Promise<DialResponse> {
  const { url: _, method = "POST", headers = {}, body = null, signal, ...own } = request;
  const started = new Exchange(url.href, { ...defaults, ...definedOf(own) }, signal);
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
  dialling: { lookup: LookupFunction; judge: Judge; limits: DialLimits },
): Promise<DialledSocket> {
  const { lookup, judge, limits } = dialling;
  const { headers = {}, signal, connectMs = limits.connectMs } = request;
  const socket = new WebSocket(url, {
    headers,
    lookup,
    followRedirects: false,
    handshakeTimeout: connectMs,
    maxPayload: limits.answerBytesMax,
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    const refuse = (code: DialErrorCode, problem: string, options: { status?: number; cause?: unknown } = {}) => {
      signal?.removeEventListener("abort", onAbort);
      reject(new DialError(url.href, code, problem, options));
      socket.terminate();
    };
    const onAbort = () => refuse("aborted", "the caller gave up", { cause: signal?.reason });
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted === true) return onAbort();
    socket.on("error", (cause) => {
      if (cause instanceof DialError) refuse(cause.code, cause.problem, { cause });
      else refuse(cause.message.includes("timed out") ? "timeout" : "unreachable", problemOf(cause), { cause });
    });
    socket.on("unexpected-response", (_request, { statusCode: status = 0 }) => {
      const isRedirect = status >= 300 && status < 400;
      refuse(isRedirect ? "redirect" : "refused-upgrade", `answered ${status} instead of a socket`, { status });
    });
    socket.on("upgrade", ({ socket: { remoteAddress = "" } }) => {
      const why = judge(targetOf(url), remoteAddress);
      if (why !== undefined) refuse("refused-address", why);
    });
    socket.on("open", () => {
      signal?.removeEventListener("abort", onAbort);
      resolve(carry(socket, request));
    });
  });
}

/** Frames both ways, and a heartbeat: a peer that vanished without a word closes no socket. */
function carry(socket: WebSocket, { onText, onClose }: SocketRequest): DialledSocket {
  let isAlive = true;
  const heartbeat = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, pingMs).unref();
  const alive = () => {
    isAlive = true;
  };
  socket.on("pong", alive);
  socket.on("ping", alive);
  socket.on("message", (data, isBinary) => {
    alive();
    if (!isBinary) onText(data.toString());
  });
  socket.on("close", (code, reason) => {
    clearInterval(heartbeat);
    onClose(code, reason.toString());
  });
  return {
    send(text) {
      if (socket.readyState !== WebSocket.OPEN) return false;
      socket.send(text);
      return true;
    },
    close: (code = 1000, reason = "") => socket.close(code, reason),
  };
}
