import { becauseIds } from "@plenary/floor";
import { type Comparison, counted, nameIn, peopleIn, type Replayed } from "@plenary/transcript";
import { printable } from "../output/sanitize.ts";
import { differenceLines } from "./difference-text.ts";
import type { StoredLog } from "./stored-log.ts";
import { legend, type TimelineStyle, timelineLines } from "./timeline.ts";

/** A replay and its result. */
export type Replay = { log: StoredLog; whatIf: string; replayed: Replayed; comparison: Comparison; erased: number };

/** The summary line of `--json`. */
export function summaryOf({ log, whatIf, replayed, comparison, erased }: Replay): object {
  const { asked, unanswered, taken, leftOut, moot, unasked, unknown, undecided, convener } = replayed;
  return {
    kind: "summary",
    conversation: log.id,
    whatIf,
    ...(convener !== undefined && { convener }),
    differences: comparison.differences.length,
    recordedEntries: log.entries.length,
    replayedEntries: replayed.entries.length,
    inputs: taken,
    leftOut,
    moot,
    asked,
    unanswered,
    impossible: byBecause(replayed.impossible),
    unasked,
    unknown,
    undecided,
    erased,
    ...(log.seq > log.entries.length && { notReplayed: log.seq - log.entries.length }),
  };
}

/** The report for people: timelines, differences and notes. */
export function reportOf(replay: Replay, sheet: TimelineStyle): string {
  const { log, whatIf, comparison, replayed } = replay;
  const people = new Map([...peopleIn(replayed.entries), ...peopleIn(log.entries)]);
  const nameOf = (uri: string) => printable(nameIn({ identifications: people, me: "" }, uri));
  const title = log.title === undefined ? printable(log.id) : `${printable(log.title)} (${printable(log.id)})`;
  const [first, last] = [log.entries[0]?.at ?? "", log.entries.at(-1)?.at ?? ""];
  const changes = differenceLines(comparison.differences, nameOf);
  return [
    `${sheet.colours.bold(title)}, ${counted(log.entries.length, "entry", "entries")}, ${timeWords(first)} to ${timeWords(last)}`,
    `replayed with ${printable(whatIf)}`,
    "",
    ...timelineLines(comparison, nameOf, sheet),
    sheet.colours.dim(legend),
    "",
    ...(changes.length === 0 ? ["No difference."] : changes),
    ...notesOf(replay).map((note) => sheet.colours.dim(note)),
    "",
  ].join("\n");
}

const timeWords = (at: string) => printable(at.slice(0, 19).replace("T", " "));

function byBecause(impossible: Replay["replayed"]["impossible"]): { because: string; count: number; why: string }[] {
  const counts = new Map<string, number>();
  for (const { because } of impossible) counts.set(because, (counts.get(because) ?? 0) + 1);
  return [...counts].map(([because, count]) => ({ because, count, why: becauseIds.get(because) ?? "" }));
}

/** Notes on input that could not be replayed as recorded. */
function notesOf({ log, replayed, erased }: Replay): string[] {
  const { asked, unanswered, leftOut, moot, unasked, unknown, undecided, impossible } = replayed;
  const missing = log.seq - log.entries.length;
  const notes: (string | false)[] = [
    asked > 0 && `The convener received ${counted(asked, "delivery", "deliveries")} and left ${unanswered} unanswered.`,
    leftOut > 0 && `${counted(leftOut, "recorded input")} from or about the former convener left out.`,
    moot > 0 && `${counted(moot, "decision")} of the convener left out: it would not have been asked.`,
    impossible.length > 0 && `${counted(impossible.length, "recorded input")} would be refused:`,
    ...byBecause(impossible).map(({ because, count, why }) => `  ${count} by ${because}: ${why}`),
    unasked > 0 && `${counted(unasked, "answer")} to messages that would not have been sent, counted as unprompted.`,
    unknown > 0 &&
      `${counted(unknown, "answer")} came too late and might be in time here; the log does not have the text.`,
    undecided > 0 &&
      `${counted(undecided, "event")} without a recorded decision of the convener: treated as unanswered.`,
    erased > 0 && `${counted(erased, "entry", "entries")} erased: replayed without text.`,
    missing > 0 && `The last ${counted(missing, "entry", "entries")} of this long log are not replayed.`,
  ];
  const shown = notes.filter((note) => note !== false);
  return shown.length === 0 ? [] : ["", ...shown.map((note) => printable(note))];
}
