import type { ErrorContent } from "@plenary/nemo";
import type { ServerContext } from "../../context.ts";
import { type ProblemDocument, problemDocument } from "../../errors.ts";
import { problemHeaders } from "../../routing/problem.ts";
import { errorOf, sentenceOf } from "../error-text.ts";
import { isOpenAiPath, isToolkitPath } from "./endpoints.ts";

/** The error in the format of this path's clients; undefined where that is a problem document. */
export function foreignProblem(error: unknown, path: string, server: ServerContext): Response | undefined {
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
