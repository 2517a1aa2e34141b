import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { DialLimits, DialResponse, StopSignal } from "./dial.ts";
import { DialError, type DialErrorCode } from "./dial-error.ts";

/** The controller of undici for a dispatched request. */
type Controller = { readonly paused: boolean; abort(reason: Error): void; pause(): void; resume(): void };

type Caller = { signal: StopSignal | undefined; onSent: (() => void) | undefined };

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
  readonly #body: Readable;
  #controller: Controller | undefined;
  #resolve: (response: DialResponse) => void = () => {};
  #reject: (error: DialError) => void = () => {};
  #stepTimer: NodeJS.Timeout | undefined;
  readonly #totalTimer: NodeJS.Timeout;
  #bytes = 0;
  #isOver = false;

  constructor(url: string, limits: DialLimits, { signal, onSent }: Caller) {
    this.#url = url;
    this.#limits = limits;
    this.#signal = signal;
    this.#onSent = onSent;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#body = new Readable({
      highWaterMark: 65_536,
      read: () => this.#resumeReading(),
      destroy: (reason, done) => {
        this.#fail("aborted", "the response was not read to its end");
        done(reason);
      },
    });
    // A reader of the body gets the error. Without a reader it must not end the process.
    this.#body.on("error", () => {});
    this.#totalTimer = setTimeout(() => this.#tooSlow("the whole request", limits.totalMs), limits.totalMs);
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

  onResponseStart(_controller: Controller, status: number, headers: IncomingHttpHeaders) {
    if (status < 200) return;
    if (status < 400 && status >= 300) {
      const { location } = headers;
      return this.#fail("redirect", `answered ${status}, and redirects are not followed`, { location });
    }
    const encoding = headers["content-encoding"] ?? "identity";
    if (encoding.toLowerCase() !== "identity") return this.#fail("encoded", `answered in ${encoding}`);
    if (Number(headers["content-length"] ?? 0) > this.#limits.answerBytesMax) return this.#tooLarge();
    this.#expect("the next part of the response", this.#limits.silenceMs);
    this.#resolve({ status, headers: headersOf(headers), body: this.#body });
  }

  onResponseData(controller: Controller, chunk: Uint8Array) {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.answerBytesMax) return this.#tooLarge();
    this.#expect("the next part of the response", this.#limits.silenceMs);
    if (this.#body.push(chunk)) return;
    // A slow reader must not count against the server.
    clearTimeout(this.#stepTimer);
    controller.pause();
  }

  onResponseEnd() {
    this.#settle();
    this.#body.push(null);
  }

  onResponseError(_controller: unknown, cause: Error) {
    if (cause instanceof DialError) return this.#fail(cause.code, cause.problem, { cause });
    const isReached = this.#controller !== undefined;
    const code = isTimeout(cause) ? "timeout" : isReached ? "broken" : "unreachable";
    this.#fail(code, problemOf(cause), { cause });
  }

  #onAbort = () => this.#fail("aborted", "the caller aborted", { cause: this.#signal?.reason });

  #resumeReading(): void {
    if (this.#controller?.paused !== true) return;
    this.#expect("the next part of the response", this.#limits.silenceMs);
    this.#controller.resume();
  }

  #expect(step: string, ms: number): void {
    clearTimeout(this.#stepTimer);
    if (!this.#isOver) this.#stepTimer = setTimeout(() => this.#tooSlow(step, ms), ms);
  }

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
    this.#body.destroy(error);
  }

  #settle(): void {
    this.#isOver = true;
    clearTimeout(this.#stepTimer);
    clearTimeout(this.#totalTimer);
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

function headersOf(incoming: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming)) {
    for (const item of [value ?? []].flat()) headers.append(name, item);
  }
  return headers;
}
