/** What a dialler rejects with. */

export type DialFailure = Error & {
  code: string;
  /** The peer may have seen the request, so that repeating it is not harmless. */
  isSent: boolean;
  /** Surely not processed, and trying again may help. */
  retryable: boolean;
  /** Of a redirect: the address that it names. */
  location?: string | undefined;
};

export type DialRequest = {
  url: string;
  body: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Called when the connection is open and the bytes go out: from then on the peer may act on them. */
  onSent?: () => void;
  connectMs: number;
  /** To the first byte of the answer, between any two, and in all; the dialler's own where absent. */
  firstByteMs?: number;
  silenceMs?: number;
  totalMs?: number;
};

export type DialResponse = {
  status: number;
  headers: { get(name: string): string | null };
  /** To be read to its end or left by `break`. */
  body: AsyncIterable<Uint8Array>;
};

/** The only way out of this process (D32). POSTs, follows no redirect, rejects with a `DialFailure`. */
export interface Dialler {
  dial(request: DialRequest): Promise<DialResponse>;
}
