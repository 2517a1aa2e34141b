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
import { scrubbed } from "../conversation/erasure.ts";
import { anyWords, dedupeKeys } from "../conversation/facts.ts";
import type { Change, DedupeKey, Timer } from "../ports/store.ts";

/** A line that is not what a complete export holds there. */
export class ImportFault extends Error {
  override readonly name = "ImportFault";
  /** From 1. */
  readonly line: number;

  constructor(line: number, problem: string, remedy: string) {
    super(`${problem}: ${remedy}`);
    this.line = line;
  }
}

const complete = "import what plenary export --format jsonl --complete has written";
const idMax = 1_000;
const asWritten = "import the file as it was written";

/** The first line. Only the log as it was kept can be folded again. */
export function readImportHeader(text: string): JsonlHeader & { isComplete: true } {
  const header = parsed(text, 1);
  if (!isRecord(header) || header.plenary !== "conversation") {
    throw new ImportFault(1, "this is no exported conversation", complete);
  }
  const { version, id, isComplete } = header;
  if (version !== 1) throw new ImportFault(1, `it is of version ${JSON.stringify(version)}`, "this Plenary reads 1");
  if (typeof id !== "string" || id === "" || id.length > idMax) {
    throw new ImportFault(1, "it does not say which conversation", asWritten);
  }
  if (/\p{Cc}/u.test(id)) throw new ImportFault(1, "its id has control characters", asWritten);
  if (isComplete !== true) {
    throw new ImportFault(1, "it is what one reader may see, not the whole log", complete);
  }
  const { entries } = header;
  if (entries !== undefined && typeof entries !== "number") {
    throw new ImportFault(1, "entries is not how many there are", asWritten);
  }
  return { plenary: "conversation", version, id, isComplete, ...(entries !== undefined && { entries }) };
}

function parsed(text: string, line: number): unknown {
  const json = readJson(text);
  if (!json.ok) throw new ImportFault(line, json.issues[0]?.problem ?? "it is not JSON", asWritten);
  return json.value;
}

type Log = {
  id: string;
  /** Those after the header, the first of which is line 2 of its file. */
  lines: AsyncIterable<string>;
  /** How many there are to be, if the header says so. */
  count?: number | undefined;
  now: string;
  onEnd?: (told: Imported) => void;
};

/** What was read, and how many deliveries had no answer yet and never get one. */
export type Imported = { entries: number; givenUp: number };

/** The decisions of a log, to be written into an empty place. Throws an ImportFault at the first line that is wrong. */
export async function* importedChanges({ id, lines, count, now, onEnd = () => {} }: Log): AsyncGenerator<Change> {
  const reading: Reading = { floor: emptyFloor(id), group: [], since: new Map() };
  let line = 1;
  for await (const text of lines) {
    line += 1;
    if (text === "") continue;
    const entry = entryIn(text, line, reading.floor.seq + 1);
    if (reading.group.length > 0 && isNewDecision(reading.group, entry)) yield decisionOf(reading);
    take(reading, entry, line);
  }
  const { floor } = reading;
  if (reading.group.length === 0) throw new ImportFault(line, "there is no entry", asWritten);
  if (count !== undefined && count !== floor.seq) {
    throw new ImportFault(line, `it ends with entry ${floor.seq}, and there were ${count}`, asWritten);
  }
  const [problem] = problemsOfFloor(floor);
  if (problem !== undefined) throw new ImportFault(line, `no floor is left so: ${problem}`, asWritten);
  yield { ...decisionOf(reading), timers: timersOf(reading) };
  const ends = [...giveUp(floor, now)];
  yield* ends;
  onEnd({ entries: floor.seq, givenUp: ends.length });
}

type Reading = {
  floor: Floor;
  /** Of the decision that is being read. */
  group: Entry[];
  /** When what may still wait began to. */
  since: Map<number, string>;
};

