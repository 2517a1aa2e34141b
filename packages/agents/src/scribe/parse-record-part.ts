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

const span = new RegExp(
  `^${before}(?:the )?(?:last|past) (?:(${number}) )?(minute|hour|day|week)s?(?![\\p{L}\\p{N}])`,
  "iu",
);
const some = new RegExp(
  `^${before}(?:the )?(?:last|latest|newest) (${number})(?: (?:${counted}))?(?![\\p{L}\\p{N}])`,
  "iu",
);
const clock =
  /^(?:of (?:everything )?)?(?:since|from|after) (\d{1,2})(?::(\d\d))?(?: ?o'clock)?\s*(am|pm)?(?: utc)?(?![\p{L}\p{N}])(?: on)?/iu;
const today = /^(?:of |from |for |since )?today(?:'s)?(?![\p{L}])/iu;
const yesterday = /^since yesterday(?![\p{L}])/iu;
const filler =
  /^(?:(?:of|on|for|from|about|in) )?(?:the |this |our |my )?(?:whole |entire |full )?(?:conversation|discussion|chat|meeting|talk|transcript|session|history|everything|it all|all|all of it|it|this|that|so far|until now|up to now|till now|please|now|again|here|me|us|everyone|everybody|what (?:was|has been|we|they|we have|people) (?:said|discussed)|what happened)(?![\p{L}])/iu;
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
  const spanned = span.exec(rest);
  if (spanned !== null) {
    part.sinceMs = nowMs - amountOf(spanned[1]) * (units[spanned[2]?.toLowerCase() ?? ""] ?? 0);
    return rest.slice(spanned[0].length);
  }
  const numbered = some.exec(rest);
  if (numbered !== null) {
    part.last = Math.ceil(amountOf(numbered[1]));
    return rest.slice(numbered[0].length);
  }
  const timed = clock.exec(rest);
  if (timed !== null) {
    const sinceMs = momentOf(timed, nowMs);
    if (sinceMs === undefined) return undefined;
    part.sinceMs = sinceMs;
    return rest.slice(timed[0].length);
  }
  const day = today.exec(rest);
  if (day !== null) {
    part.sinceMs = midnightBefore(nowMs);
    return rest.slice(day[0].length);
  }
  const dayBefore = yesterday.exec(rest);
  if (dayBefore !== null) {
    part.sinceMs = midnightBefore(nowMs) - 86_400_000;
    return rest.slice(dayBefore[0].length);
  }
  const filling = filler.exec(rest);
  return filling === null ? undefined : rest.slice(filling[0].length);
}

function amountOf(written = "one"): number {
  const word = written.toLowerCase();
  if (/^\d+$/u.test(word)) return Number(word);
  if (word === "half an") return 0.5;
  if (word === "few") return 3;
  return Math.max(1, numbers.indexOf(word));
}

/** The most recent such time in UTC: the asker's time zone is not known. */
function momentOf([, hour = "", minute = "0", half]: RegExpExecArray, nowMs: number): number | undefined {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  if (hours > 23 || Number(minute) > 59) return undefined;
  const todays = midnightBefore(nowMs) + hours * 3_600_000 + Number(minute) * 60_000;
  return todays <= nowMs ? todays : todays - 86_400_000;
}

function midnightBefore(nowMs: number): number {
  return nowMs - (nowMs % 86_400_000);
}
