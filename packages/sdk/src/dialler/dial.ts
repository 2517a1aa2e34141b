/** Every outbound wait and size has a maximum. */
export type DialLimits = {
  connectMs: number;
  /** To the first byte of the response. */
  firstByteMs: number;
  /** Between two parts of the response. */
  silenceMs: number;
  totalMs: number;
  /** Of a response, and of a WebSocket message. */
  answerBytesMax: number;
};

export const dialLimits: DialLimits = {
  connectMs: 3_000,
  firstByteMs: 30_000,
  silenceMs: 30_000,
  totalMs: 300_000,
  answerBytesMax: 1_048_576,
};

/** The part of AbortSignal that a dialler uses. */
export type StopSignal = Pick<AbortSignal, "aborted"> & {
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
};

export type DialRequest = Partial<Omit<DialLimits, "answerBytesMax">> & {
  url: string;
  /** Default: POST. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** In place of `signal`, for callers that have no signal of the platform. */
  stop?: StopSignal;
  /** Called when the request is about to be written: from then on the server may act on it. */
  onSent?: () => void;
};

/** The part of Headers that is needed to read a response. */
export type ResponseHeaders = Pick<Headers, "get" | "has"> & Iterable<[name: string, value: string]>;

export type DialResponse = {
  status: number;
  headers: ResponseHeaders;
  /** Holds a connection until it is read to its end or left by `break`. */
  body: AsyncIterable<Uint8Array>;
  /** The whole body, if it is small: then it is already read, and the connection is free. */
  whole?: Uint8Array;
};

export type SocketRequest = {
  /** ws: or wss: */
  url: string;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  connectMs?: number;
  onText: (text: string) => void;
  /** Called once when an open socket has closed, by either side. */
  onClose: (code: number, reason: string) => void;
};

export type DialledSocket = {
  /** False when the socket is closed. */
  send(text: string): boolean;
  close(code?: number, reason?: string): void;
};

/** The only code that opens outbound connections (D32). `dial` and `dialSocket` reject with `DialError`. */
export interface Dialler {
  dial(request: DialRequest): Promise<DialResponse>;
  /** Throws a `DialError` when the URL, or an address in it, is not allowed. Connects to nothing. */
  check(url: string): void;
  dialSocket(request: SocketRequest): Promise<DialledSocket>;
  close(): Promise<void>;
}

/** Fetches untrusted URLs, so it has to refuse addresses that must not be reached. */
export type TextDialler = Pick<Dialler, "dial">;

/** Reads the whole response as text. The dialler limits its size. */
export async function dialText(dialler: TextDialler, request: DialRequest): Promise<{ status: number; text: string }> {
  const { status, body } = await dialler.dial(request);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return { status, text: text + decoder.decode() };
}
