import {
  apply,
  decide,
  type Entry,
  emptyFloor,
  entryFault,
  type Floor,
  type FloorOptions,
  problemsOfFloor,
} from "@plenary/floor";
import { type FloorEvent, isRecord, readJson } from "@plenary/protocol";
import type { JsonlHeader } from "@plenary/transcript";
import { anyWords, contentHash, utterancesIn } from "../conversation/dedupe.ts";
import { scrubbed } from "../conversation/erasure.ts";
import type { Change, DedupeKey, Timer } from "../ports/conversation-log.ts";

/** An invalid line of an import file. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  /** Line number, from 1. */
  readonly line: number;

  constructor(line: number, problem: string, remedy = "import the unchanged output of plenary export") {
    super(`${problem}: ${remedy}`);
    this.line = line;
  }
}

const complete = "import the output of plenary export --format jsonl --complete";
const idMax = 1_000;

/** Reads the first line. Only a complete log can be imported. */
export function readImportHeader(text: string): JsonlHeader & { isComplete: true } {
  const header = parsed(text, 1);
  if (!isRecord(header) || header.plenary !== "conversation") {
    throw new ImportError(1, "this is not an exported conversation", complete);
  }
  const { version, id, isComplete } = header;
  if (version !== 1)
    throw new ImportError(1, `the version is ${JSON.stringify(version)}`, "this Plenary reads version 1");
  if (typeof id !== "string" || id === "" || id.length > idMax) {
    throw new ImportError(1, "the header has no valid conversation id");
  }
  if (/\p{Cc}/u.test(id)) throw new ImportError(1, "the conversation id contains control characters");
  if (isComplete !== true) {
    throw new ImportError(1, "the file contains what one reader may see, not the whole log", complete);
  }
  const { entries } = header;
  if (entries !== undefined && typeof entries !== "number") throw new ImportError(1, "`entries` is not a number");
  return { plenary: "conversation", version, id, isComplete, ...(entries !== undefined && { entries }) };
}

function parsed(text: string, line: number): unknown {
  const json = readJson(text);
  if (!json.ok) throw new ImportError(line, json.issues[0]?.problem ?? "the line is not JSON");
  return json.value;
}

type ImportedLog = {
  id: string;
  /** The lines after the header; the first is line 2 of the file. */
  lines: AsyncIterable<string>;
  /** The number of entries in the header, if present. */
  count?: number | undefined;
  now: string;
  onEnd?: (imported: ImportResult) => void;
};

/** The number of entries, and of open deliveries that were given up. */
export type ImportResult = { entries: number; givenUp: number };

/** The decisions of a log, for an empty conversation. Throws an ImportError at the first invalid line. */
export async function* importedChanges({ id, lines, count, now, onEnd }: ImportedLog): AsyncGenerator<Change> {
  const reading: ImportProgress = { floor: emptyFloor(id), group: [], since: new Map() };
  let line = 1;
  for await (const text of lines) {
    line += 1;
    if (text === "") continue;
    const entry = entryIn(text, line, reading.floor.seq + 1);
    if (reading.group.length > 0 && isNewDecision(reading.group, entry)) yield decisionOf(reading);
    take(reading, entry, line);
  }
  const { floor } = reading;
  if (reading.group.length === 0) throw new ImportError(line, "there are no entries");
  if (count !== undefined && count !== floor.seq) {
    throw new ImportError(line, `the file ends with entry ${floor.seq}, but its header says ${count} entries`);
  }
  const [problem] = problemsOfFloor(floor);
  if (problem !== undefined) throw new ImportError(line, `the log leads to an invalid state: ${problem}`);
  yield { ...decisionOf(reading), timers: timersOf(reading) };
  const ends = [...giveUp(floor, now)];
  yield* ends;
  onEnd?.({ entries: floor.seq, givenUp: ends.length });
}

type ImportProgress = {
  floor: Floor;
  /** Entries of the current decision. */
  group: Entry[];
  /** Start times of the waits that may still be open. */
  since: Map<number, string>;
};

function entryIn(text: string, line: number, seq: number): Entry {
  const value = parsed(text, line);
  const fault = entryFault(value);
  if (fault !== undefined) {
    const isHidden = isRecord(value) && value.kind === "hidden";
    throw new ImportError(line, `this is not a valid entry: ${fault}`, isHidden ? complete : undefined);
  }
  // entryFault has checked its shape.
  const entry = value as Entry;
  if (entry.seq !== seq) throw new ImportError(line, `found entry ${entry.seq}, expected ${seq}`);
  if (!isTimeOfLog(entry.at)) throw new ImportError(line, "`at` is not a valid time");
  const endless = entry.kind === "opened" ? endlessIn(entry.options) : undefined;
  if (endless !== undefined) throw new ImportError(line, `${endless} is not between 0 and one year`);
  if (seq === 1 && entry.kind !== "opened") throw new ImportError(line, "a log must begin with `opened`");
  return entry;
}

