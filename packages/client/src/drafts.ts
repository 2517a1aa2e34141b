import { type DraftStep, readDraftStep, withStep } from "@plenary/protocol";
import type { DraftFrame } from "./contract.ts";
import { draftKey } from "./follow.ts";

/** An utterance while it is composed (D30). */
export type LiveDraft = {
  dialogEventId: string;
  speakerUri: string;
  text: string;
  /** The beginning of the text is not known. */
  isPartial?: true;
  isWhisper: boolean;
  /** The addressee: a speakerUri or a serviceUrl. */
  to?: string;
  steps?: readonly DraftStep[];
};

const draftsMax = 64;
const textMax = 200_000;
const finishedMax = 256;

/** Current drafts. They are not stored: the finished utterance comes with the log. */
export function createDrafts() {
  let drafts: ReadonlyMap<string, LiveDraft> = new Map();
  let list: readonly LiveDraft[] | undefined;
  /** Late pieces may arrive after the finished utterance. */
  const finished = new Set<string>();
  const change = (next: Map<string, LiveDraft>) => {
    drafts = next;
    list = undefined;
  };
  const drop = (key: string) => {
    if (drafts.has(key)) change(new Map([...drafts].filter(([other]) => other !== key)));
  };
  return {
    take(frame: DraftFrame): void {
      const key = draftKey(frame);
      if (frame.end === "dropped") drop(key);
      // A final draft stays until its utterance arrives.
      if (frame.end !== undefined || finished.has(key)) return;
      if (drafts.size >= draftsMax && !drafts.has(key)) return;
      change(new Map(drafts).set(key, withPiece(drafts.get(key), frame)));
    },
    /** The utterance is in the log. */
    finish(speakerUri: string, dialogEventId: string): void {
      const key = draftKey({ speakerUri, dialogEventId });
      finished.add(key);
      const [oldest] = finished;
      if (finished.size > finishedMax && oldest !== undefined) finished.delete(oldest);
      drop(key);
    },
    /** The same list until a draft changes. */
    all: (): readonly LiveDraft[] => {
      list ??= [...drafts.values()];
      return list;
    },
  };
}

function withPiece(before: LiveDraft | undefined, frame: DraftFrame): LiveDraft {
  const { dialogEventId, speakerUri, to, delta = "", offset, step } = frame;
  const known = before?.text ?? "";
  // Pieces may be missing after a cut. Without an offset they are taken as they come.
  const isGap = delta !== "" && offset !== undefined && offset > known.length && known.length < textMax;
  const isPartial = before?.isPartial === true || isGap;
  const kept = offset === undefined || isPartial ? known : known.slice(0, offset);
  const addressee = to?.speakerUri ?? to?.serviceUrl ?? before?.to;
  const newStep = readDraftStep(step).step;
  const steps = newStep === undefined ? before?.steps : withStep(before?.steps ?? [], newStep);
  return {
    dialogEventId,
    speakerUri,
    text: `${kept}${delta}`.slice(0, textMax),
    isWhisper: to?.private === true || before?.isWhisper === true,
    ...(isPartial && { isPartial }),
    ...(addressee !== undefined && { to: addressee }),
    ...(steps !== undefined && { steps }),
  };
}
