export type RecordPart = {
  /** Only so many of the newest utterances. */
  last?: number;
  /** Milliseconds since 1970. */
  sinceMs?: number;
  /** As the asker wrote it. */
  speaker?: string;
};

const units: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};
const numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const counted = "utterances?|messages?|lines?|things?|entries|turns?|sentences?";
const number = "\\d{1,6}|an?|half an|few|one|two|three|four|five|six|seven|eight|nine|ten";
const before = "(?:of|from|for|in|over|during|within|about)?\\s*";

type PhraseReader = (found: RegExpExecArray, nowMs: number) => RecordPart | undefined;

/** Phrases and the part that each names. The first that fits counts. */
const phrases: readonly (readonly [RegExp, PhraseReader])[] = [
  [
    new RegExp(`^${before}(?:the )?(?:last|past) (?:(${number}) )?(minute|hour|day|week)s?(?![\\p{L}\\p{N}])`, "iu"),
    ([, amount, unit = ""], nowMs) => ({ sinceMs: nowMs - amountOf(amount) * (units[unit.toLowerCase()] ?? 0) }),
  ],
  [
    new RegExp(`^${before}(?:the )?(?:last|latest|newest) (${number})(?: (?:${counted}))?(?![\\p{L}\\p{N}])`, "iu"),
    ([, amount]) => ({ last: Math.ceil(amountOf(amount)) }),
  ],
  [
    /^(?:of (?:everything )?)?(?:since|from|after) (\d{1,2})(?::(\d\d))?(?: ?o'clock)?\s*(am|pm)?(?: utc)?(?![\p{L}\p{N}])(?: on)?/iu,
    sinceClockTime,
  ],
  [/^(?:of |from |for |since )?today(?:'s)?(?![\p{L}])/iu, (_, nowMs) => ({ sinceMs: midnightBefore(nowMs) })],
  [/^since yesterday(?![\p{L}])/iu, (_, nowMs) => ({ sinceMs: midnightBefore(nowMs) - 86_400_000 })],
  [
    /^(?:(?:of|on|for|from|about|in) )?(?:the |this |our |my )?(?:whole |entire |full )?(?:conversation|discussion|chat|meeting|talk|transcript|session|history|everything|it all|all|all of it|it|this|that|so far|until now|up to now|till now|please|now|again|here|me|us|everyone|everybody|what (?:was|has been|we|they|we have|people) (?:said|discussed)|what happened)(?![\p{L}])/iu,
    () => ({}),
  ],
];
const speaker =
  /^(?:of|by|from|for|what) (?:what )?(.{1,80}?)(?:'s)?(?: (?:has )?(?:said|wrote|words|part|utterances|contributions))?$/iu;

/** The part of the record that a request names; undefined when some words remain unknown. */
export function parseRecordPart(tail: string, nowMs: number): RecordPart | undefined {
  const part: RecordPart = {};
  let rest = tail.trim();
  while (rest !== "") {
    const next = takeNext(rest, part, nowMs);
    if (next === undefined) {
      const [, name] = speaker.exec(rest) ?? [];
      return name === undefined || part.speaker !== undefined ? undefined : { ...part, speaker: name };
    }
    rest = next.replace(/^[\s,:]+(?:and )?/u, "");
  }
  return part;
}

/** Reads one phrase at the beginning and returns the rest; undefined when no phrase fits. */
function takeNext(rest: string, part: RecordPart, nowMs: number): string | undefined {
  for (const [phrase, read] of phrases) {
    const found = phrase.exec(rest);
    if (found === null) continue;
    const named = read(found, nowMs);
    if (named === undefined) return undefined;
    Object.assign(part, named);
    return rest.slice(found[0].length);
  }
  return undefined;
}

function amountOf(written = "one"): number {
  const word = written.toLowerCase();
  if (/^\d+$/u.test(word)) return Number(word);
  if (word === "half an") return 0.5;
  if (word === "few") return 3;
  return Math.max(1, numbers.indexOf(word));
}

/** The most recent such time in UTC: the asker's time zone is not known. */
function sinceClockTime([, hour = "", minute = "0", half]: RegExpExecArray, nowMs: number): RecordPart | undefined {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  if (hours > 23 || Number(minute) > 59) return undefined;
  const todays = midnightBefore(nowMs) + hours * 3_600_000 + Number(minute) * 60_000;
  return { sinceMs: todays <= nowMs ? todays : todays - 86_400_000 };
}

function midnightBefore(nowMs: number): number {
  return nowMs - (nowMs % 86_400_000);
}
