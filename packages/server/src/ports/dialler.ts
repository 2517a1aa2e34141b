import type { StopSignal } from "../stop-signal.ts";

/** The error that a dialler rejects with. */
export type DialFailure = Error & {
  code: string;
  /** The peer may have received the request: a retry may repeat its effect. */
  isSent: boolean;
  /** The request was not processed, and a retry may succeed. */
  retryable: boolean;
  /** The target of a redirect. */
  location?: string | undefined;
};

export type DialRequest = {
  url: string;
  body: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** The same signal. Cheaper than `signal`, and enough to listen for the abort. */
  stop?: StopSignal;
  /** Called when the request is being sent: from then on the peer may act on it. */
  onSent?: () => void;
  connectMs: number;
  /** Timeouts: to the first byte of the answer, between two bytes, in total. Default: the dialler's. */
  firstByteMs?: number;
  silenceMs?: number;
  totalMs?: number;
};

export type DialResponse = {
  status: number;
  headers: { get(name: string): string | null };
  /** The caller reads it to the end, or leaves the loop with `break`. */
  body: AsyncIterable<Uint8Array>;
  /** The whole body, where the dialler has already read it. */
  whole?: Uint8Array;
};

/** The only outbound HTTP client (D32). POSTs, follows no redirect, rejects with a `DialFailure`. */
export interface Dialler {
  dial(request: DialRequest): Promise<DialResponse>;
  /** Throws a `DialFailure` when the URL, or an address in it, is not allowed. Connects to nothing. */
  check?(url: string): void;
}
