import { CommanderError } from "commander";
import { ConversationLookupError, FileError, isFloorError, messageOf } from "./errors.ts";
import type { ExitCode, Io } from "./io.ts";
import { type CommanderOutput, createProgram } from "./program.ts";

/** Runs the plenary command and returns its exit code. Never throws. */
export async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await runProgram(args, io);
  } catch (cause) {
    await io.stderr.write(await errorMessage(cause, io.env)).catch(() => undefined); // stderr is closed
    return cause instanceof ConversationLookupError ? 1 : 2;
  }
}

async function runProgram(args: readonly string[], io: Io): Promise<ExitCode> {
  const said: CommanderOutput = { out: "", err: "" };
  let exitCode: ExitCode = 0;
  const program = createProgram(args[0], io, said, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args.length === 0 ? ["--help"] : args, { from: "user" });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    exitCode = cause.exitCode === 0 ? 0 : 2;
  }
  if (said.out !== "") await io.stdout.write(said.out);
  if (said.err !== "") await io.stderr.write(said.err);
  return exitCode;
}

async function errorMessage(cause: unknown, env: Io["env"]): Promise<string> {
  const { logLine } = await import("./output/redact.ts");
  if (cause instanceof FileError || cause instanceof ConversationLookupError || isFloorError(cause)) {
    return `plenary: ${logLine(messageOf(cause))}\n`;
  }
  const stack = env.PLENARY_DEBUG === "1" && cause instanceof Error ? `${cause.stack}\n` : "";
  return `plenary: internal error: ${logLine(messageOf(cause))}\n${stack.split("\n").map(logLine).join("\n")}`;
}
