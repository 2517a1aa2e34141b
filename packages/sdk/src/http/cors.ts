import { isSameUri } from "@plenary/protocol";
import { problemResponse } from "./problem-response.ts";

/** An agent requires no browser credential, so a web page may do what every program may. */
export const everyOrigin: readonly string[] = ["*"];

/** The longest time that browsers cache a preflight. */
const maxAgeS = 7_200;

/** Answers preflight requests, and refuses requests of web pages of other origins. */
export async function withCors(
  request: Request,
  allowOrigins: readonly string[],
  answer: () => Promise<Response>,
): Promise<Response> {
  const origin = request.headers.get("origin");
  if (origin !== null && allowedFor(origin, allowOrigins) === undefined) return notAllowed(origin);
  const response = request.method === "OPTIONS" ? preflightAnswer(request) : await answer();
  return addCorsHeaders(origin, allowOrigins, response);
}

/** Lets the web page read the response, errors included. */
export function addCorsHeaders(origin: string | null, allowOrigins: readonly string[], response: Response): Response {
  const allowed = allowedFor(origin ?? "", allowOrigins);
  if (allowed !== undefined) {
    response.headers.set("access-control-allow-origin", allowed);
    response.headers.set("access-control-expose-headers", "*");
  }
  if (allowed !== "*") response.headers.append("vary", "Origin");
  return response;
}

function allowedFor(origin: string, allowOrigins: readonly string[]): string | undefined {
  if (allowOrigins.includes("*")) return "*";
  return allowOrigins.some((one) => isSameUri(one, origin)) ? origin : undefined;
}

function notAllowed(origin: string): Response {
  const detail = `web pages of ${JSON.stringify(origin)} may not call this agent; its operator can allow them with allowOrigins`;
  return problemResponse({ status: 403, title: "Origin not allowed", detail, headers: { vary: "Origin" } });
}

function preflightAnswer({ headers }: Request): Response {
  const asked = headers.get("access-control-request-headers");
  const isPrivateNetwork = headers.get("access-control-request-private-network") === "true";
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "POST",
      "access-control-max-age": String(maxAgeS),
      ...(asked !== null && { "access-control-allow-headers": asked }),
      ...(isPrivateNetwork && { "access-control-allow-private-network": "true" }),
    },
  });
}
