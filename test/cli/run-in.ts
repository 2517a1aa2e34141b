import { spawn } from "node:child_process";
import { once } from "node:events";
import { environment } from "./plenary.ts";

/** Runs any command to its end, while the floor beside it goes on. */
export async function runIn(cwd: string, command: string, args: readonly string[]) {
  const child = spawn(command, args, { cwd, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [exitCode] = await once(child, "close");
  return { exitCode: exitCode as number | null, output };
}
