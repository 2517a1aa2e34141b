import type { Difference, WhatIf } from "@plenary/transcript";
import { FloorError } from "../errors.ts";
import type { FloorOptions } from "../floor/access.ts";
import type { ExitCode, Io } from "../io.ts";
import { coloursFor } from "../output/format.ts";
import { openConvener, type ReplayConvener } from "./convener.ts";
import { type Replay, reportOf, summaryOf } from "./report.ts";
import { readStoredLog, type StoredLog } from "./stored-log.ts";

export type ReplayCommandOptions = FloorOptions & {
  convener?: string;
  policy?: "guarded" | "spec" | "advisory";
  json: boolean;
};

const policies: Readonly<Record<NonNullable<ReplayCommandOptions["policy"]>, WhatIf["options"]>> = {
  guarded: { policy: "guarded", floorEnforcement: "table" },
  spec: { policy: "spec", floorEnforcement: "table" },
  advisory: { floorEnforcement: "advisory" },
};

export async function replayCommand(name: string, options: ReplayCommandOptions, io: Io): Promise<ExitCode> {
  if (options.floor !== undefined) {
    throw new FloorError("a floor does not export the complete log: give its store with --store FILE");
  }
  const convener = await openConvener(options.convener, io.env);
  try {
    const log = await readStoredLog(name, options.store, io);
    const replay = await replayed(log, convener, options);
    await io.stdout.write(options.json ? linesOf(replay) : reportOf(replay, sheetOf(io)));
    return 0;
  } finally {
    await convener.close();
  }
}

async function replayed(log: StoredLog, convener: ReplayConvener, { policy }: ReplayCommandOptions): Promise<Replay> {
  const { compare, recordingOf, replay } = await import("@plenary/transcript");
  const recording = recordingOf(log.id, log.entries);
  const whatIf: WhatIf = { convener: convener.convener, options: policy === undefined ? {} : policies[policy] };
  const replaying = replay(recording, whatIf);
  let next = replaying.next();
  while (next.done !== true) next = replaying.next(await convener.ask(next.value));
  const { value } = next;
  convener.assertSeated(value);
  // The replaced and the new convener are not differences themselves.
  const aside = new Set(whatIf.convener === "recorded" ? [] : recording.conveners);
  if (value.convener !== undefined) aside.add(value.convener);
  if (typeof whatIf.convener === "object") aside.add(whatIf.convener.serviceUrl);
  const comparison = compare({ entries: log.entries, stepOfEntry: recording.stepOfEntry }, value, recording, aside);
  const words = [convener.label, policy && `policy ${policy}`].filter((part) => part !== undefined).join(", ");
  return { log, whatIf: words, replayed: value, comparison, erased: recording.erased };
}

/** JSON lines: one per difference, then the summary. */
function linesOf(replay: Replay): string {
  const lines: readonly (Difference | object)[] = [...replay.comparison.differences, summaryOf(replay)];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const columnsOfPipe = 100;

function sheetOf(io: Io) {
  const columns = Math.min(Math.max(io.terminal?.columns ?? columnsOfPipe, 40), 240);
  return { columns, colours: coloursFor(io.stdout, io.env) };
}
