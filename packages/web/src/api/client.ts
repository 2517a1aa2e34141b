import { texts } from "../texts/texts.ts";
import { floorClock } from "./floor-clock.ts";

/** A request that the server refused or that failed. The message is a text for people. */
export class RequestError extends Error {
  override readonly name = "FloorProblem";
  /** The HTTP status; 0 when the server could not be reached. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }

  /** The same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** This page has no access, or has lost it. */
  get isDenied(): boolean {
    return this.status === 401 || this.status === 403 || this.status === 404;
  }
}

export type Client = ReturnType<typeof createClient>;

/** A connection may be dead without a sign, so every request has a timeout. */
export const timeoutMs = 20_000;

/** All requests of the page. Without a token, the browser's cookie authenticates them. */
export function createClient(token: string | undefined, onUnknown?: (problem: RequestError) => void) {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const ask = async (method: string, path: string, options: RequestInit = {}): Promise<Response> => {
    const headers = { ...authorization, ...(options.headers as Record<string, string> | undefined) };
    const askedAtMs = Date.now();
    const response = await fetch(path, { ...options, method, headers, redirect: "error" });
    floorClock.observe(response.headers.get("date"), askedAtMs);
    if (response.ok) return response;
    const problem = await errorOf(response);
    if (problem.status === 401) onUnknown?.(problem);
    throw problem;
  };
  return {
    get: <Answer>(path: string): Promise<Answer> =>
      withTimeout(async (signal) => (await ask("GET", path, { signal })).json()),
    post: <Answer>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
      withTimeout(async (signal) => {
        const json = body === undefined ? {} : { "content-type": "application/json" };
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        const response = await ask("POST", path, { headers: { ...json, ...headers }, ...sent, signal });
        return response.status === 204 ? undefined : response.json();
      }),
    remove: (path: string) => withTimeout(async (signal) => void (await ask("DELETE", path, { signal }))),
    /** A response body that stays open. */
    stream: async (path: string, signal: AbortSignal) => {
      const { body } = await ask("GET", path, { signal });
      if (body === null) throw new RequestError(texts.errors.nothingSent, 0);
      return body;
    },
  };
}

/**
 * A request that breaks before its whole response arrived counts as temporary: it is unknown whether the server
 * received it.
 */
async function withTimeout<Answer>(run: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  try {
    return await run(AbortSignal.timeout(timeoutMs));
  } catch (error) {
    throw error instanceof RequestError ? error : new RequestError(texts.errors.unreachable, 0);
  }
}

async function errorOf(response: Response): Promise<RequestError> {
  const problem: { title?: string; detail?: string; fix?: string } = await response.json().catch(() => ({}));
  const { title = texts.errors.status(response.status), detail = title, fix } = problem;
  const text = [detail, fix].filter((part) => part !== undefined && part !== "").map((part) => sentence(String(part)));
  return new RequestError(text.join(" "), response.status);
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const ended = /[.?!]$/u.test(trimmed) ? trimmed : `${trimmed}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

/** A text for people about anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : texts.common.failed;
}
