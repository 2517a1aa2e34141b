import { FileError } from "./errors.ts";
import type { Io, Output, Terminal } from "./io.ts";

export function createNodeIo(): Io {
  const terminal = terminalIn(process);
  return {
    stdin: process.stdin,
    stdout: createOutput(process.stdout, "stdout"),
    stderr: createOutput(process.stderr, "stderr"),
    env: process.env,
    cwd: process.cwd(),
    ...(terminal && { terminal }),
  };
}

type Streams = Pick<NodeJS.Process, "stdin" | "stdout" | "env">;

/** TERM=dumb cannot move the cursor, so it is treated as a plain stream. */
function terminalIn({ stdin, stdout, env }: Streams): Terminal | undefined {
  if (!stdin.isTTY || !stdout.isTTY || env.TERM === "dumb") return undefined;
  return {
    input: stdin,
    // A terminal of unknown size reports 0.
    get columns() {
      return stdout.columns || 80;
    },
    get rows() {
      return stdout.rows || 24;
    },
    colourBits: stdout.getColorDepth(env),
    write: (text) => void stdout.write(text),
    setRaw: (isRaw) => void stdin.setRawMode(isRaw),
    release() {
      stdin.pause();
      stdin.unref();
    },
    onResize(listener) {
      stdout.on("resize", listener);
      return () => stdout.off("resize", listener);
    },
  };
}

function createOutput(stream: NodeJS.WriteStream, name: string): Output {
  // Each write reports its own failure. Without a listener the error event would also end the process.
  stream.on("error", () => undefined);
  return {
    isTty: stream.isTTY === true,
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (cause) => {
          if (cause === undefined || cause === null || isClosedPipe(cause)) resolve();
          else reject(FileError.from("write", name, cause));
        });
      }),
  };
}

/** The reader, such as `head`, closed the pipe. The command goes on, for its exit code. */
function isClosedPipe(cause: NodeJS.ErrnoException): boolean {
  return cause.code === "EPIPE" || cause.code === "ERR_STREAM_DESTROYED";
}

/** Resolves on SIGINT or SIGTERM, so that the command can close cleanly. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
