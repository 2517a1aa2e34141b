import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { addressOf } from "../auth/client-address.ts";
import { assertHostAndOrigin } from "../auth/origin-check.ts";
import type { ServerContext } from "../context.ts";
import { assertRecipientOf } from "../conversation/reply-authorization.ts";
import { assertOpen, isOurs, Problem, problemDocument } from "../errors.ts";
import { assertKind, decodeBody, tooLarge } from "../routing/body.ts";
import { accept } from "../routing/post-envelope.ts";
import { problemHeaders } from "../routing/problem.ts";
import type { RequestLimiter } from "./request-limit.ts";

/**
 * Envelopes come in here all day: they are read from the socket and answered on it, without a Request, a Response and
 * their streams in between. Everything else, and every page of another origin, goes to `others`.
 */
export function createFastPath(
  server: ServerContext,
  serving: RequestLimiter,
  others: RequestListener,
): RequestListener {
  return (request, response) => {
    response.once("finish", () => {
      if (isLeftUnread(request)) linger(server, request);
    });
    // Without a name there is nothing to judge it by, and no URL to make of it.
    if ((request.headers.host ?? "") === "") return fail(server, response, nameless());
    const isEnvelope = request.method === "POST" && request.url === "/openfloor";
    const begin = () => {
      if (!isEnvelope || request.headers.origin !== undefined) return others(request, response);
      const onWait = () => serving.release(request);
      return serve(server, request, response, onWait).catch((error) => fail(server, response, error));
    };
    serving.admit(request, response, addressOf(request, server.originPolicy), begin).then((problem) => {
      if (problem !== undefined) fail(server, response, problem);
    }, server.onError);
  };
}

function nameless(): Problem {
  return new Problem("forbidden-host", { detail: "the request names no host", fix: "send the header Host" });
}

const restBytesMax = 65_536;
const lingerMs = 1_000;

/** A client that is cut off while it sends cannot read the answer: it has a moment to do so before the connection closes. */
function linger({ clock }: ServerContext, request: IncomingMessage): void {
  const { socket } = request;
  // Nothing more of it is read, not even to be thrown away.
  socket.pause();
  const cancel = clock.at(clock.now() + lingerMs, () => socket.destroy());
  socket.once("close", cancel);
}

/** A refused client may have much more to send; a small rest is read, so that the connection can be used again. */
function isLeftUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const length = headers["content-length"];
  return length === undefined || Number(length) > restBytesMax;
}

async function serve(
  server: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  onWait: () => void,
): Promise<void> {
  const { headers } = request;
  const header = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  const heads = { get: header };
  assertHostAndOrigin(heads, server.originPolicy);
  assertOpen(server);
  const principal = await server.access.admitSender(heads, addressOf(request, server.originPolicy));
  assertKind(heads);
  const text = decodeBody(await bytesOf(request, server.bodyBytesMax));
  if (principal.kind === "recipient") assertRecipientOf(server, text, header("in-reply-to") ?? "");
  const { headers: said, body } = await accept(server, { text, principal, header, onWait });
  write(response, 200, said, body);
}

/** Bounded while it arrives. */
function bytesOf(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) reject(tooLarge(bytesMax));
      else chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("close", () => {
      if (!request.complete) reject(new Problem("bad-request", { detail: "the sender hung up" }));
    });
  });
}

function fail(server: ServerContext, response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.writableEnded) return;
  if (isOurs(error)) server.onError(error);
  const problem = problemDocument(error, server.ids.random);
  write(response, problem.status, problemHeaders(problem), JSON.stringify(problem));
}

const always = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };

function write(response: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  response.writeHead(status, { ...always, ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
