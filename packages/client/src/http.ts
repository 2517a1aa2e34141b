import { FloorProblem, problemIn, Unreachable } from "./problem.ts";
import type { Limits } from "./retry.ts";

export type Query = Readonly<Record<string, string | number | undefined>>;

export type FloorRequest = {
  query?: Query;
  body?: object | undefined;
  headers?: Readonly<Record<string, string>>;
  /** Instead of the current token. */
  token?: string;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
};

export type HttpOptions = {
  url: string;
  token?: string | undefined;
  fetch: typeof fetch;
  limits: Limits;
  /** Finds the floor again when it does not answer. */
  locate?: (() => Promise<{ url: string; token?: string } | undefined>) | undefined;
  /** The credential has ended. */
  onUnauthorized?: ((problem: FloorProblem) => void) | undefined;
};

type Answer = { json: unknown; headers: Headers };
type OpenAnswer = { body: ReadableStream<Uint8Array>; close: () => void };

/** All requests to one floor. They reject with `FloorProblem`, or with the reason of an aborted signal. */
export class Http {
  readonly #options: HttpOptions;
  readonly #over = new AbortController();
  /** Abort the requests under way. No listeners of a signal: Node warns of more than ten. */
  readonly #aborts = new Set<() => void>();
  readonly #clock = createFloorClock();
  #url: string;
  #token: string | undefined;
  #renew: (() => Promise<string>) | undefined;
  #renewing: Promise<string> | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#url = options.url;
    this.#token = options.token;
  }

  get url(): string {
    return this.#url;
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** Aborted by `close`. One for each conversation: Node warns of more than ten listeners of one signal. */
  newSignal(): AbortSignal {
    const controller = new AbortController();
    const abort = () => controller.abort(this.#over.signal.reason);
    if (this.#over.signal.aborted) abort();
    this.#aborts.add(abort);
    return controller.signal;
  }

  /** The floor's time. */
  nowMs(): number {
    return this.#clock.nowMs();
  }

  answer(method: string, path: string, request: FloorRequest = {}): Promise<Answer> {
    return this.#ask(method, path, request, async (response, { release }) => {
      const json = response.status === 204 ? undefined : await jsonIn(response, this.#options.limits.answerBytesMax);
      release();
      return { json, headers: response.headers };
    });
  }

  async json<T>(method: string, path: string, request?: FloorRequest): Promise<T> {
    return (await this.answer(method, path, request)).json as T;
  }

  text(path: string, request: FloorRequest = {}): Promise<string> {
    return this.#ask("GET", path, request, async (response, { release }) => {
      const text = await textIn(response, this.#options.limits.answerBytesMax);
      release();
      return text;
    });
  }

  /** A body that stays open until the caller closes it. */
  stream(path: string, request: FloorRequest): Promise<OpenAnswer> {
    return this.#ask("GET", path, request, async ({ body }, { stopTimer, close }) => {
      if (body === null) throw new UnusableAnswer("the floor sent nothing");
      stopTimer();
      return { body, close };
    });
  }

  /** `renew` makes another one when it has expired. */
  setToken(token: string, renew?: () => Promise<string>): void {
    this.#token = token;
    this.#renew = renew;
  }

  close(): void {
    this.#over.abort(new DOMException("the client is closed", "AbortError"));
    for (const abort of [...this.#aborts]) abort();
  }

  async #ask<T>(method: string, path: string, request: FloorRequest, read: Reader<T>): Promise<T> {
    const used = this.#token;
    try {
      return await this.#once(method, path, request, read);
    } catch (error) {
      if (!(error instanceof FloorProblem) || request.token !== undefined) throw error;
      const isChanged =
        error.status === 401 ? await this.#hasNewToken(used) : error.status === 0 && (await this.#hasMoved());
      if (isChanged) return this.#once(method, path, request, read);
      if (error.status === 401) this.#options.onUnauthorized?.(error);
      throw error;
    }
  }

  async #once<T>(method: string, path: string, request: FloorRequest, read: Reader<T>): Promise<T> {
    const { body, query, signal, token = this.#token, timeoutMs = this.#options.limits.requestMs } = request;
    const limit = deadline(timeoutMs, this.#aborts, signal);
    if (this.#over.signal.aborted) limit.close();
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    try {
      const askedAtMs = Date.now();
      // Bare, because browsers refuse a fetch that is called as a method.
      const { fetch } = this.#options;
      const response = await fetch(`${this.#url}${path}${queryOf(query)}`, {
        method,
        headers: { ...json, ...request.headers, ...authorization },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: "error",
        signal: limit.signal,
      });
      this.#clock.observe(response.headers.get("date"), askedAtMs);
      if (!response.ok) throw problemIn(await jsonIn(response, problemBytesMax).catch(() => ({})), response.status);
      return await read(response, limit);
    } catch (error) {
      limit.release();
      for (const one of [signal, this.#over.signal]) if (one?.aborted) throw one.reason;
      if (error instanceof FloorProblem) throw error;
      const detail = limit.isOver() ? "the floor did not answer in time" : "the floor cannot be reached";
      throw new Unreachable(this.#url, error instanceof UnusableAnswer ? error.message : detail, error);
    }
  }

  async #hasNewToken(used: string | undefined): Promise<boolean> {
    if (this.#renew === undefined || this.#token !== used) return this.#token !== used;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    this.#token = await this.#renewing;
    return true;
  }

  /** A restarted floor may listen at another address. */
  async #hasMoved(): Promise<boolean> {
    const next = await this.#options.locate?.().catch(() => undefined);
    const isSame = next?.url === this.#url && (next.token === undefined || next.token === this.#token);
    if (next === undefined || isSame) return false;
    this.#url = next.url;
    if (this.#renew === undefined) this.#token = next.token ?? this.#token;
    return true;
  }
}

const problemBytesMax = 1_048_576;

type Deadline = ReturnType<typeof deadline>;
type Reader<T> = (response: Response, limit: Deadline) => Promise<T>;

/** Aborts by the given signal, by `aborts` and after a time. `release` removes its listeners: some signals live long. */
function deadline(ms: number, aborts: Set<() => void>, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  let isOver = false;
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort();
  }, ms);
  signal?.addEventListener("abort", abort);
  aborts.add(abort);
  if (signal?.aborted) abort();
  const release = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    aborts.delete(abort);
  };
  return {
    signal: controller.signal,
    isOver: () => isOver,
    stopTimer: () => clearTimeout(timer),
    release,
    close: () => {
      release();
      controller.abort();
    },
  };
}

export function queryOf(query: Query = {}): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) fields.set(name, String(value));
  return fields.size === 0 ? "" : `?${fields}`;
}

