import { type ErrorContent, errorIn, escapeHtml } from "@plenary/nemo";
import { type DialogEvent, reasonTokens, wordsOfValue } from "@plenary/protocol";
import { lineOf, type NoteLine, noteText, oneLine, type TranscriptEntry } from "@plenary/transcript";
import { type RendererParticipants, unmarked } from "./participants.ts";
import type { Step } from "./steps.ts";

const reasonCharsMax = 500;
const titleCharsMax = 120;

/** An event of the floor as a step of the answer. Its title says who did what. */
export function noteStep(
  entry: TranscriptEntry,
  people: RendererParticipants,
  self: string | undefined,
): Step | undefined {
  const line = lineOf(entry, self);
  if (line?.kind !== "note") return undefined;
  const name = sentence(withoutTokens(line), people, titleCharsMax);
  return { key: `step-${entry.seq}`, name, payload: sentence(line, people, reasonCharsMax) };
}

/** Reasons begin with tokens that only machines need. */
function withoutTokens(line: NoteLine): NoteLine {
  return line.reason === undefined ? line : { ...line, reason: line.reason.replace(tokens, "").trim() };
}

const tokens = /@[a-zA-Z0-9_]+/gu;

/** The speakers that such a step names. */
export function namedIn(entry: TranscriptEntry): string[] {
  const line = lineOf(entry, undefined);
  const words = line?.kind === "note" ? line.words : [];
  return words.flatMap((one) => (typeof one === "string" ? [] : [one.speakerUri]));
}

function sentence(line: NoteLine, people: RendererParticipants, charsMax: number): string {
  const write = (text: string) => blanksAround(text, escapeHtml(oneLine(text, charsMax)));
  return noteText(line, (uri) => escapeHtml(people.nameFor(uri)), write);
}

function blanksAround(text: string, words: string): string {
  return `${/^\s/u.test(text) ? " " : ""}${words}${/\s$/u.test(text) ? " " : ""}`;
}

/** What went wrong with an agent, as an error; undefined when nothing did. */
export function failureIn(entry: TranscriptEntry, people: RendererParticipants): ErrorContent | undefined {
  if (entry.kind === "missed") return missedError(entry, people);
  if (entry.kind !== "event") return undefined;
  const { event, sender, target } = entry;
  const { eventType } = event;
  if (!failing.has(eventType)) return undefined;
  const reason = typeof event.reason === "string" ? event.reason : "";
  const named = reasonTokens(reason);
  if (!named.some((token) => failures.has(token))) return undefined;
  const about = eventType === "uninvite" || eventType === "declineInvite" ? (target ?? sender) : sender;
  const why = reason.replace(tokens, "").trim();
  const isLate = named.includes("@timedOut");
  const otherwise = isLate ? "did not answer in time" : named.includes("@unavailable") ? "is unavailable" : "failed";
  return failure(about, people, isLate, why === "" ? otherwise : why);
}

/** What an agent says of its own failure beside its words, in the workflow's own code. */
export function troubleIn({ features }: Pick<DialogEvent, "features">): ErrorContent | undefined {
  const error = errorIn(features);
  if (error === undefined) return undefined;
  const { code, message, details } = error;
  return { code, message: unmarked(message, reasonCharsMax), details: unmarked(details, detailsCharsMax) };
}

type MissedDelivery = { speakerUri: string; failure: string; detail?: string | undefined };

export function missedError(
  { speakerUri, failure: why, detail }: MissedDelivery,
  people: RendererParticipants,
): ErrorContent {
  return failure(speakerUri, people, why === "timeout", detail ?? missing[why] ?? "did not answer");
}

function failure(speakerUri: string, people: RendererParticipants, isLate: boolean, why: string): ErrorContent {
  const name = people.nameFor(speakerUri);
  const words = unmarked(why, reasonCharsMax);
  return {
    code: "workflow_error",
    message: isLate ? "TimeoutError" : name,
    details: isLate ? `${name} ${words}` : words,
  };
}

const failing: ReadonlySet<string> = new Set(["bye", "declineInvite", "yieldFloor", "uninvite"]);
const failures: ReadonlySet<string> = new Set(["@error", "@timedOut", "@unavailable"]);

const missing: Readonly<Record<string, string>> = {
  unreachable: "could not be reached",
  timeout: "did not answer in time",
  "no-envelope": "answered with something that is no envelope",
  refused: "refused what it was sent",
};

/** A client shows an error only beside some words. */
export function errorLine({ message, details }: ErrorContent): string {
  const words = message === "TimeoutError" ? details : `${message}: ${details}`;
  return `*(Error: ${unmarked(words, detailsCharsMax)})*`;
}

const detailsCharsMax = 1_000;

/** Something of this person's own that had no effect. */
export function refusalOf({ event, problem }: Extract<TranscriptEntry, { kind: "refused" }>): ErrorContent {
  const why = oneLine(wordsOfValue(problem) ?? "the floor refused it", reasonCharsMax);
  const what = event.eventType === "utterance" ? "nobody heard your words" : `your ${event.eventType} had no effect`;
  const details = `${what}: ${why}. Try again later, or ask the owner of the conversation.`;
  return { code: "workflow_error", message: "Refused", details };
}

/** Holds back entries about agents whose names are not known yet. */
export type UnnamedSpeakers = {
  add(entry: TranscriptEntry): void;
  /** Entries whose agents have names by now, or whose time is up. */
  take(nowMs: number): TranscriptEntry[];
  nextAtMs(): number | undefined;
};

const heldMax = 50;

export function createUnnamedSpeakers(people: RendererParticipants): UnnamedSpeakers {
  let held: TranscriptEntry[] = [];
  const dueMs = (note: TranscriptEntry) => {
    const times = namedIn(note).flatMap((uri) => people.nameDueMs(uri) ?? []);
    return times.length === 0 ? 0 : Math.max(...times);
  };
  return {
    add(entry) {
      held.push(entry);
    },
    take(nowMs) {
      const before = held;
      held = before.filter((note, index) => index >= before.length - heldMax && dueMs(note) > nowMs);
      return before.filter((note) => !held.includes(note));
    },
    nextAtMs: () => (held.length === 0 ? undefined : Math.min(...held.map(dueMs))),
  };
}

const namesMax = 5;
const wordCharsMax = 60;

/** What the bubble says when nobody said anything: a client hides an empty one, and then looks as if it had failed. */
export function silenceLine(people: RendererParticipants, to: string | undefined): string {
  // A person need not answer at once, and is not waited for.
  if (to !== undefined && people.kindOf(to) === "person") return `*(Sent to ${people.nameFor(to)}.)*`;
  const here = whoIsHere(people);
  return here === "" ? "*(Nobody answered: no agent is here.)*" : `*(Nobody answered. ${here})*`;
}

/** What is said to a name that nobody has is heard by everybody; undefined when it is said to no name at all. */
export function unknownNameLine(people: RendererParticipants, text: string): string | undefined {
  const [, word = ""] = /^\s*@([\p{L}\p{N}][^\s@]*)/u.exec(text) ?? [];
  if (word === "") return undefined;
  const name = unmarked(word.replace(/\p{P}+$/u, ""), wordCharsMax);
  return `*(Nobody here is called ${name}, so this went to everybody. ${whoIsHere(people)}`.trimEnd().concat(")*");
}

function whoIsHere(people: RendererParticipants): string {
  const names = people.agents();
  const [first] = names;
  if (first === undefined) return "";
  const rest = names.length - namesMax;
  const all = `${names.slice(0, namesMax).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return `Here ${names.length === 1 ? "is" : "are"} ${all}: begin with a name, such as @${first}.`;
}
