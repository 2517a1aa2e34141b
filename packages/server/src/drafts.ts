import { convenerOf, type Entry, type Floor, openDelivery, seatOf } from "@plenary/floor";
import type { Clock, DraftPiece } from "./ports.ts";

/** A piece of an utterance that is still being composed. Never logged (D30). */
export type Draft = {
  conversation: string;
  speakerUri: string;
  dialogEventId: string;
  delta?: string;
  end?: "final" | "dropped";
};

/** Who may see it goes with it: the audience the finished utterance would have. */
export type DraftListener = (draft: Draft, audience: readonly string[]) => void;

/** The drafts of one delivery, from its first piece to its end. */
export type DraftRelay = {
  piece(piece: DraftPiece): void;
  /** The answer is in the log, or there is none. */
  end(entries: readonly Entry[]): void;
};

// D30: at most 10 frames a second for each draft.
const frameMs = 100;

/** Gathers the words of one delivery's drafts and hands them on, at a bearable pace, to those who may see them. */
export function createDraftRelay(
  { floor, delivery, clock, onDraft }: { floor: Floor; delivery: string; clock: Clock; onDraft: DraftListener },
  speakerUri: string,
): DraftRelay {
  const drafts = new Map<string, Begun>();
  const emit = (dialogEventId: string, { audience }: Begun, rest: Pick<Draft, "delta" | "end">) => {
    if (audience !== undefined) onDraft({ conversation: floor.id, speakerUri, dialogEventId, ...rest }, audience);
  };
  const flush = (dialogEventId: string, draft: Begun) => {
    draft.cancel = undefined;
    if (draft.words === "") return;
    emit(dialogEventId, draft, { delta: draft.words });
    draft.words = "";
    draft.cancel = clock.at(clock.now() + frameMs, () => flush(dialogEventId, draft));
  };
  return {
    piece({ dialogEventId, to, delta = "" }) {
      const begun = drafts.get(dialogEventId);
      const draft = begun ?? { audience: audienceOf(floor, delivery, speakerUri, to), words: "", cancel: undefined };
      if (begun === undefined && drafts.size >= draftsMax) return;
      drafts.set(dialogEventId, draft);
      if (draft.audience === undefined) return;
      draft.words += delta;
      if (draft.cancel === undefined) flush(dialogEventId, draft);
    },
    end(entries) {
      for (const [dialogEventId, draft] of drafts) {
        draft.cancel?.();
        if (draft.words !== "") emit(dialogEventId, draft, { delta: draft.words });
        emit(dialogEventId, draft, { end: tookEffect(entries, dialogEventId) ? "final" : "dropped" });
      }
      drafts.clear();
    },
  };
}

/** Without an audience nothing of it is ever shown, whatever its later pieces say. */
type Begun = { audience: readonly string[] | undefined; words: string; cancel: (() => void) | undefined };

/** Drafts that one delivery may bring. */
const draftsMax = 32;

function tookEffect(entries: readonly Entry[], dialogEventId: string): boolean {
  return entries.some(
    (entry) =>
      entry.kind === "event" &&
      entry.event.eventType === "utterance" &&
      entry.event.parameters.dialogEvent.id === dialogEventId,
  );
}

/** Undefined without the right to speak, or when a whisper has no addressee here. */
function audienceOf(
  floor: Floor,
  delivery: string,
  speakerUri: string,
  to: DraftPiece["to"],
): readonly string[] | undefined {
  if (!maySpeak(floor, delivery, speakerUri)) return undefined;
  if (to?.private !== true) return floor.conversants.map(({ identification }) => identification.speakerUri);
  const target = to.speakerUri === undefined ? undefined : seatOf(floor, to.speakerUri);
  return target === undefined ? undefined : [speakerUri, target.identification.speakerUri];
}

function maySpeak(floor: Floor, delivery: string, speakerUri: string): boolean {
  const open = openDelivery(floor, delivery);
  if (open === undefined) return false;
  const isFree = floor.options.floorEnforcement === "advisory" || convenerOf(floor) === speakerUri;
  return isFree || open.isAddressed || floor.floorGranted.includes(speakerUri);
}
