import type { ExportFormat } from "@plenary/transcript";
import { parseRecordPart, type RecordPart } from "./parse-record-part.ts";
import type { People } from "./speakers.ts";

const textMax = 400;
const polite =
  /^(?:(?:@?scribe|please|pls|could you|can you|would you|will you|hey|ok|okay|so|now|and|then|kindly|do you know|i want|i need|i would like|i'd like|tell (?:me|us)|show (?:me|us)|give (?:me|us)|list|make|write)(?:[\s,:]+|$))+/iu;
const closing = /(?:[\s,]*(?:please|pls|thanks|thank you|for (?:me|us)))?[\s.!?]*$/iu;

type RequestReader = (found: RegExpExecArray, nowMs: number) => ScribeRequest | undefined;

const say =
  "say|said|tell (?:us|me)|write|written|mention(?:ed)?|think|talk|speak|spoken|have to say|suggest(?:ed)?|ask(?:ed)?";
const about = "about|on|of|regarding|concerning";
const thing = "(?:thing|word|utterance|message|sentence)s?";
const formats = "markdown|md|mermaid|mmd|sequence diagram|json ?lines|jsonl|ndjson|json|html|web ?page";
const record = "conversation|transcript|chat|discussion|history|record|log";

const inPart =
  (kind: "summary" | "whoSaidWhat" | "decisions" | "questions"): RequestReader =>
  ([, tail = ""], nowMs) => {
    const part = parseRecordPart(tail, nowMs);
    return part && { kind, part };
  };

/** The first pattern that matches the whole sentence counts. */
const readings: readonly (readonly [string, RequestReader])[] = [
  [
    "(?:an? |the )?(?:short |brief |quick )?(?:summary|summarise|summarize|recap|sum up|tl;?dr)(?![\\p{L}])(.*)",
    inPart("summary"),
  ],
  ["(?:what (?:did i miss|have i missed)|catch me up)(?![\\p{L}])(.*)", inPart("summary")],
  [
    "what (?:did|have) we (?:talk(?:ed)?|spoken?|speak|discuss(?:ed)?|been (?:talking|speaking|discussing))(?: about)?(?![\\p{L}])(.*)",
    inPart("summary"),
  ],
  ["(?:the )?(?:minutes of (?=[\\p{L}])|(?:meeting )minutes(?![\\p{L}]))(.*)", inPart("summary")],
  ["who (?:has )?said what(?![\\p{L}])(.*)", inPart("whoSaidWhat")],
  [
    "(?:what (?:did we|have we|was|has been) (?:decided?|agreed?|agreed? on|agreed? upon)|(?:what are |what were )?(?:the |our )?(?:decisions|tasks|action items|to-?dos))(?![\\p{L}])(.*)",
    inPart("decisions"),
  ],
  [
    "(?:(?:what|which) (?:questions )?(?:are|were|is|remain) (?:the )?(?:still )?(?:open|unanswered)(?: questions?)?|(?:are there |do we have )?(?:any |the )?(?:open|unanswered) questions(?: left)?)(?![\\p{L}])(.*)",
    inPart("questions"),
  ],
  [
    `what(?: was| is|'s) the (?:last|latest) ${thing}(?: that)? (.{1,80}?)(?: has)? (?:said|wrote|told us)`,
    ([, speaker = ""]) => lastOf(speaker),
  ],
  [`what(?: was| is|'s) (?:said last|the last ${thing}(?: that was)?(?: said)?)`, () => ({ kind: "last" })],
  ["what (?:did|has) (.{1,80}?) (?:just )?(?:say|said|write) (?:last|just now)", ([, speaker = ""]) => lastOf(speaker)],
  [`what (?:did|has|does) (.{1,80}?) (?:${say})(?: (?:${about}) (.{1,120}))?`, saidBy],
  [
    "(?:what|anything) (?:was|has been|did (?:we|they|people) (?:say|said)|said) ?(?:said|written|mentioned)? (?:about|on|regarding|concerning) (.{1,120})",
    ([, topic = ""]) => ({ kind: "said", about: topic }),
  ],
  [
    `(?:did|has) (?:any(?:body|one)|some(?:body|one)) (?:${say}|talk(?:ed)?)(?: (?:anything|something))?(?: (?:${about}))? (.{1,120})`,
    mentionsOf,
  ],
  [`did (.{1,80}?) (?:${say})(?: (?:anything|something))? (?:${about}) (.{1,120})`, saidBy],
  [
    "who (?:has |have |else )?(?:mention(?:ed|s)|said|wrote|talk(?:ed|s) (?:about|of)|sp(?:oke|eaks) (?:about|of)|brought up|asked about)(?: (?:anything|something))?(?: about)? (.{1,120})",
    mentionsOf,
  ],
  [`when did (.{1,80}?) (?:${say}|talk)(?: (?:${about}))? (.{1,120})`, saidBy],
  ["when (?:was|were) (.{1,120}?) (?:mentioned|said|discussed|talked about)", mentionsOf],
  [
    "when did (.{1,80}?) (?:join|arrive|come|enter)(?: (?:us|here|in|the (?:floor|conversation|chat|meeting)))?",
    ([, speaker = ""]) => ({ kind: "joined", speaker }),
  ],
  [
    "since when (?:is|has) (.{1,80}?) (?:been )?(?:here|with us|in)",
    ([, speaker = ""]) => ({ kind: "joined", speaker }),
  ],
  [
    "when did (.{1,80}?) (?:leave|go|go away)(?: (?:us|the (?:floor|conversation|chat|meeting)))?",
    ([, speaker = ""]) => ({ kind: "left", speaker }),
  ],
  [
    "who (?:(?:is|was|were|has been) (?:here|there|present)|took part|has taken part|takes part|joined|spoke|has spoken|said something)",
    () => ({ kind: "people" }),
  ],
  [
    "how (?:many times|often) (?:was|were|is|has|have) (.{1,120}?) (?:been )?(?:mentioned|said)",
    ([, topic = ""]) => ({ kind: "count", about: topic }),
  ],
  [
    "how (?:many times|often) (?:did|has|have) (.{1,80}?) (?:sp(?:eak|oken|oke)|talk(?:ed)?|said? (?:something|anything))",
    ([, speaker = ""]) => ({ kind: "count", ...who(speaker) }),
  ],
  [
    "how (?:many times|often) (?:did|has|have) (.{1,80}?) (?:say|said|mention(?:ed)?|talk(?:ed)? about|use(?:d)?) (.{1,120})",
    ([, speaker = "", topic = ""]) => ({ kind: "count", ...who(speaker), about: topic }),
  ],
  [
    `how (?:much|many ${thing}) (?:did|has|have) (.{1,80}?) (?:sa(?:y|id)|write|written|sp(?:eak|oken))`,
    ([, speaker = ""]) => ({ kind: "count", ...who(speaker) }),
  ],
  [`how many ${thing} (?:were|have been|are there)(?: (?:said|written|so far))?`, () => ({ kind: "count" })],
  [
    `(?:export|download|save)(?: (?:the|this|our))?( (?:${record}|everything|it|all))?(?: (?:as|to|in|into))?(?: an?)?(?: (.{1,30}?))?(?: file)?`,
    exportOf,
  ],
  [`(?:the |a )?(transcript)(?: (?:as|in) (?:an? )?(${formats}))?(?: file)?`, exportOf],
  [
    "(?:since when|how long|for how long) (?:have you|do you|are you|did you) (?:been )?(?:listen(?:ed|ing)?|hear(?:d)?|here|record(?:ed|ing)?)(?: .{1,40})?",
    () => ({ kind: "since" }),
  ],
  ["(?:note|remember|take (?:a )?note|keep in mind|write down|for the record)(?:[ ,:].*)?", () => ({ kind: "note" })],
  ["(?:help|hello|hi|what can you do|what do you do|who are you|how do you work|commands)?", () => ({ kind: "help" })],
  [
    "(?:thanks?(?: you)?(?: (?:very|so) much)?|thx|great|well done|good (?:work|job)|perfect|nice)",
    () => ({ kind: "thanks" }),
  ],
];

const patterns = readings.map(([pattern, read]) => ({ pattern: new RegExp(`^(?:${pattern})$`, "iu"), read }));

/** Returns undefined for text that is no request to a scribe. */
export function parseRequest(text: string, nowMs: number): ScribeRequest | undefined {
  if (text.length > textMax) return undefined;
  const flat = text.replaceAll(/\s+/gu, " ").replaceAll("’", "'").trim();
  if (/^(?:thanks?|thank you|thx)(?![\p{L}])/iu.test(flat)) return { kind: "thanks" };
  const sentence = flat.replace(polite, "").replace(closing, "").trim();
  for (const { pattern, read } of patterns) {
    const found = pattern.exec(sentence);
    const request = found && read(found, nowMs);
    if (request) return request;
  }
  return undefined;
}

/** A request that needs no name of the scribe: about the record, and about a known speaker. */
export function isClearlyForScribe(request: ScribeRequest, people: People): boolean {
  switch (request.kind) {
    case "summary":
    case "decisions":
    case "questions":
    case "whoSaidWhat":
      return request.part.speaker === undefined || isKnown(request.part.speaker, people);
    case "said":
      return request.speaker === undefined ? request.about !== undefined : isKnown(request.speaker, people);
    case "last":
    case "joined":
    case "left":
    case "count":
      return request.speaker !== undefined && isKnown(request.speaker, people);
    case "mentions":
      return true;
    case "export":
    case "exportUnknown":
      return request.isNamed;
    default:
      return false;
  }
}

export const isMe = (name: string): boolean => /^(?:i|me|myself)$/iu.test(name);

function isKnown(name: string, people: People): boolean {
  return isMe(name) || people.called(name).length > 0;
}

function who(speaker: string): { speaker?: string } {
  return /^(?:we|they|you all|everybody|everyone|people|all)$/iu.test(speaker.trim())
    ? {}
    : { speaker: speaker.trim() };
}

function lastOf(speaker: string): ScribeRequest {
  return { kind: "last", ...who(speaker) };
}

function saidBy([, speaker = "", topic]: RegExpExecArray): ScribeRequest {
  return { kind: "said", ...who(speaker), ...(topic !== undefined && { about: topic }) };
}

function mentionsOf([, topic = ""]: RegExpExecArray): ScribeRequest | undefined {
  // "Who said that?" is a question to the others, not about the record.
  return /^(?:that|this|so|it|what)$/iu.test(topic) ? undefined : { kind: "mentions", about: topic };
}

const formatOf: Readonly<Record<string, ScribeFormat>> = {
  markdown: "markdown",
  md: "markdown",
  mermaid: "mermaid",
  mmd: "mermaid",
  "sequence diagram": "mermaid",
  "json lines": "jsonl",
  jsonlines: "jsonl",
  jsonl: "jsonl",
  ndjson: "jsonl",
  json: "jsonl",
};

/** Words that can only mean a file format. */
const otherFormat = /^(?:html|web ?page|pdf|docx?|word|csv|te?xt|xml)$/u;

function exportOf([, noun, written]: RegExpExecArray): ScribeRequest {
  const isNamed = noun !== undefined && new RegExp(record, "iu").test(noun);
  if (written === undefined) return { kind: "export", format: "markdown", isNamed };
  const name = written.toLowerCase();
  const format = Object.hasOwn(formatOf, name) ? formatOf[name] : undefined;
  if (format === undefined)
    return { kind: "exportUnknown", format: written, isNamed: isNamed && otherFormat.test(name) };
  // Only a transcript can have such a format.
  return { kind: "export", format, isNamed: true };
}

/** An HTML page can run code when it is opened, so the scribe does not export one. */
export type ScribeFormat = Exclude<ExportFormat, "html">;

/** A question about the record. Names and topics are as the asker wrote them. */
export type ScribeQuestion =
  | { kind: "summary" | "whoSaidWhat" | "decisions" | "questions"; part: RecordPart }
  | { kind: "said" | "count"; speaker?: string; about?: string }
  | { kind: "last"; speaker?: string }
  | { kind: "mentions"; about: string }
  | { kind: "joined" | "left"; speaker: string }
  | { kind: "people" };

export type ScribeRequest =
  | ScribeQuestion
  | { kind: "export"; format: ScribeFormat; isNamed: boolean }
  | { kind: "exportUnknown"; format: string; isNamed: boolean }
  | { kind: "since" }
  /** The scribe keeps everything anyway, and only confirms it. */
  | { kind: "note" }
  | { kind: "help" }
  | { kind: "thanks" };
