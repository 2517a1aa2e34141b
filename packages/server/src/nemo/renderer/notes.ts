import { type ErrorContent, errorIn, escapeHtml } from "@plenary/nemo";
import { type DialogEvent, reasonTokens, wordsOfValue } from "@plenary/protocol";
import { lineOf, type NoteLine, noteText, oneLine, type TranscriptEntry } from "@plenary/transcript";
import { type RendererParticipants, withoutMarkdown } from "./participants.ts";
import type { Step } from "./steps.ts";

const reasonCharsMax = 500;
const titleCharsMax = 120;

/** An event of the floor as a step of the answer, if people read it. Its title names the conversant and the action. */
function noteSteps(entry: TranscriptEntry, participants: RendererParticipants, self: string | undefined): Step[] {
  const line = lineOf(entry, self);
  if (line?.kind !== "note") return [];
  const name = sentence(withoutTokens(line), participants, titleCharsMax);
  return [{ key: `step-${entry.seq}`, name, payload: sentence(line, participants, reasonCharsMax) }];
}

/** Removes the reason tokens, which are for programs. */
function withoutTokens(line: NoteLine): NoteLine {
  return line.reason === undefined ? line : { ...line, reason: line.reason.replace(tokens, "").trim() };
}

const tokens = /@[a-zA-Z0-9_]+/gu;

/** The speakers that the step of this entry names. */
function namedIn(entry: TranscriptEntry): string[] {
  const line = lineOf(entry, undefined);
  const words = line?.kind === "note" ? line.words : [];
  return words.flatMap((one) => (typeof one === "string" ? [] : [one.speakerUri]));
}

function sentence(line: NoteLine, participants: RendererParticipants, charsMax: number): string {
  const write = (text: string) => blanksAround(text, escapeHtml(oneLine(text, charsMax)));
  return noteText(line, (uri) => escapeHtml(participants.nameFor(uri)), write);
}

function blanksAround(text: string, words: string): string {
  return `${/^\s/u.test(text) ? " " : ""}${words}${/\s$/u.test(text) ? " " : ""}`;
}

/** The failure of an agent that this entry records, as an error. */
export function failureIn(entry: TranscriptEntry, participants: RendererParticipants): ErrorContent | undefined {
  if (entry.kind === "missed") return missedError(entry, participants);
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
  return failure(about, participants, isLate, why === "" ? otherwise : why);
}

/** The error that an agent attaches to its utterance, with the code of the workflow. */
export function agentErrorIn({ features }: Pick<DialogEvent, "features">): ErrorContent | undefined {
  const error = errorIn(features);
  if (error === undefined) return undefined;
  const { code, message, details } = error;
  return {
    code,
    message: withoutMarkdown(message, reasonCharsMax),
    details: withoutMarkdown(details, detailsCharsMax),
  };
}

type MissedDelivery = { speakerUri: string; failure: string; detail?: string | undefined };

export function missedError(
  { speakerUri, failure: why, detail }: MissedDelivery,
  participants: RendererParticipants,
): ErrorContent {
  return failure(speakerUri, participants, why === "timeout", detail ?? missedTexts[why] ?? "did not answer");
}

function failure(speakerUri: string, participants: RendererParticipants, isLate: boolean, why: string): ErrorContent {
  const name = participants.nameFor(speakerUri);
  const words = withoutMarkdown(why, reasonCharsMax);
  return {
    code: "workflow_error",
    message: isLate ? "TimeoutError" : name,
    details: isLate ? `${name} ${words}` : words,
  };
}

const failing: ReadonlySet<string> = new Set(["bye", "declineInvite", "yieldFloor", "uninvite"]);
const failures: ReadonlySet<string> = new Set(["@error", "@timedOut", "@unavailable"]);

const missedTexts: Readonly<Record<string, string>> = {
  unreachable: "could not be reached",
  timeout: "did not answer in time",
  "no-envelope": "answered with something that is no envelope",
  refused: "refused what it was sent",
};

/** The error as text: a client shows an error only together with text. */
export function errorLine({ message, details }: ErrorContent): string {
  const words = message === "TimeoutError" ? details : `${message}: ${details}`;
  return `*(Error: ${withoutMarkdown(words, detailsCharsMax)})*`;
}

const detailsCharsMax = 1_000;

/** The floor refused an event of this person. */
export function refusalError({ event, problem }: Extract<TranscriptEntry, { kind: "refused" }>): ErrorContent {
  const why = oneLine(wordsOfValue(problem) ?? "the floor refused it", reasonCharsMax);
  const what =
    event.eventType === "utterance" ? "your message was not delivered" : `your ${event.eventType} had no effect`;
  const details = `${what}: ${why}. Try again later, or ask the owner of the conversation.`;
  return { code: "workflow_error", message: "Refused", details };
}

const heldMax = 50;

/** Holds back entries about agents whose names are not known yet. */
export function createHeldEntries(participants: RendererParticipants) {
  let held: TranscriptEntry[] = [];
  const dueMs = (note: TranscriptEntry) => {
    const times = namedIn(note).flatMap((uri) => participants.nameDueMs(uri) ?? []);
    return times.length === 0 ? 0 : Math.max(...times);
  };
  return {
    add(entry: TranscriptEntry): void {
      held.push(entry);
    },
    /** Removes the entries whose agents have names, or whose wait is over, and returns their steps. */
    take(nowMs: number, self: string | undefined): Step[] {
      const before = held;
      held = before.filter((note, index) => index >= before.length - heldMax && dueMs(note) > nowMs);
      return before.filter((note) => !held.includes(note)).flatMap((note) => noteSteps(note, participants, self));
    },
    nextAtMs: () => (held.length === 0 ? undefined : Math.min(...held.map(dueMs))),
  };
}

const namesMax = 5;
const wordCharsMax = 60;

/** The text of a turn without an answer. A client hides an empty text and then seems to have failed. */
export function noAnswerLine(participants: RendererParticipants, to: string | undefined): string {
  // The turn does not wait for answers of persons.
  if (to !== undefined && participants.kindOf(to) === "person") return `*(Sent to ${participants.nameFor(to)}.)*`;
  const here = presentAgents(participants);
  return here === "" ? "*(Nobody answered: no agent is here.)*" : `*(Nobody answered. ${here})*`;
}

/** A notice that the name after `@` is unknown, so the message went to all. Undefined without such a name. */
export function unknownNameLine(participants: RendererParticipants, text: string): string | undefined {
  const [, word = ""] = /^\s*@([\p{L}\p{N}][^\s@]*)/u.exec(text) ?? [];
  if (word === "") return undefined;
  const name = withoutMarkdown(word.replace(/\p{P}+$/u, ""), wordCharsMax);
  return `*(Nobody here is called ${name}, so this went to everybody. ${presentAgents(participants)}`
    .trimEnd()
    .concat(")*");
}

function presentAgents(participants: RendererParticipants): string {
  const names = participants.agents();
  const [first] = names;
  if (first === undefined) return "";
  const rest = names.length - namesMax;
  const all = `${names.slice(0, namesMax).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return `Here ${names.length === 1 ? "is" : "are"} ${all}: begin with a name, such as @${first}.`;
}
