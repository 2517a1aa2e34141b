import { answering, convenerOf, type Entry, type Floor, openDelivery, seatOf, visibleTo } from "@plenary/floor";
import type { DraftStep } from "@plenary/protocol";
import type { Clock } from "../ports/clock.ts";
import type { DraftPiece } from "../ports/outbound.ts";
import { createDraftSteps, type DraftSteps } from "./draft-steps.ts";

/** A piece of an utterance that is still being composed. Never logged (D30). */
export type Draft = {
  conversation: string;
  speakerUri: string;
  dialogEventId: string;
  /** Whom the finished utterance will be for, and whether for nobody else. */
  to?: DraftPiece["to"];
  delta?: string;
  /** How many characters of the utterance come before `delta`. Absent when this floor did not get the beginning. */
  offset?: number;
  /** Something that the agent does before it answers (D43). */
  step?: DraftStep;
  end?: "final" | "dropped";
};

/** Who may see it goes with it: the audience the finished utterance would have. */
export type DraftListener = (draft: Draft, audience: readonly string[]) => void;

/** Whoever hears drafts: those of one conversation, or all. */
export type DraftListeners = {
  tell: DraftListener;
  /** Returns the way to stop. */
  add(conversation: string | undefined, listener: DraftListener): () => void;
};

export function createDraftListeners(): DraftListeners {
  const listeners = new Map<string | undefined, Set<DraftListener>>();
  const tellAll = (conversation: string | undefined, ...told: Parameters<DraftListener>) => {
    for (const listener of listeners.get(conversation) ?? []) listener(...told);
  };
  return {
    tell(draft, audience) {
      tellAll(undefined, draft, audience);
      tellAll(draft.conversation, draft, audience);
    },
    add(conversation, listener) {
      const mine = listeners.get(conversation) ?? new Set();
      listeners.set(conversation, mine.add(listener));
      return () => {
        mine.delete(listener);
        if (mine.size === 0 && listeners.get(conversation) === mine) listeners.delete(conversation);
      };
    },
  };
}

/** The drafts of one delivery, from its first piece to its end. */
export type DraftRelay = {
  piece(piece: DraftPiece): void;
  /** The answer is in the log, or there is none. */
  end(entries: readonly Entry[]): void;
};

// D30: at most 10 frames a second for each draft.
const frameMs = 100;

type DraftScene = {
  floor: Floor;
  delivery: string;
  /** Who whispered what is being answered: nobody else hears the answer before it is known whom it is for. */
  whisperer?: string;
  /** The floor restarted after it sent this delivery: the agent may be in the middle of its answer. */
  isRepeated?: boolean;
  clock: Clock;
  onDraft: DraftListener;
};

/** Gathers the words and steps of one delivery's drafts and hands them on, at a bearable pace, to those who may see them. */
export function createDraftRelay(scene: DraftScene, speakerUri: string): DraftRelay {
  const { floor, clock, onDraft, isRepeated } = scene;
  const drafts = new Map<string, Begun>();
  const emit = (
    dialogEventId: string,
    { audience, to }: Begun,
    rest: Omit<Draft, "conversation" | "speakerUri" | "dialogEventId">,
  ) => {
    if (audience === undefined) return;
    onDraft({ conversation: floor.id, speakerUri, dialogEventId, ...(to && { to }), ...rest }, audience);
  };
  /** The next words and their offset. */
  const wordsOf = (draft: Begun): Pick<Draft, "delta" | "offset"> => {
    const { words: delta, sent: offset } = draft;
    draft.words = "";
    if (offset === undefined) return { delta };
    draft.sent = offset + delta.length;
    return { delta, offset };
  };
  const emitGathered = (dialogEventId: string, draft: Begun, isEnd = false): boolean => {
    const steps = draft.steps?.take(isEnd);
    if (steps === undefined && draft.words === "") return false;
    if (steps !== undefined) for (const step of steps) emit(dialogEventId, draft, { step });
    if (draft.words !== "") emit(dialogEventId, draft, wordsOf(draft));
    return true;
  };
  const flush = (dialogEventId: string, draft: Begun) => {
    draft.cancel = undefined;
    if (!emitGathered(dialogEventId, draft)) return;
    draft.cancel = clock.at(clock.now() + frameMs, () => flush(dialogEventId, draft));
  };
  return {
    piece({ dialogEventId, to: written, delta, step }) {
      const begun = drafts.get(dialogEventId);
      const to = answerInKind(scene, written);
      const audience = begun?.audience ?? audienceOf(scene, speakerUri, to);
      // After a restart of the floor an agent may continue in the middle: then only a start frame marks the beginning.
      const isStart = delta === undefined && step === undefined;
      const sent = isStart || isRepeated !== true ? 0 : undefined;
      const draft = begun ?? { audience, words: "", sent, steps: undefined, cancel: undefined, ...(to && { to }) };
      if (begun === undefined && drafts.size >= draftsMax) return;
      drafts.set(dialogEventId, draft);
      if (draft.audience === undefined) return;
      draft.words += delta ?? "";
      if (step !== undefined) {
        draft.steps ??= createDraftSteps();
        draft.steps.add(step);
      }
      if (draft.cancel === undefined) flush(dialogEventId, draft);
    },
    end(entries) {
      for (const [dialogEventId, draft] of drafts) {
        draft.cancel?.();
        emitGathered(dialogEventId, draft, true);
        for (const [end, audience] of endings(entries, dialogEventId, draft.audience ?? [])) {
          if (audience.length > 0) emit(dialogEventId, { ...draft, audience }, { end });
        }
      }
      drafts.clear();
    },
  };
}

/** Without an audience nothing of it is ever shown, whatever its later pieces say. */
type Begun = {
  audience: readonly string[] | undefined;
  to?: DraftPiece["to"];
  words: string;
  /** How many characters went out before them. */
  sent: number | undefined;
  /** Undefined until there is one: most drafts have none. */
  steps: DraftSteps | undefined;
  cancel: (() => void) | undefined;
};

/** Drafts that one delivery may bring. */
const draftsMax = 32;

/** Who is shown the utterance has seen its draft; to everybody else it came to nothing. */
function endings(entries: readonly Entry[], dialogEventId: string, audience: readonly string[]) {
  const utterance = entries.find(
    (entry) =>
      entry.kind === "event" &&
      entry.event.eventType === "utterance" &&
      entry.event.parameters.dialogEvent.id === dialogEventId,
  );
  const isShown = (speakerUri: string) => utterance !== undefined && visibleTo(utterance, speakerUri);
  return [
    ["final", audience.filter(isShown)],
    ["dropped", audience.filter((speakerUri) => !isShown(speakerUri))],
  ] as const;
}

/** D13': it will be private to the whisperer, also where it is addressed to somebody else. */
function answerInKind(scene: DraftScene, to: DraftPiece["to"]): DraftPiece["to"] {
  const { whisperer } = answering(scene.floor, scene.whisperer);
  return whisperer === undefined || to?.private === true ? to : { speakerUri: whisperer, private: true };
}

/** Undefined without the right to speak, or when a whisper has no addressee here. */
function audienceOf(
  { floor, delivery, whisperer }: DraftScene,
  speakerUri: string,
  to: DraftPiece["to"],
): readonly string[] | undefined {
  if (!maySpeak(floor, delivery, speakerUri)) return undefined;
  if (to?.private !== true && whisperer !== undefined) return [speakerUri, whisperer];
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
