/** What one speaker has said lately. */
export type Account = {
  turns: number;
  /** When it spoke in the last minute. */
  times: readonly number[];
  /** Marks of its last words, not the words. */
  marks: readonly string[];
  /** How often it has broken the rules. */
  strikes: number;
  pausedUntilMs: number;
};

export const newAccount: Account = { turns: 0, times: [], marks: [], strikes: 0, pausedUntilMs: 0 };

const minuteMs = 60_000;
const timesMax = 240;
const marksMax = 16;

export function note(account: Account, text: string, atMs: number): Account {
  const times = [...account.times.filter((one) => atMs - one < minuteMs), atMs].slice(-timesMax);
  return { ...account, turns: account.turns + 1, times, marks: [...account.marks, markOf(text)].slice(-marksMax) };
}

export type Offence = { kind: "turns" | "rate" | "repetition" | "pause"; text: string };

type Limits = { turnsMax: number; perMinuteMax: number; sameWordsMax: number };

export function offenceIn(account: Account, limits: Limits, nowMs: number): Offence | undefined {
  const { turnsMax, perMinuteMax, sameWordsMax } = limits;
  const last = account.marks.at(-1);
  if (account.marks.filter((one) => one === last).length > sameWordsMax) {
    return { kind: "repetition", text: `the same words more than ${times(sameWordsMax)}` };
  }
  if (account.times.filter((one) => nowMs - one < minuteMs).length > perMinuteMax) {
    return { kind: "rate", text: `more than ${times(perMinuteMax)} in a minute` };
  }
  return account.turns > turnsMax ? { kind: "turns", text: `more than ${turnsMax} turns` } : undefined;
}

const times = (count: number) => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);

/** The same for words that differ only in case, spaces and punctuation. FNV-1a, with the length beside it. */
function markOf(text: string): string {
  const folded = text
    .toLowerCase()
    .replaceAll(/[\p{P}\p{Z}\p{C}]+/gu, " ")
    .trim();
  let value = 0x811c9dc5;
  for (let index = 0; index < folded.length; index += 1) {
    value = Math.imul(value ^ folded.charCodeAt(index), 0x01000193);
  }
  return `${(value >>> 0).toString(36)}.${folded.length}`;
}
