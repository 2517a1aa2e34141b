import type { DraftFrame } from "@plenary/client";
import { withStep } from "@plenary/protocol";
import type { LiveDraft } from "./types.ts";

const draftsMax = 64;
const textMax = 200_000;
const finishedMax = 256;

/** Current drafts. They are not stored: the finished utterance comes with the log. */
export function createDrafts() {
  let drafts = new Map<string, LiveDraft>();
  /** Late pieces may arrive after the finished utterance. */
  const finished = new Set<string>();
  const drop = (key: string) => {
    drafts = new Map(drafts);
    drafts.delete(key);
  };
  return {
    take({ dialogEventId, speakerUri, to, delta = "", step, end }: DraftFrame): void {
      const key = draftKey(speakerUri, dialogEventId);
      if (end === "dropped") drop(key);
      // A final draft stays visible until its utterance arrives.
      if (end !== undefined || finished.has(key)) return;
      if (drafts.size >= draftsMax && !drafts.has(key)) return;
      const before = drafts.get(key);
      const text = `${before?.text ?? ""}${delta}`.slice(0, textMax);
      const addressee = to?.speakerUri ?? to?.serviceUrl;
      const isWhisper = to?.private === true || before?.isWhisper === true;
      const done = step === undefined ? before?.steps : withStep(before?.steps ?? [], step);
      const draft = {
        dialogEventId,
        speakerUri,
        text,
        isWhisper,
        ...(addressee !== undefined && { to: addressee }),
        ...(done && { steps: done }),
      };
      drafts = new Map(drafts).set(key, draft);
    },
    /** The utterance is in the log. */
    finish(speakerUri: string, dialogEventId: string): void {
      const key = draftKey(speakerUri, dialogEventId);
      finished.add(key);
      const [oldest] = finished;
      if (finished.size > finishedMax && oldest !== undefined) finished.delete(oldest);
      drop(key);
    },
    /** After a cut the fate of drafts is unknown. */
    clear: () => {
      drafts = new Map();
    },
    all: (): readonly LiveDraft[] => [...drafts.values()],
  };
}

/** Senders choose ids freely, and two may collide. */
export function draftKey(speakerUri: string, dialogEventId: string): string {
  return `${speakerUri} ${dialogEventId}`;
}