/** The format that every floor writes, with a four-digit year. */
function isTimeOfLog(at: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/u.test(at);
}

const yearMs = 31_536_000_000;

/** The name of a duration outside the allowed range. */
function endlessIn(options: FloorOptions): string | undefined {
  const waits = Object.entries(options).filter(([name]) => name.endsWith("Ms"));
  return waits.find(([, ms]) => Number(ms) < 0 || Number(ms) > yearMs)?.[0];
}

/** Far more than the options of a conversation allow. */
const seatsMax = 1_000;
/** More entries than any decision has. */
const groupMax = 1_000;

/** The entries of a decision have the same time, and `received` comes first. */
function isNewDecision(group: readonly Entry[], { at, kind }: Entry): boolean {
  return group.length >= groupMax || group[0]?.at !== at || kind === "received";
}

function take(reading: ImportProgress, entry: Entry, line: number): void {
  try {
    reading.floor = apply(reading.floor, entry);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ImportError(line, `the entry does not fit the entries before it (${why})`);
  }
  if (reading.floor.conversants.length > seatsMax) {
    const remedy = "export it again when some conversants have left";
    throw new ImportError(line, `the conversation has more than ${seatsMax} seats`, remedy);
  }
  reading.group.push(entry);
  if (entry.kind === "parked" || entry.kind === "held") reading.since.set(entry.seq, entry.at);
}

function decisionOf(reading: ImportProgress): Change {
  const { floor, group: entries } = reading;
  reading.group = [];
  return { ...nothing, floor, entries, dedupe: entries.flatMap((entry) => keysIn(entry, entries, floor)) };
}

const nothing = { deliveries: [], timers: [], dedupe: [], settled: [], rung: [], dead: [] };

/** Imported utterances count as received, so a repetition has no effect (D29). */
function keysIn(entry: Entry, decision: readonly Entry[], floor: Floor): DedupeKey[] {
  if (entry.kind !== "received") return [];
  const refused = decision.flatMap((one) => (one.kind === "refused" ? [JSON.stringify(one.event)] : []));
  const events = entry.events.filter((event) => !refused.includes(JSON.stringify(event)));
  return utterancesIn(floor, { sender: { speakerUri: entry.sender }, events }).map(
    ({ sender, dialogEventId, event }) => {
      return { sender, dialogEventId, hash: isScrubbed(event) ? anyWords : contentHash(event) };
    },
  );
}

function isScrubbed(event: FloorEvent): boolean {
  return JSON.stringify(event) === JSON.stringify(scrubbed(event));
}

/** Events that wait for the convener keep their deadline: the floor that opens the store sets the timers. */
function timersOf({ floor, since }: ImportProgress): Timer[] {
  const { parked, held, options } = floor;
  return [
    ...parked.flatMap(({ delivery, until, seq }) => {
      return delivery === undefined || until === undefined
        ? []
        : [{ id: `delegation:${delivery}`, at: until, since: since.get(seq) ?? until }];
    }),
    ...held.map(({ seq }) => {
      const from = since.get(seq) ?? "";
      const at = new Date(Date.parse(from) + options.requestHeldMs).toISOString();
      return { id: `held:${seq}`, at, since: from };
    }),
  ];
}

/**
 * Open deliveries belong to the exporting floor and get no answer here. They end as unreachable, so the imported
 * conversation does not wait for them; an open invite counts as declined.
 */
function* giveUp(before: Floor, now: string): Generator<Change> {
  let floor = before;
  for (const { id, isDelegation } of before.open) {
    if (isDelegation) continue;
    const decision = decide(floor, { kind: "answer", delivery: id, failure: "unreachable" }, now);
    floor = decision.floor;
    const deliveries = decision.effects.filter((effect) => effect.kind === "deliver");
    const timers = decision.effects.flatMap((effect) => {
      return effect.kind === "timer" ? [{ id: effect.id, at: effect.at, since: now }] : [];
    });
    yield { ...nothing, floor, entries: decision.entries, deliveries, timers, settled: [id] };
  }
}
