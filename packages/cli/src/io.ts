/** Everything a command meets of the outside world besides the file system. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export interface Output {
  readonly isTty: boolean;
  /** Settles when the text is handed over; rejects when it cannot be. */
  write(text: string): Promise<void>;
}

/** What the shell learns: yes; no (invalid, refused); wrong usage or broken world. */
export type ExitCode = 0 | 1 | 2;