function entryIn(text: string, line: number, seq: number): Entry {
  const value = parsed(text, line);
  const fault = entryFault(value);
  if (fault !== undefined) {
    const isHidden = isRecord(value) && value.kind === "hidden";
    throw new ImportFault(line, `this is no entry: ${fault}`, isHidden ? complete : asWritten);
  }
  // Its shape was just looked at.
  const entry = value as Entry;
  if (entry.seq !== seq) throw new ImportFault(line, `here stands entry ${entry.seq}, not ${seq}`, asWritten);
  if (!isTimeOfLog(entry.at)) throw new ImportFault(line, "at is not a time of a log", asWritten);
  const endless = entry.kind === "opened" ? endlessIn(entry.options) : undefined;
  if (endless !== undefined) throw new ImportFault(line, `${endless} is not between 0 and a year`, asWritten);
  if (seq === 1 && entry.kind !== "opened") throw new ImportFault(line, "a log begins with `opened`", asWritten);
  return entry;
}

/** As every floor writes it, and in years that every reader knows. */
function isTimeOfLog(at: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/u.test(at);
}

const yearMs = 31_536_000_000;

/** The name of a wait that ends at no time there is. */
function endlessIn(options: FloorOptions): string | undefined {
  const waits = Object.entries(options).filter(([name]) => name.endsWith("Ms"));
  return waits.find(([, ms]) => Number(ms) < 0 || Number(ms) > yearMs)?.[0];
}

/** Far more than a conversation has room for, whatever its options say. */
const seatsMax = 1_000;
/** More than any decision holds. */
const groupMax = 1_000;

/** The entries of a decision have one time, and what it is about comes first. */
function isNewDecision(group: readonly Entry[], { at, kind }: Entry): boolean {
  return group.length >= groupMax || group[0]?.at !== at || kind === "received";
}

function take(reading: Reading, entry: Entry, line: number): void {
  try {
    reading.floor = apply(reading.floor, entry);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ImportFault(line, `it cannot follow what stands before it (${why})`, asWritten);
  }
  if (reading.floor.conversants.length > seatsMax) {
    throw new ImportFault(line, `more than ${seatsMax} seats are taken`, "take it away again when some have left");
  }
  reading.group.push(entry);
  if (entry.kind === "parked" || entry.kind === "held") reading.since.set(entry.seq, entry.at);
}

function decisionOf(reading: Reading): Change {
  const { floor, group: entries } = reading;
  reading.group = [];
  return { ...nothing, floor, entries, dedupe: entries.flatMap((entry) => keysIn(entry, entries, floor)) };
}

const nothing = { deliveries: [], timers: [], dedupe: [], settled: [], rung: [], dead: [] };

/** What was heard here once has no second effect here either (D29). */
function keysIn(entry: Entry, decision: readonly Entry[], floor: Floor): DedupeKey[] {
  if (entry.kind !== "received") return [];
  const refused = decision.flatMap((one) => (one.kind === "refused" ? [JSON.stringify(one.event)] : []));
  const events = entry.events.filter((event) => !refused.includes(JSON.stringify(event)));
  const keys = dedupeKeys(floor, { sender: { speakerUri: entry.sender }, events });
  return keys.map(({ sender, dialogEventId, hash, index }) => {
    return { sender, dialogEventId, hash: isScrubbed(events[index]) ? anyWords : hash };
  });
}

function isScrubbed(event: FloorEvent | undefined): boolean {
  return event !== undefined && JSON.stringify(event) === JSON.stringify(scrubbed(event));
}

/** What waits for the convener waits as long as was meant, and no longer: the floor that opens the store looks after it. */
function timersOf({ floor, since }: Reading): Timer[] {
  const { parked, held, options } = floor;
  return [
    ...parked.flatMap(({ delivery, until, seq }) => {
      return delivery === undefined || until === undefined
        ? []
        : [{ id: `delegation:${delivery}`, at: until, since: since.get(seq) ?? until }];
    }),
    ...held.map(({ seq }) => {
      const from = since.get(seq) ?? "";
      return { id: `held:${seq}`, at: later(from, options.requestHeldMs), since: from };
    }),
  ];
}

function later(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString();
}

/**
 * Deliveries stay where they were promised: nobody will answer them here. They end as if nobody had been reached, so that
 * nobody is waited for without end, and an invite that was on its way counts as declined.
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
