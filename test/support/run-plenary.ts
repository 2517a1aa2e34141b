// The built command in the process of the test: the same arguments, output and exit code, without the start of a process.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fixtures, main, type Outcome } from "./plenary-command.ts";

type Output = { isTty: boolean; write: (text: string) => Promise<void> };
type Io = {
  stdin: AsyncIterable<Uint8Array>;
  stdout: Output;
  stderr: Output;
  env: Record<string, string>;
  cwd: string;
};
type Options = { cwd?: string; input?: string; env?: Record<string, string> };

const { run } = (await import(pathToFileURL(join(main, "../../run.js")).href)) as {
  run: (args: readonly string[], io: Io) => Promise<number>;
};

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** In the folder of the fixtures by default. Neither end is a terminal. */
export async function runPlenary(args: readonly string[], options: Options = {}): Promise<Outcome> {
  const { cwd = fixtures, input = "", env = {} } = options;
  const written = { stdout: "", stderr: "" };
  const outputTo = (name: keyof typeof written): Output => ({
    isTty: false,
    write: async (text) => {
      written[name] += text;
    },
  });
  const io = { stdin: chunksOf(input), stdout: outputTo("stdout"), stderr: outputTo("stderr"), env, cwd };
  return { exitCode: await run(args, io), ...written };
}
