import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { assertPlace, principalAtDoor } from "../admit.ts";
import { assertOpen, isOurs, Problem, problemDocument } from "../errors.ts";
import type { Running } from "../running.ts";
import { accept } from "./accept.ts";
import { assertKind, decodeBody, tooLarge } from "./body.ts";
import { problemHeaders } from "./problem.ts";

/**
 * Envelopes come in here all day: they are read from the socket and answered on it, without a Request, a Response and
 * their streams in between. Everything else, and every page of another origin, goes to `others`.
 */
export function createNodeDoor(running: Running, others: RequestListener): RequestListener {
  return (request, response) => {
    const isEnvelope = request.method === "POST" && request.url === "/openfloor";
    if (!isEnvelope || request.headers.origin !== undefined) return others(request, response);
    serve(running, request, response).catch((error) => fail(running, response, error));
  };
}

async function serve(running: Running, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers } = request;
  const header = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  const heads = { get: header };
  assertPlace(heads, running.door);
  assertOpen(running);
  const principal = principalAtDoor(heads, running.door);
  assertKind(heads);
  const text = decodeBody(await bytesOf(request, running.bodyBytesMax));
  const { headers: said, body } = await accept(running, { text, principal, header });
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

function fail(running: Running, response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.writableEnded) return;
  if (isOurs(error)) running.onError(error);
  const problem = problemDocument(error, running.ids.random);
  write(response, problem.status, problemHeaders(problem), JSON.stringify(problem));
}

const always = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };

function write(response: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  response.writeHead(status, { ...always, ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
