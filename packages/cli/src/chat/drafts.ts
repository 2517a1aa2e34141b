import { type DraftStep, readDraftStep, runningStep, withStep } from "@plenary/protocol";
import type { Draft } from "../floor/conversation-client.ts";

export type LiveDraft = {
  speakerUri: string;
  text: string;
  isWhisper: boolean;
  /** What it does just now, in its own words; undefined when it says nothing of that. */
  doing: string | undefined;
};

const draftsMax = 16;
const textMax = 20_000;
const finishedMax = 256;

/** What is being composed right now. Nothing of it is kept: the finished utterance comes by the log. */
export function createDrafts() {
  const drafts = new Map<string, LiveDraft & { steps: readonly DraftStep[] }>();
  /** Words may come after the utterance that ends them. */
  const finished = new Set<string>();
  return {
    take(draft: Draft): void {
      if (!isWellFormed(draft)) return;
      const { dialogEventId, speakerUri, to, delta = "", step, end } = draft;
      const key = keyOf(speakerUri, dialogEventId);
      if (end === "dropped") drafts.delete(key);
      // The end of a draft that becomes an utterance is the utterance: until then its words stay in sight.
      if (end !== undefined || finished.has(key)) return;
      if (drafts.size >= draftsMax && !drafts.has(key)) return;
      const before = drafts.get(key);
      const text = `${before?.text ?? ""}${delta}`.slice(-textMax);
      const isWhisper = to?.private === true || before?.isWhisper === true;
      const newer = readDraftStep(step).step;
      const steps = newer === undefined ? (before?.steps ?? []) : withStep(before?.steps ?? [], newer);
      drafts.set(key, { speakerUri, text, isWhisper, steps, doing: runningStep(steps)?.title });
    },
    /** It stands in the log. */
    finish(speakerUri: string, dialogEventId: string): void {
      const key = keyOf(speakerUri, dialogEventId);
      drafts.delete(key);
      finished.add(key);
      const [oldest] = finished;
      if (finished.size > finishedMax && oldest !== undefined) finished.delete(oldest);
    },
    /** Whoever was cut off does not know what became of them. */
    clear: () => drafts.clear(),
    all: (): readonly LiveDraft[] => [...drafts.values()],
  };
}

/** It passed through the floor as it came: one of another shape costs itself, and never the chat. */
function isWellFormed(draft: unknown): boolean {
  if (typeof draft !== "object" || draft === null) return false;
  const { dialogEventId, speakerUri, delta = "" }: Record<string, unknown> = { ...draft };
  return [dialogEventId, speakerUri, delta].every((words) => typeof words === "string");
}

/** Ids are everybody's own choice, and two may choose the same. */
function keyOf(speakerUri: string, dialogEventId: string): string {
  return `${speakerUri} ${dialogEventId}`;
}
