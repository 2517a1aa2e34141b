import type { FloorHistory, Lane } from "./floor-history.ts";

/** A lane of the strip in numbers. */
export type Tally = {
  lane: Lane;
  heldTimes: number;
  /** Of all entries shown, 0 to 1. */
  heldShare: number;
  askedTimes: number;
  withFloor: number;
  withoutFloor: number;
  /** Utterances for which it is unknown whether the speaker had the floor. */
  unknown: number;
  whispers: number;
};

export function talliesOf({ lanes, marks, firstSeq, lastSeq }: FloorHistory): Tally[] {
  const all = Math.max(1, lastSeq + 1 - firstSeq);
  const tallies = lanes.map((lane) => {
    const held = lane.spans.filter(({ kind }) => kind === "held");
    const heldSeqs = held.reduce((sum, { from, to }) => sum + to - from, 0);
    const askedTimes = lane.spans.filter(({ kind }) => kind === "asked").length;
    const said = { withFloor: 0, withoutFloor: 0, unknown: 0, whispers: 0 };
    return { lane, heldTimes: held.length, heldShare: heldSeqs / all, askedTimes, ...said };
  });
  for (const { kind, row, isWhisper, withFloor } of marks) {
    const tally = tallies[row];
    if (tally === undefined || kind !== "utterance") continue;
    if (isWhisper) tally.whispers += 1;
    else if (withFloor === false) tally.withoutFloor += 1;
    else if (withFloor === true) tally.withFloor += 1;
    else tally.unknown += 1;
  }
  return tallies;
}

/** The strip in one sentence: who held the floor longest, who waits, how often the agents were paused. */
export function summaryOf({ lanes, pauses, lastSeq }: FloorHistory, tallies: readonly Tally[]): string {
  const [longest] = [...tallies].sort((a, b) => b.heldShare - a.heldShare);
  if (longest === undefined || longest.heldShare === 0) return "Nobody has held the floor yet.";
  const equals = tallies.filter(({ heldShare }) => heldShare === longest.heldShare);
  const names = listWords(equals.map(({ lane }) => lane.face.name));
  const share = `${Math.round(longest.heldShare * 100)} % of the time`;
  const waiting = lanes.filter(({ spans }) => spans.some(({ kind, to }) => kind === "asked" && to > lastSeq));
  const waits = waiting.length === 1 ? "waits" : "wait";
  const who = listWords(waiting.map(({ face }) => face.name));
  const queue = waiting.length === 0 ? "nobody waits" : `${who} ${waits}`;
  const paused = pauses.length === 0 ? "" : `; the agents were paused ${counted(pauses.length, "time")}`;
  return `${names} held the floor longest, ${share}; ${queue} for it${paused}.`;
}

/** "Ann", "Ann and Bob", "Ann, Bob and 3 others". */
export function listWords(names: readonly string[]): string {
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} others`] : names;
  if (shown.length < 2) return shown.join("");
  return `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
