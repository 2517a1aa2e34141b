import type { Io } from "../io.ts";

export type MemoryIo = Io & { readonly written: { stdout: string; stderr: string } };

export type MemoryIoOptions = {
  stdin?: string | Uint8Array;
  cwd?: string;
  env?: Record<string, string>;
  isTty?: boolean;
};

/** An Io for tests: the output is kept in `written`. */
export function createMemoryIo({ stdin = "", cwd = ".", env = {}, isTty = false }: MemoryIoOptions = {}): MemoryIo {
  const written = { stdout: "", stderr: "" };
  const outputTo = (name: keyof typeof written) => ({
    isTty,
    write: async (text: string) => {
      written[name] += text;
    },
  });
  return {
    stdin: chunksOf(Buffer.from(stdin)),
    stdout: outputTo("stdout"),
    stderr: outputTo("stderr"),
    env,
    cwd,
    written,
  };
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
