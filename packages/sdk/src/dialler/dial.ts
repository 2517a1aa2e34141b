/** Every wait and every size on the way out has a maximum. */
export type DialLimits = {
  connectMs: number;
  /** To the first byte of the answer. */
  firstByteMs: number;
  /** Between any two bytes of it. */
  silenceMs: number;
  totalMs: number;
  /** Of an answer, and of a frame of a socket. */
  answerBytesMax: number;
};

export const dialLimits: DialLimits = {
  connectMs: 3_000,
  firstByteMs: 30_000,
  silenceMs: 30_000,
  totalMs: 300_000,
  answerBytesMax: 1_048_576,
};

export type DialRequest = Partial<Omit<DialLimits, "answerBytesMax">> & {
  url: string;
  /** POST unless told otherwise. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** Called once the connection is open and the request goes out: from then on the far end may act on it. */
  onSent?: () => void;
};

export type DialResponse = {
  status: number;
  headers: Headers;
  /** To be read to its end or left by `break`; it holds a connection until then. */
  body: AsyncIterable<Uint8Array>;
};

export type SocketRequest = {
  /** ws: or wss: */
  url: string;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  connectMs?: number;
  onText: (text: string) => void;
  /** Once, when an open socket has closed, whoever closed it. */
  onClose: (code: number, reason: string) => void;
};

export type DialledSocket = {
  /** False when the socket is not open any more. */
  send(text: string): boolean;
  close(code?: number, reason?: string): void;
};

/** The only way out (D32). Both reject with `DialError`. */
export interface Dialler {
  dial(request: DialRequest): Promise<DialResponse>;
  dialSocket(request: SocketRequest): Promise<DialledSocket>;
  close(): Promise<void>;
}

/** The URLs are a stranger's: what must not be called from here, it refuses. */
export type TextDialler = Pick<Dialler, "dial">;

/** One request, and the whole answer as text; how long it may be is the dialler's matter. */
export async function exchangeText(
  dialler: TextDialler,
  request: DialRequest,
): Promise<{ status: number; text: string }> {
  const { status, body } = await dialler.dial(request);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return { status, text: text + decoder.decode() };
}
