import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { DialLimits, DialRequest, DialResponse, StopSignal } from "./dial.ts";
import { DialError, type DialErrorCode } from "./dial-error.ts";
import { IncomingHeaders } from "./response-headers.ts";

/** The controller of undici for a dispatched request. */
type Controller = { readonly paused: boolean; abort(reason: Error): void; pause(): void; resume(): void };

type Caller = Pick<DialRequest, "signal" | "stop"> & { onSent?: () => void };

/** A body that claims to be at most this long is given out when it is complete. */
const wholeBytesMax = 65_536;

/**
 * One HTTP request and its response, with timeouts and a size limit up to the last byte. On every failure the promise or the
 * body rejects once, the timers are cleared, and the connection is released or closed.
 */
export class HttpExchange {
  readonly response: Promise<DialResponse>;
  readonly #url: string;
  readonly #limits: DialLimits;
  readonly #signal: StopSignal | undefined;
  readonly #onSent: (() => void) | undefined;
  /** Set when the body is given out as a stream. */
  #body: Readable | undefined;
  /** Set while a small body is collected. */
  #chunks: Uint8Array[] | undefined;
  #head: Pick<DialResponse, "status" | "headers"> | undefined;
  #controller: Controller | undefined;
  #resolve: (response: DialResponse) => void = () => {};
  #reject: (error: DialError) => void = () => {};
  /** What is waited for, and until when, by the monotonic clock. */
  #step = "connecting";
  #stepMs = 0;
  #stepEndMs = 0;
  readonly #totalEndMs: number;
  /** Runs at the earlier end or before; a later end needs no new timer. */
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;
  #bytes = 0;
  #isOver = false;

  constructor(url: string, limits: DialLimits, caller: Caller) {
    const { onSent } = caller;
    const signal = caller.stop ?? caller.signal;
    this.#url = url;
    this.#limits = limits;
    this.#signal = signal;
    this.#onSent = onSent;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#totalEndMs = performance.now() + limits.totalMs;
    this.#expect("connecting", limits.connectMs);
    signal?.addEventListener("abort", this.#onAbort);
    if (signal?.aborted === true) this.#onAbort();
  }

  // From here on the server may receive the request and act on it.
  onRequestStart(controller: Controller) {
    if (this.#isOver) return controller.abort(new DialError(this.#url, "aborted", "the request has already ended"));
    this.#controller = controller;
    this.#onSent?.();
    this.#expect("the first byte of the response", this.#limits.firstByteMs);
  }

  onResponseStart(_controller: Controller, status: number, incoming: IncomingHttpHeaders) {
    if (status < 200) return;
    const headers = new IncomingHeaders(incoming);
    if (status < 400 && status >= 300) {
      const location = headers.get("location") ?? undefined;
      return this.#fail("redirect", `answered ${status}, and redirects are not followed`, { location });
    }
    const encoding = headers.get("content-encoding") ?? "identity";
    if (encoding.toLowerCase() !== "identity") return this.#fail("encoded", `answered in ${encoding}`);
    const length = Number(headers.get("content-length") ?? Number.NaN);
    if (length > this.#limits.answerBytesMax) return this.#tooLarge();
    this.#expect("the next part of the response", this.#limits.silenceMs);
    if (isWhole(status, headers, length)) {
      this.#chunks = [];
      this.#head = { status, headers };
      return;
    }
    this.#body = this.#stream();
    this.#resolve({ status, headers, body: this.#body });
  }

  onResponseData(controller: Controller, chunk: Uint8Array) {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.answerBytesMax) return this.#tooLarge();
    this.#expect("the next part of the response", this.#limits.silenceMs);
    if (this.#chunks !== undefined) {
      this.#chunks.push(chunk);
      return;
    }
    if (this.#body?.push(chunk) !== false) return;
    // A slow reader must not count against the server.
    this.#stepEndMs = Number.POSITIVE_INFINITY;
    controller.pause();
  }

  onResponseEnd() {
    this.#settle();
    this.#body?.push(null);
    const [chunks, head] = [this.#chunks, this.#head];
    if (chunks === undefined || head === undefined) return;
    const [only] = chunks;
    const whole = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
    this.#resolve({ ...head, body: { [Symbol.asyncIterator]: () => once(whole) }, whole });
  }

  onResponseError(_controller: unknown, cause: Error) {
    if (cause instanceof DialError) return this.#fail(cause.code, cause.problem, { cause });
    const isReached = this.#controller !== undefined;
    const code = isTimeout(cause) ? "timeout" : isReached ? "broken" : "unreachable";
    this.#fail(code, problemOf(cause), { cause });
  }

  #onAbort = () => this.#fail("aborted", "the caller aborted", { cause: this.#signal?.reason });

  #stream(): Readable {
    const body = new Readable({
      highWaterMark: 65_536,
      read: () => this.#resumeReading(),
      destroy: (reason, done) => {
        this.#fail("aborted", "the response was not read to its end");
        done(reason);
      },
    });
    // A reader of the body gets the error. Without a reader it must not end the process.
    body.on("error", () => {});
    return body;
  }

  #resumeReading(): void {
    if (this.#controller?.paused !== true) return;
    this.#expect("the next part of the response", this.#limits.silenceMs);
    this.#controller.resume();
  }

  #expect(step: string, ms: number): void {
    if (this.#isOver) return;
    this.#step = step;
    this.#stepMs = ms;
    this.#stepEndMs = performance.now() + ms;
    this.#watchUntil(Math.min(this.#stepEndMs, this.#totalEndMs));
  }

  #watchUntil(endMs: number): void {
    if (endMs >= this.#timerMs) return;
    clearTimeout(this.#timer);
    this.#timerMs = endMs;
    this.#timer = setTimeout(this.#check, Math.max(1, endMs - performance.now()));
  }

  #check = () => {
    const nowMs = performance.now();
    // A timer may run a little early.
    if (nowMs + 1 >= this.#totalEndMs) return this.#tooSlow("the whole request", this.#limits.totalMs);
    if (nowMs + 1 >= this.#stepEndMs) return this.#tooSlow(this.#step, this.#stepMs);
    this.#timerMs = Number.POSITIVE_INFINITY;
    this.#watchUntil(Math.min(this.#stepEndMs, this.#totalEndMs));
  };

  #tooSlow(step: string, ms: number): void {
    this.#fail("timeout", `${step} took more than ${ms} ms`);
  }

  #tooLarge(): void {
    this.#fail("too-large", `the response has more than ${this.#limits.answerBytesMax} bytes`);
  }

  #fail(code: DialErrorCode, problem: string, more: { cause?: unknown; location?: string | undefined } = {}): void {
    if (this.#isOver) return;
    const error = new DialError(this.#url, code, problem, { isSent: this.#controller !== undefined, ...more });
    this.#settle();
    this.#reject(error);
    this.#controller?.abort(error);
    this.#body?.destroy(error);
  }

  #settle(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}

/** An attempt at several addresses fails with a code and without a message. */
export function problemOf(cause: Error & { code?: string }): string {
  return cause.message || cause.code || cause.name;
}

export function isTimeout(error: Error & { code?: string }): boolean {
  return error.code === "UND_ERR_CONNECT_TIMEOUT" || error.code === "ETIMEDOUT";
}

/** A status of failure is given out at once, even if its body breaks off; an event stream has parts. */
function isWhole(status: number, headers: IncomingHeaders, length: number): boolean {
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  return status < 300 && length <= wholeBytesMax && !isStream;
}

async function* once(whole: Uint8Array): AsyncGenerator<Uint8Array> {
  if (whole.length > 0) yield whole;
}
