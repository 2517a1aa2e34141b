/** The outside world of a command, except the file system. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Present when both stdin and stdout are a terminal. */
  readonly terminal?: Terminal;
}

/** A screen and a keyboard. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly columns: number;
  readonly rows: number;
  /** 1: monochrome, 8: 256 colours. */
  readonly colourBits: number;
  write(text: string): void;
  /** Raw mode: every key press is delivered at once, without echo. */
  setRaw(isRaw: boolean): void;
  /** Stops reading, so that the process can end. */
  release(): void;
  /** Returns the function that removes the listener. */
  onResize(listener: () => void): () => void;
}

export interface Output {
  readonly isTty: boolean;
  /** Resolves when the stream accepted the text; rejects when the write failed. */
  write(text: string): Promise<void>;
}

/** 0: yes. 1: no (invalid, refused). 2: wrong usage, or a file or floor that cannot be used. */
export type ExitCode = 0 | 1 | 2;

/** An empty variable counts as not set, as in compose files. */
export function envValue(env: Io["env"], name: string): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}
