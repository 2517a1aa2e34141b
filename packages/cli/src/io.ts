/** Everything a command meets of the outside world besides the file system. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** There when a person sits at both ends, stdin and stdout. */
  readonly terminal?: Terminal;
}

/** A screen and a keyboard. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly columns: number;
  readonly rows: number;
  /** 1 is black and white, 8 is 256 colours. */
  readonly colourBits: number;
  write(text: string): void;
  /** Raw: each key comes as it is pressed, and nothing is shown by itself. */
  setRaw(isRaw: boolean): void;
  /** Nothing is read any more, and nothing waits for a key. */
  release(): void;
  /** Until the function it gives is called. */
  onResize(listener: () => void): () => void;
}

export interface Output {
  readonly isTty: boolean;
  /** Settles when the text is handed over; rejects when it cannot be. */
  write(text: string): Promise<void>;
}

/** What the shell learns: yes; no (invalid, refused); wrong usage or broken world. */
export type ExitCode = 0 | 1 | 2;
