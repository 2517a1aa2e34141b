import { lineOf, type NoteLine, noteWords, oneLine, type TranscriptEntry, wordsOfValue } from "@plenary/floor";
import { type ErrorContent, escaped, type Step } from "@plenary/nemo";
import { reasonTokens } from "@plenary/protocol";
import type { Told } from "../told.ts";
import { type People, unmarked } from "./people.ts";

const reasonCharsMax = 500;

type StepTold = Extract<Told, { kind: "step" }>;

/** What happened at the floor, for whoever looks into how an answer came about. */
export function noteStep(
  entry: TranscriptEntry,
  people: People,
  self: string | undefined,
): Omit<StepTold, "parent"> | undefined {
  const line = lineOf(entry, self);
  if (line?.kind !== "note") return undefined;
  return { kind: "step", id: `step-${entry.seq}`, name: `Floor: ${nameOf(entry)}`, payload: sentence(line, people) };
}

/** Whom such a step names. */
export function namedIn(entry: TranscriptEntry): string[] {
  const line = lineOf(entry, undefined);
  const words = line?.kind === "note" ? line.words : [];
  return words.flatMap((one) => (typeof one === "string" ? [] : [one.speakerUri]));
}

function sentence(line: NoteLine, people: People): string {
  const write = (text: string) => blanksAround(text, escaped(oneLine(text, reasonCharsMax)));
  return noteWords(line, (uri) => escaped(people.nameFor(uri)), write);
}

function blanksAround(text: string, words: string): string {
  return `${/^\s/u.test(text) ? " " : ""}${words}${/\s$/u.test(text) ? " " : ""}`;
}

function nameOf(entry: TranscriptEntry): string {
  if (entry.kind === "event") return entry.event.eventType;
  if (entry.kind === "hidden") return "whisper";
  return entry.kind === "seated" ? "joined" : entry.kind;
}

/** The steps of an agent, under one of its own. Their ids are the agent's choice, so they get ids of ours. */
export function agentSteps(steps: readonly Step[], { seq, sender }: { seq: number; sender: string }, people: People) {
  if (steps.length === 0) return [];
  const root = `agent-${seq}`;
  const ids = new Map(steps.map(({ id }, index) => [id, `${root}-${index + 1}`]));
  const count = steps.length === 1 ? "1 step" : `${steps.length} steps`;
  const first: StepTold = { kind: "step", id: root, name: escaped(`Agent: ${people.nameFor(sender)}`), payload: count };
  const rest = steps.map(
    ({ id, parent, name, payload }): StepTold => ({
      kind: "step",
      id: ids.get(id) ?? root,
      parent: (parent === undefined ? undefined : ids.get(parent)) ?? root,
      name: escaped(oneLine(name, reasonCharsMax)),
      payload: escaped(payload),
    }),
  );
  return [first, ...rest];
}

/** What went wrong with an agent, as an error; undefined when nothing did. */
export function failureIn(entry: TranscriptEntry, people: People): ErrorContent | undefined {
  if (entry.kind === "missed") return missedError(entry, people);
  if (entry.kind !== "event") return undefined;
  const { event, sender, target } = entry;
  const { eventType } = event;
  if (!failing.has(eventType)) return undefined;
  const reason = typeof event.reason === "string" ? event.reason : "";
  const tokens = reasonTokens(reason);
  if (!tokens.some((token) => failures.has(token))) return undefined;
  const about = eventType === "uninvite" || eventType === "declineInvite" ? (target ?? sender) : sender;
  const why = reason.replace(/@[a-zA-Z0-9_]+/gu, "").trim();
  const isLate = tokens.includes("@timedOut");
  const otherwise = isLate ? "did not answer in time" : tokens.includes("@unavailable") ? "is unavailable" : "failed";
  return failure(about, people, isLate, why === "" ? otherwise : why);
}

type Missed = { speakerUri: string; failure: string; detail?: string | undefined };

export function missedError({ speakerUri, failure: why, detail }: Missed, people: People): ErrorContent {
  return failure(speakerUri, people, why === "timeout", detail ?? missing[why] ?? "did not answer");
}

function failure(speakerUri: string, people: People, isLate: boolean, why: string): ErrorContent {
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
  const details = `${what}: ${why}. Try again later, or ask whoever runs the conversation.`;
  return { code: "workflow_error", message: "Refused", details };
}
