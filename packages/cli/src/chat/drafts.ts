import { type DraftStep, readDraftStep, runningStep, withStep } from "@plenary/protocol";
import type { Draft } from "../floor/conversation-client.ts";

export type LiveDraft = {
  speakerUri: string;
  text: string;
  isWhisper: boolean;
  /** The title of the running step; undefined without one. */
  doing: string | undefined;
};

const draftsMax = 16;
const textMax = 20_000;
const finishedMax = 256;

/** Streaming utterances (D30). Drafts are not stored: the finished utterance comes with the log. */
export function createDrafts() {
  const drafts = new Map<string, LiveDraft & { steps: readonly DraftStep[] }>();
  /** A draft frame may arrive after its finished utterance. */
  const finished = new Set<string>();
  return {
    take(draft: Draft): void {
      if (!isWellFormed(draft)) return;
      const { dialogEventId, speakerUri, to, delta = "", step, end } = draft;
      const key = keyOf(speakerUri, dialogEventId);
      if (end === "dropped") drafts.delete(key);
      // A final draft stays visible until its utterance is in the log.
      if (end !== undefined || finished.has(key)) return;
      if (drafts.size >= draftsMax && !drafts.has(key)) return;
      const before = drafts.get(key);
      const text = `${before?.text ?? ""}${delta}`.slice(-textMax);
      const isWhisper = to?.private === true || before?.isWhisper === true;
      const newer = readDraftStep(step).step;
      const steps = newer === undefined ? (before?.steps ?? []) : withStep(before?.steps ?? [], newer);
      drafts.set(key, { speakerUri, text, isWhisper, steps, doing: runningStep(steps)?.title });
    },
    /** The utterance is in the log. */
    finish(speakerUri: string, dialogEventId: string): void {
      const key = keyOf(speakerUri, dialogEventId);
      drafts.delete(key);
      finished.add(key);
      const [oldest] = finished;
      if (finished.size > finishedMax && oldest !== undefined) finished.delete(oldest);
    },
    /** After a disconnect the state of drafts is unknown. */
    clear: () => drafts.clear(),
    all: (): readonly LiveDraft[] => [...drafts.values()],
  };
}

/** The floor passes drafts on unchecked; a malformed one is ignored. */
function isWellFormed(draft: unknown): boolean {
  if (typeof draft !== "object" || draft === null) return false;
  const { dialogEventId, speakerUri, delta = "" }: Record<string, unknown> = { ...draft };
  return [dialogEventId, speakerUri, delta].every((words) => typeof words === "string");
}

/** Speakers choose their own ids, so two may use the same. */
function keyOf(speakerUri: string, dialogEventId: string): string {
  return `${speakerUri} ${dialogEventId}`;
}
