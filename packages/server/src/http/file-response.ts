import type { Context } from "hono";
import { Problem, type ProblemDetails } from "../errors.ts";
import type { PageFile } from "../ports/page-files.ts";
import type { Env } from "../routing/guards.ts";

/** The page connects to this floor only; media of agents may come from other hosts. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob: https: http:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'none'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const securityHeaders = {
  "Content-Security-Policy": policy,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
};

/** Answers with a file, or 304 if the client has it. `missing` says what to do when there is no such file. */
export function sendFile(c: Context<Env>, file: PageFile | undefined, missing: ProblemDetails = {}): Response {
  if (file === undefined) throw new Problem("not-found", missing);
  const { gzip, type, isImmutable } = file;
  const isZipped = gzip !== undefined && acceptsGzip(c.req.header("accept-encoding"));
  // Each encoding has its own ETag (RFC 9110, 8.8.3.3).
  const etag = isZipped ? file.etag.replace(/"$/u, '-gzip"') : file.etag;
  const bytes = isZipped ? gzip : file.bytes;
  for (const [name, value] of Object.entries(securityHeaders)) c.header(name, value);
  c.header("Cache-Control", isImmutable ? "public, max-age=31536000, immutable" : "no-cache");
  c.header("ETag", etag);
  if (gzip !== undefined) c.header("Vary", "Accept-Encoding", { append: true });
  if (isKnown(c.req.header("if-none-match"), etag)) return c.body(null, 304);
  c.header("Content-Type", type);
  c.header("Content-Length", String(bytes.length));
  if (isZipped) c.header("Content-Encoding", "gzip");
  return c.body(bytes);
}

/** RFC 9110, 12.5.3: the weight of gzip, else of `*`; without either, no compression. */
export function acceptsGzip(acceptEncoding = ""): boolean {
  const weights = new Map(acceptEncoding.split(",").map(codingAndWeight));
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}

function codingAndWeight(item: string): [string, number] {
  const [coding = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
  const q = parameters.find((one) => one.startsWith("q="));
  return [coding, q === undefined ? 1 : Number(q.slice(2)) || 0];
}

/** RFC 9110, 13.1.2: weak comparison; `*` matches any. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//u, ""));
  return tags.includes(etag) || tags.includes("*");
}
