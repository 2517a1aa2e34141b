import type { Command } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { storeOption } from "../options.ts";
import type { DoctorOptions } from "./doctor.ts";

export function addDoctor(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  program
    .command("doctor")
    .summary("show what is unsafe here and how to fix it")
    .description(
      "Checks the settings, the store, the keys and this machine, and prints what is unsafe. Changes nothing.",
    )
    .option("--host <address>", "the address plenary serve will listen on", "127.0.0.1")
    .addOption(storeOption())
    .option("--verbose", "also show what is in order", false)
    .option("--json", "one line per finding: id, level (ok, warning or unsafe), what, fix", false)
    .addHelpText("after", doctorHelp)
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import("./doctor.ts");
      finish(await doctor(options, io));
    });
}

const doctorHelp = `
Examples:
  plenary doctor
  plenary doctor --host 0.0.0.0 --store floor.db
  plenary doctor --json | jq -r 'select(.level=="unsafe").fix'

Run it with the account and the environment of the floor; it does not disturb a running floor.
Exit code: 0 nothing is unsafe, 1 something is, 2 wrong usage, or a check could not run.`;
