import type { Issue } from "@plenary/protocol";

export type Problem = { status: number; title: string; detail: string; headers?: Record<string, string> };

/** RFC 9457. */
export function problemResponse({ status, title, detail, headers = {} }: Problem, more: object = {}): Response {
  return new Response(JSON.stringify({ type: "about:blank", title, status, detail, ...more }), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

/** Lists the path, the problem, the fix and the spec section of every fatal issue. */
export function badEnvelope(issues: readonly Issue[]): Response {
  const fatal = issues.filter(({ repaired }) => !repaired);
  const [first] = fatal;
  const listed = fatal.map(({ path, problem, fix, spec }) => ({ path, problem, fix, spec }));
  return problemResponse(
    { status: 400, title: "Invalid Open Floor envelope", detail: first?.problem ?? "the envelope cannot be read" },
    { ...(first && { pointer: first.path, spec: first.spec, fix: first.fix }), issues: listed },
  );
}
