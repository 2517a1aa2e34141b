import type { ErrorContent } from "@plenary/nemo";
import type { ProcessContext } from "../../context.ts";
import { type ProblemDocument, problemDocument } from "../../errors.ts";
import { problemHeaders } from "../../routing/guards.ts";
import { errorOf, sentenceOf } from "../error-text.ts";

/** The format of an answer: one of the toolkit's three, or OpenAI's, which has no steps and no traces. */
export type HttpStyle = "chat" | "generate" | "full" | "openai";

export type Endpoint = {
  style: HttpStyle;
  isStream: boolean | "asked";
  /** The client answers a question with a second request. The header Plenary-Interactive overrides it. */
  isInteractive: boolean;
};

const legacy = { isInteractive: false };
const versioned = { isInteractive: true };

/** Paths that take messages: the toolkit's versioned and legacy paths, and OpenAI's. */
export const endpoints = {
  "/chat": { style: "chat", isStream: false, ...legacy },
  "/chat/stream": { style: "chat", isStream: true, ...legacy },
  "/generate": { style: "generate", isStream: false, ...legacy },
  "/generate/stream": { style: "generate", isStream: true, ...legacy },
  "/generate/full": { style: "full", isStream: true, ...legacy },
  "/v1/chat": { style: "chat", isStream: false, ...versioned },
  "/v1/chat/stream": { style: "chat", isStream: true, ...versioned },
  "/v1/workflow": { style: "generate", isStream: false, ...versioned },
  "/v1/workflow/stream": { style: "generate", isStream: true, ...versioned },
  "/v1/workflow/full": { style: "full", isStream: true, ...versioned },
  "/v1/chat/completions": { style: "openai", isStream: "asked", ...legacy },
} as const satisfies Record<string, Endpoint>;

type EndpointPath = keyof typeof endpoints;

export const endpointPaths = Object.keys(endpoints) as EndpointPath[];

const otherToolkitPaths: ReadonlySet<string> = new Set(["/feedback", "/mcp/client/tool/list"]);

/** Whether clients of this path expect errors of the toolkit. */
function isToolkitPath(path: string): boolean {
  const endpoint: Endpoint | undefined = Object.hasOwn(endpoints, path) ? endpoints[path as EndpointPath] : undefined;
  if (endpoint !== undefined) return endpoint.style !== "openai";
  return otherToolkitPaths.has(path) || path.startsWith("/executions/");
}

/** Whether clients of this path expect errors of OpenAI. */
function isOpenAiPath(path: string): boolean {
  return path.startsWith("/v1/") && !isToolkitPath(path);
}

/** The error in the format of this path's clients; undefined where that is a problem document. */
export function foreignProblem(error: unknown, path: string, server: ProcessContext): Response | undefined {
  const isToolkit = isToolkitPath(path);
  if (!isToolkit && !isOpenAiPath(path)) return undefined;
  const content = errorOf(error, server);
  const problem = problemDocument(error, server.ids.random);
  const headers = { ...problemHeaders(problem), "content-type": "application/json" };
  if (!isToolkit) return Response.json(openAiError(problem, content), { status: problem.status, headers });
  const isShown = !unshown.has(problem.status) || path.startsWith("/executions/");
  return Response.json(content, { status: isShown ? problem.status : 422, headers });
}

/** The response when a message cannot be parsed, or its turn has only an error. */
export function errorResponse(error: ErrorContent, path: string, headers: Record<string, string> = {}): Response {
  if (!isOpenAiPath(path)) return Response.json(error, { status: 422, headers });
  // OpenAI clients retry after 5xx, and would ask the agent again.
  return Response.json(openAiErrorOf(error), { status: isOfAgent(error) ? 422 : 400, headers });
}

/** The error in OpenAI's format. */
export function openAiErrorOf(error: ErrorContent) {
  const type = isOfAgent(error) ? "server_error" : "invalid_request_error";
  return { error: { message: sentenceOf(error), type, param: null, code: error.code } };
}

function isOfAgent({ code }: ErrorContent): boolean {
  return code === "workflow_error" || code === "unknown_error";
}

/** The toolkit's client shows error texts of status 422 only. */
const unshown: ReadonlySet<number> = new Set([400, 413, 415]);

function openAiError({ type, status, pointer }: ProblemDocument, content: ErrorContent) {
  const kind = status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error";
  const code = status === 401 ? "invalid_api_key" : type.slice(type.lastIndexOf(":") + 1);
  return { error: { message: sentenceOf(content), type: kind, param: pointer ?? null, code } };
}
