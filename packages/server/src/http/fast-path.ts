import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { addressOf } from "../auth/client-address.ts";
import { assertHostAndOrigin } from "../auth/origin-check.ts";
import type { AccessContext, ConversationContext, ProcessContext } from "../context.ts";
import { jsonTextOf } from "../conversation/decode.ts";
import { assertRecipientOf } from "../conversation/reply-authorization.ts";
import { assertOpen, isOurs, Problem, problemDocument } from "../errors.ts";
import { assertKind, decodeBody, tooLarge } from "../routing/body.ts";
import { problemHeaders } from "../routing/guards.ts";
import { accept } from "../routing/post-envelope.ts";
import type { RequestLimiter } from "./request-limit.ts";

/**
 * Serves POST /openfloor directly on Node's request and response, because creating a Request and a Response is slow. All
 * other requests, and requests with an Origin header, go to `others`.
 */
export function createFastPath(
  server: ConversationContext & AccessContext,
  limiter: RequestLimiter,
  others: RequestListener,
): RequestListener {
  return (request, response) => {
    response.once("finish", () => {
      if (isLeftUnread(request)) linger(server, request);
    });
    // Without Host there is no URL, and the host check has no value.
    if ((request.headers.host ?? "") === "") {
      const problem = { detail: "the request has no Host header", fix: "send the header Host" };
      return fail(server, response, new Problem("forbidden-host", problem));
    }
    const isEnvelope = request.method === "POST" && request.url === "/openfloor";
    const begin = () => {
      if (!isEnvelope || request.headers.origin !== undefined) return others(request, response);
      const onWait = () => limiter.release(request);
      return serve(server, request, response, onWait).catch((error) => fail(server, response, error));
    };
    limiter.admit(request, response, addressOf(request, server.originPolicy), begin).then((problem) => {
      if (problem !== undefined) fail(server, response, problem);
    }, server.onError);
  };
}

const restBytesMax = 65_536;
const lingerMs = 1_000;

/** Keeps the connection open for a moment, so that a client that is still sending can read the response. */
function linger({ clock }: ProcessContext, request: IncomingMessage): void {
  const { socket } = request;
  // The rest of the body is not read.
  socket.pause();
  const cancel = clock.at(clock.now() + lingerMs, () => socket.destroy());
  socket.once("close", cancel);
}

/** Whether the rest of the body is too large to be read. A small rest is read, so that the connection can be reused. */
function isLeftUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const length = headers["content-length"];
  return length === undefined || Number(length) > restBytesMax;
}

async function serve(
  server: ConversationContext & AccessContext,
  request: IncomingMessage,
  response: ServerResponse,
  onWait: () => void,
): Promise<void> {
  const { headers } = request;
  const header = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  const reader = { get: header };
  assertHostAndOrigin(reader, server.originPolicy);
  assertOpen(server);
  const principal = await server.access.admitSender(reader, addressOf(request, server.originPolicy));
  assertKind(reader);
  const document = jsonTextOf(decodeBody(await bytesOf(request, server.bodyBytesMax)));
  if (principal.kind === "recipient") assertRecipientOf(server, document, header("in-reply-to") ?? "");
  const accepted = await accept(server, { document, principal, header, onWait });
  write(response, 200, accepted.headers, accepted.body);
}

/** Rejects as soon as the body is larger than `bytesMax`. */
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
      if (!request.complete) reject(new Problem("bad-request", { detail: "the client closed the connection" }));
    });
  });
}

function fail(server: ProcessContext, response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.writableEnded) return;
  if (isOurs(error)) server.onError(error);
  const problem = problemDocument(error, server.ids.random);
  write(response, problem.status, problemHeaders(problem), JSON.stringify(problem));
}

const securityHeaders = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };

function write(response: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  response.writeHead(status, { ...securityHeaders, ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
