import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { DialLimits, DialResponse } from "./dial.ts";
import { DialError, type DialErrorCode } from "./dial-error.ts";

/** What the dispatcher lends us while the request is on a connection. */
type Controller = { readonly paused: boolean; abort(reason: Error): void; pause(): void; resume(): void };

type Caller = { signal: AbortSignal | undefined; onSent: (() => void) | undefined };

/**
 * One request and its answer, watched from the first moment to the last byte. Whatever goes wrong, whoever waits is told
 * once, the timers are gone and the connection is given back or closed.
 */
export class Exchange {
  readonly response: Promise<DialResponse>;
  readonly #url: string;
  readonly #limits: DialLimits;
  readonly #signal: AbortSignal | undefined;
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
      read: () => this.#readOn(),
      destroy: (reason, done) => {
        this.#fail("aborted", "the answer was not read to its end");
        done(reason);
      },
    });
    // Whoever reads the body sees the error there; without a reader it must not end the process.
    this.#body.on("error", () => {});
    this.#totalTimer = setTimeout(() => this.#tooSlow("the whole exchange", limits.totalMs), limits.totalMs);
    this.#expect("connecting", limits.connectMs);
    signal?.addEventListener("abort", this.#onAbort);
    if (signal?.aborted === true) this.#onAbort();
  }

  // From here on the request may be on the wire, and the far end may act on it.
  onRequestStart(controller: Controller) {
    if (this.#isOver) return controller.abort(new DialError(this.#url, "aborted", "nobody waits for this any longer"));
    this.#controller = controller;
    this.#onSent?.();
    this.#expect("the first byte of the answer", this.#limits.firstByteMs);
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
    this.#expect("the next part of the answer", this.#limits.silenceMs);
    this.#resolve({ status, headers: headersOf(headers), body: this.#body });
  }

  onResponseData(controller: Controller, chunk: Uint8Array) {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.answerBytesMax) return this.#tooLarge();
    this.#expect("the next part of the answer", this.#limits.silenceMs);
    if (this.#body.push(chunk)) return;
    // While the reader is slow the far end is not to blame.
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

  #onAbort = () => this.#fail("aborted", "the caller gave up", { cause: this.#signal?.reason });

  #readOn(): void {
    if (this.#controller?.paused !== true) return;
    this.#expect("the next part of the answer", this.#limits.silenceMs);
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
    this.#fail("too-large", `the answer has more than ${this.#limits.answerBytesMax} bytes`);
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

/** An attempt at several addresses fails with a code and no words. */
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
