import { FileError } from "./file-error.ts";
import type { Io, Output } from "./io.ts";

export function createNodeIo(): Io {
  return {
    stdin: process.stdin,
    stdout: createOutput(process.stdout, "stdout"),
    stderr: createOutput(process.stderr, "stderr"),
    env: process.env,
    cwd: process.cwd(),
  };
}

function createOutput(stream: NodeJS.WriteStream, name: string): Output {
  // Each write learns of its own failure; without a listener the stream would end the process as well.
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

/** A reader such as `head` that has seen enough; the exit code is still wanted. */
function isClosedPipe(cause: NodeJS.ErrnoException): boolean {
  return cause.code === "EPIPE" || cause.code === "ERR_STREAM_DESTROYED";
}