class UnusableAnswer extends Error {}

async function jsonIn(response: Response, bytesMax: number): Promise<unknown> {
  const text = await textIn(response, bytesMax);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Reported below, like a number or a text.
  }
  throw new UnusableAnswer("the answer is no JSON object, so it is not from a floor");
}

async function textIn({ body }: Response, bytesMax: number): Promise<string> {
  if (body === null) return "";
  let [text, bytes] = ["", 0];
  const decoder = new TextDecoder();
  for await (const piece of piecesOf(body)) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new UnusableAnswer(`the answer has more than ${bytesMax} bytes`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** Not every browser iterates over a stream. */
export async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // A stream that broke cannot be cancelled.
    reader.cancel().catch(() => undefined);
  }
}

/** The `Date` header has a resolution of one second. */
const resolutionMs = 1_000;

/**
 * The floor's time, estimated here. Deadlines are in its time, and the local clock may be wrong. The floor wrote the
 * header between request and answer, so every answer bounds the offset between the clocks; within them it is kept.
 */
export function createFloorClock(ownMs: () => number = () => Date.now()) {
  let aheadMs = 0;
  return {
    observe(date: string | null, askedAtMs: number) {
      const floorMs = Date.parse(date ?? "");
      if (Number.isNaN(floorMs)) return;
      aheadMs = Math.max(floorMs - ownMs(), Math.min(aheadMs, floorMs + resolutionMs - askedAtMs));
    },
    nowMs: () => ownMs() + aheadMs,
  };
}
