import type { ProblemDocument } from "../errors.ts";

/** The HTTP headers of a problem document (RFC 9457). */
export function problemHeaders(problem: ProblemDocument): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/problem+json" };
  if (problem.retryAfter !== undefined) headers["retry-after"] = String(problem.retryAfter);
  if (problem.status === 405) headers.allow = "POST";
  if (problem.status === 401) headers["www-authenticate"] = 'Bearer realm="plenary"';
  return headers;
}
