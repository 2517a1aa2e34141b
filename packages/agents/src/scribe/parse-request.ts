import type { ExportFormat } from "@plenary/transcript";
import type { People } from "./speakers.ts";

/** An HTML page can run code when it is opened, so the scribe does not export one. */
export type ScribeFormat = Exclude<ExportFormat, "html">;

/** A question about the record. Names and topics are as the asker wrote them. */
export type ScribeQuestion =
  | { kind: "summary" | "whoSaidWhat" | "decisions" | "questions"; part: RecordPart }
  | { kind: "said" | "count" | "last"; speaker?: string; about?: string }
  | { kind: "mentions"; about: string }
  | { kind: "joined" | "left"; speaker: string }
  | { kind: "people" };

export type ScribeRequest =
  | ScribeQuestion
  | { kind: "export"; format: ScribeFormat; isNamed: boolean }
  | { kind: "exportUnknown"; format: string; isNamed: boolean }
  /** note: the scribe keeps everything anyway, and only confirms it. */
  | { kind: "since" | "note" | "help" | "thanks" };

export type RecordPart = {
  /** Only so many of the newest utterances. */
  last?: number;
  /** Milliseconds since 1970. */
  sinceMs?: number;
  /** As the asker wrote it. */
  speaker?: string;
};

const textMax = 400;
const polite =
  /^(?:(?:@?scribe|please|pls|could you|can you|would you|will you|hey|ok|okay|so|now|and|then|kindly|do you know|i want|i need|i would like|i'd like|tell (?:me|us)|show (?:me|us)|give (?:me|us)|list|make|write)(?:[\s,:]+|$))+/iu;
const closing = /(?:[\s,]*(?:please|pls|thanks|thank you|for (?:me|us)))?[\s.!?]*$/iu;

const formatNames: Readonly<Record<ScribeFormat, string>> = {
  markdown: "markdown|md",
  mermaid: "mermaid|mmd|sequence diagram",
  jsonl: "json ?lines|jsonl|ndjson|json",
};
const formats = [...Object.values(formatNames), "html|web ?page"].join("|");
const record = "conversation|transcript|chat|discussion|history|record|log";
const say =
  "say|said|tell (?:us|me)|write|written|mention(?:ed)?|think|talk|speak|spoken|have to say|suggest(?:ed)?|ask(?:ed)?";
const on = "about|on|of|regarding|concerning";
const thing = "(?:thing|word|utterance|message|sentence)s?";
const partGroup = "(?![\\p{L}])(?<part>.*)";
const speakerGroup = "(?<speaker>.{1,80}?)";
const aboutGroup = "(?<about>.{1,120})";
const times = "how (?:many times|often)";

type PatternKind = Exclude<ScribeRequest["kind"], "exportUnknown">;

/** The groups of a pattern are fields of the request. The first pattern that matches the whole sentence counts. */
const patterns: Readonly<Record<PatternKind, readonly string[]>> = {
  summary: [
    `(?:an? |the )?(?:short |brief |quick )?(?:summary|summarise|summarize|recap|sum up|tl;?dr)${partGroup}`,
    `(?:what (?:did i miss|have i missed)|catch me up)${partGroup}`,
    `what (?:did|have) we (?:talk(?:ed)?|spoken?|speak|discuss(?:ed)?|been (?:talking|speaking|discussing))(?: about)?${partGroup}`,
    "(?:the )?(?:minutes of (?=[\\p{L}])|(?:meeting )minutes(?![\\p{L}]))(?<part>.*)",
  ],
  whoSaidWhat: [`who (?:has )?said what${partGroup}`],
  decisions: [
    `(?:what (?:did we|have we|was|has been) (?:decided?|agreed?|agreed? on|agreed? upon)|(?:what are |what were )?(?:the |our )?(?:decisions|tasks|action items|to-?dos))${partGroup}`,
  ],
  questions: [
    `(?:(?:what|which) (?:questions )?(?:are|were|is|remain) (?:the )?(?:still )?(?:open|unanswered)(?: questions?)?|(?:are there |do we have )?(?:any |the )?(?:open|unanswered) questions(?: left)?)${partGroup}`,
  ],
  last: [
    `what(?: was| is|'s) the (?:last|latest) ${thing}(?: that)? ${speakerGroup}(?: has)? (?:said|wrote|told us)`,
    `what(?: was| is|'s) (?:said last|the last ${thing}(?: that was)?(?: said)?)`,
    `what (?:did|has) ${speakerGroup} (?:just )?(?:say|said|write) (?:last|just now)`,
  ],
  mentions: [
    `(?:did|has) (?:any(?:body|one)|some(?:body|one)) (?:${say}|talk(?:ed)?)(?: (?:anything|something))?(?: (?:${on}))? ${aboutGroup}`,
    `who (?:has |have |else )?(?:mention(?:ed|s)|said|wrote|talk(?:ed|s) (?:about|of)|sp(?:oke|eaks) (?:about|of)|brought up|asked about)(?: (?:anything|something))?(?: about)? ${aboutGroup}`,
    "when (?:was|were) (?<about>.{1,120}?) (?:mentioned|said|discussed|talked about)",
  ],
  said: [
    `what (?:did|has|does) ${speakerGroup} (?:${say})(?: (?:${on}) ${aboutGroup})?`,
    `(?:what|anything) (?:was|has been|did (?:we|they|people) (?:say|said)|said) ?(?:said|written|mentioned)? (?:about|on|regarding|concerning) ${aboutGroup}`,
    `did ${speakerGroup} (?:${say})(?: (?:anything|something))? (?:${on}) ${aboutGroup}`,
    `when did ${speakerGroup} (?:${say}|talk)(?: (?:${on}))? ${aboutGroup}`,
  ],
  joined: [
    `when did ${speakerGroup} (?:join|arrive|come|enter)(?: (?:us|here|in|the (?:floor|conversation|chat|meeting)))?`,
    `since when (?:is|has) ${speakerGroup} (?:been )?(?:here|with us|in)`,
  ],
  left: [`when did ${speakerGroup} (?:leave|go|go away)(?: (?:us|the (?:floor|conversation|chat|meeting)))?`],
  people: [
    "who (?:(?:is|was|were|has been) (?:here|there|present)|took part|has taken part|takes part|joined|spoke|has spoken|said something)",
  ],
  count: [
    `${times} (?:was|were|is|has|have) (?<about>.{1,120}?) (?:been )?(?:mentioned|said)`,
    `${times} (?:did|has|have) ${speakerGroup} (?:sp(?:eak|oken|oke)|talk(?:ed)?|said? (?:something|anything))`,
    `${times} (?:did|has|have) ${speakerGroup} (?:say|said|mention(?:ed)?|talk(?:ed)? about|use(?:d)?) ${aboutGroup}`,
    `how (?:much|many ${thing}) (?:did|has|have) ${speakerGroup} (?:sa(?:y|id)|write|written|sp(?:eak|oken))`,
    `how many ${thing} (?:were|have been|are there)(?: (?:said|written|so far))?`,
  ],
  export: [
    `(?:export|download|save)(?: (?:the|this|our))?(?<what> (?:${record}|everything|it|all))?(?: (?:as|to|in|into))?(?: an?)?(?: (?<format>.{1,30}?))?(?: file)?`,
    `(?:the |a )?(?<what>transcript)(?: (?:as|in) (?:an? )?(?<format>${formats}))?(?: file)?`,
  ],
  since: [
    "(?:since when|how long|for how long) (?:have you|do you|are you|did you) (?:been )?(?:listen(?:ed|ing)?|hear(?:d)?|here|record(?:ed|ing)?)(?: .{1,40})?",
  ],
  note: ["(?:note|remember|take (?:a )?note|keep in mind|write down|for the record)(?:[ ,:].*)?"],
  help: ["(?:help|hello|hi|what can you do|what do you do|who are you|how do you work|commands)?"],
  thanks: ["(?:thanks?(?: you)?(?: (?:very|so) much)?|thx|great|well done|good (?:work|job)|perfect|nice)"],
};

const readings = Object.entries(patterns).flatMap(([kind, its]) =>
  its.map((pattern) => ({ kind: kind as PatternKind, pattern: new RegExp(`^(?:${pattern})$`, "iu") })),
);

/** Returns undefined for text that is no request to a scribe. */
export function parseRequest(text: string, nowMs: number): ScribeRequest | undefined {
  if (text.length > textMax) return undefined;
  const flat = text.replaceAll(/\s+/gu, " ").replaceAll("’", "'").trim();
  if (/^(?:thanks?|thank you|thx)(?![\p{L}])/iu.test(flat)) return { kind: "thanks" };
  const sentence = flat.replace(polite, "").replace(closing, "").trim();
  for (const { kind, pattern } of readings) {
    const found = pattern.exec(sentence);
    const request = found && requestFrom(kind, found.groups ?? {}, nowMs);
    if (request) return request;
  }
  return undefined;
}

type Groups = Readonly<Record<string, string | undefined>>;

function requestFrom(kind: PatternKind, groups: Groups, nowMs: number): ScribeRequest | undefined {
  const { speaker = "", about } = groups;
  switch (kind) {
    case "summary":
    case "whoSaidWhat":
    case "decisions":
    case "questions": {
      const part = parseRecordPart(groups.part ?? "", nowMs);
      return part && { kind, part };
    }
    case "said":
    case "count":
    case "last": {
      const isAnyone = /^(?:|we|they|you all|everybody|everyone|people|all)$/iu.test(speaker);
      return { kind, ...(!isAnyone && { speaker }), ...(about !== undefined && { about }) };
    }
    case "mentions":
      // "Who said that?" is a question to the others, not about the record.
      return about === undefined || /^(?:that|this|so|it|what)$/iu.test(about) ? undefined : { kind, about };
    case "joined":
    case "left":
      return { kind, speaker };
    case "export":
      return exportFrom(groups);
    default:
      return { kind };
  }
}

/** Words that can only mean a file format. */
const otherFormat = /^(?:html|web ?page|pdf|docx?|word|csv|te?xt|xml)$/u;
const ownFormats: readonly ScribeFormat[] = ["markdown", "mermaid", "jsonl"];

function exportFrom({ what = "", format }: Groups): ScribeRequest {
  const isNamed = new RegExp(record, "iu").test(what);
  if (format === undefined) return { kind: "export", format: "markdown", isNamed };
  const name = format.toLowerCase();
  const own = ownFormats.find((one) => new RegExp(`^(?:${formatNames[one]})$`, "u").test(name));
  // Only a transcript can have such a format.
  if (own !== undefined) return { kind: "export", format: own, isNamed: true };
  return { kind: "exportUnknown", format, isNamed: isNamed && otherFormat.test(name) };
}

/** A request that needs no name of the scribe: about the record, and about a known speaker. */
export function isClearlyForScribe(request: ScribeRequest, people: People): boolean {
  const isKnown = (name: string) => isMe(name) || people.called(name).length > 0;
  switch (request.kind) {
    case "summary":
    case "decisions":
    case "questions":
    case "whoSaidWhat":
      return request.part.speaker === undefined || isKnown(request.part.speaker);
    case "said":
      return request.speaker === undefined ? request.about !== undefined : isKnown(request.speaker);
    case "last":
    case "joined":
    case "left":
    case "count":
      return request.speaker !== undefined && isKnown(request.speaker);
    case "export":
    case "exportUnknown":
      return request.isNamed;
    default:
      return request.kind === "mentions";
  }
}

export const isMe = (name: string): boolean => /^(?:i|me|myself)$/iu.test(name);

const unitMs: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};
const numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const number = `\\d{1,6}|an?|half an|few|${numbers.slice(1).join("|")}`;
const counted = "utterances?|messages?|lines?|things?|entries|turns?|sentences?";
const before = "(?:of|from|for|in|over|during|within|about)?\\s*";

type PhraseReader = (found: RegExpExecArray, nowMs: number) => RecordPart | undefined;

/** Phrases and the part of the record that each names. The first that fits counts. */
const phrases: readonly (readonly [RegExp, PhraseReader])[] = [
  [
    new RegExp(`^${before}(?:the )?(?:last|past) (?:(${number}) )?(minute|hour|day|week)s?(?![\\p{L}\\p{N}])`, "iu"),
    ([, amount, unit = ""], nowMs) => ({ sinceMs: nowMs - amountOf(amount) * (unitMs[unit.toLowerCase()] ?? 0) }),
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
  [
    /^(?:of|by|from|for|what) (?:what )?(.{1,80}?)(?:'s)?(?: (?:has )?(?:said|wrote|words|part|utterances|contributions))?$/iu,
    ([, speaker = ""]) => ({ speaker }),
  ],
];

/** Undefined when some words remain unknown. */
function parseRecordPart(tail: string, nowMs: number): RecordPart | undefined {
  const rest = tail.trim();
  if (rest === "") return {};
  for (const [phrase, read] of phrases) {
    const found = phrase.exec(rest);
    const named = found && read(found, nowMs);
    if (!named) continue;
    const others = parseRecordPart(rest.slice(found[0].length).replace(/^[\s,:]+(?:and )?/u, ""), nowMs);
    return others && { ...named, ...others };
  }
  return undefined;
}

function amountOf(written = "one"): number {
  const word = written.toLowerCase();
  if (/^\d+$/u.test(word)) return Number(word);
  if (word === "half an") return 0.5;
  return word === "few" ? 3 : Math.max(1, numbers.indexOf(word));
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
