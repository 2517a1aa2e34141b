import { becauseIds } from "@plenary/floor";
import { counted, type Difference } from "@plenary/transcript";
import { printable } from "../output/sanitize.ts";

type DifferenceOf<Kind extends Difference["kind"]> = Extract<Difference, { kind: Kind }>;
type NameOf = (speakerUri: string) => string;

/** More lines of one kind are only counted. */
const linesMax = 20;

/** The differences as text, without message texts. */
export function differenceLines(differences: readonly Difference[], nameOf: NameOf): string[] {
  const only = <Kind extends Difference["kind"]>(kind: Kind) =>
    differences.filter((one): one is DifferenceOf<Kind> => one.kind === kind);
  return [
    ...some(utteranceLines(only("utterance"), nameOf)),
    ...some(only("seat").map((one) => seatLine(one, nameOf))),
    ...some(only("floor").flatMap((one) => floorLines(one, nameOf))),
    ...differences.flatMap(courseLine),
  ];
}

function some(lines: readonly string[]): string[] {
  const more = lines.length - linesMax;
  return more > 0 ? [...lines.slice(0, linesMax), `and ${more} more such differences (--json has all)`] : [...lines];
}

const would = {
  heard: "be heard",
  refused: "be refused",
  waiting: "not be passed on",
  unsaid: "never have been said",
} as const;

const was = {
  heard: ["was heard", "were heard"],
  refused: ["was refused", "were refused"],
  waiting: ["was not passed on", "were not passed on"],
  unsaid: ["was never said", "were never said"],
} as const;

/** Groups the utterances of one speaker with the same outcome and reason. */
function utteranceLines(all: readonly DifferenceOf<"utterance">[], nameOf: NameOf): string[] {
  const groups = new Map<string, DifferenceOf<"utterance">[]>();
  for (const one of all) {
    const shift = one.laterMs === undefined ? 0 : Math.sign(one.laterMs);
    const key = JSON.stringify([one.speakerUri, one.isWhisper, one.was, one.would, one.because, shift]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((group) => utteranceLine(group, nameOf));
}

const timesMax = 5;

function utteranceLine(group: readonly DifferenceOf<"utterance">[], nameOf: NameOf): string {
  const [first] = group;
  if (first === undefined) return "";
  const what = counted(group.length, first.isWhisper ? "whisper" : "utterance");
  const shown = group.slice(0, timesMax).map(({ at }) => clock(at));
  const who = `${nameOf(first.speakerUri)}: ${what} (${shown.join(", ")}${group.length > timesMax ? ", ..." : ""})`;
  if (first.laterMs !== undefined) {
    const longest = Math.max(...group.map(({ laterMs = 0 }) => Math.abs(laterMs)));
    const upTo = group.length === 1 ? "" : "up to ";
    return `${who} would be heard ${upTo}${durationText(longest)} ${first.laterMs > 0 ? "later" : "earlier"}`;
  }
  const past = was[first.was][group.length === 1 ? 0 : 1];
  return `${who} ${past} and would ${would[first.would]}${reasonText(first.because)}`;
}

function reasonText(because: string | undefined): string {
  if (because === undefined) return "";
  const why = becauseIds.get(because);
  return printable(` (${because}${why === undefined ? "" : `: ${why}`})`);
}

const seatWords: Readonly<Record<string, string>> = {
  invite: "invited",
  uninvite: "removed",
  declineInvite: "kept away by a declined invite",
  bye: "gone by its own bye",
};

function seatLine({ speakerUri, eventType, by, at, only, because }: DifferenceOf<"seat">, nameOf: NameOf): string {
  const what = `${seatWords[eventType] ?? eventType}${by === speakerUri ? "" : ` by ${nameOf(by)}`}`;
  const who = nameOf(speakerUri);
  if (only === "recorded") return `${who} was ${what} at ${clock(at)} and would not be`;
  return `${who} would be ${what} at ${clock(at)} and was not${reasonText(because)}`;
}

function floorLines({ speakerUri, was, would }: DifferenceOf<"floor">, nameOf: NameOf): string[] {
  const who = nameOf(speakerUri);
  if (was === undefined) return [`${who} was not present and would be`];
  if (would === undefined) return [`${who} was present and would not be`];
  const parts = [
    change("had the floor", was.heldMs, would.heldMs, durationText),
    change("waited for it", was.waitedMs, would.waitedMs, durationText),
    change("was heard", was.heard, would.heard, times),
    change("was refused", was.refused, would.refused, times),
  ].filter((part) => part !== undefined);
  return [`${who} ${parts.length === 0 ? "had the floor at other times, about as long in all" : parts.join(", ")}`];
}

function change(what: string, was: number, would: number, words: (amount: number) => string): string | undefined {
  const [before, after] = [words(was), words(would)];
  return before === after ? undefined : `${what} ${before} -> ${after}`;
}

const times = (count: number) => counted(count, "time");

const courses = {
  lapse: "the convener lost its role by silence",
  pause: "the agents were paused",
  ending: "the conversation ended",
} as const;

function courseLine(one: Difference): string[] {
  if (one.kind !== "lapse" && one.kind !== "pause" && one.kind !== "ending") return [];
  return [change(courses[one.kind], one.was, one.would, times) ?? ""];
}

const clock = (at: string | undefined) => printable((at ?? "").slice(11, 19));

/** At most two units. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${Math.round(ms / 100) / 10} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
