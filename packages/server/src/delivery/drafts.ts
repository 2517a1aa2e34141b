import { convenerOf, type Entry, type Floor, openDelivery, seatOf, visibleTo, whispererOf } from "@plenary/floor";
import { type DraftStep, draftStepLimits as max } from "@plenary/protocol";
import { oneLine, plain } from "@plenary/transcript";
import type { Clock } from "../ports/clock.ts";
import type { DraftPiece } from "../ports/outbound.ts";

/** A piece of an utterance that is still being composed. Never logged (D30). */
export type Draft = {
  conversation: string;
  speakerUri: string;
  dialogEventId: string;
  /** The addressee of the finished utterance, and whether it will be private. */
  to?: DraftPiece["to"];
  delta?: string;
  /** Number of characters of the utterance before `delta`. Absent when this floor did not receive the beginning. */
  offset?: number;
  /** A step of the agent before its answer (D43). */
  step?: DraftStep;
  end?: "final" | "dropped";
};

/** `audience`: the conversants who may see the finished utterance. */
export type DraftListener = (draft: Draft, audience: readonly string[]) => void;

/** Listeners for the drafts of one conversation, or of all. */
export type DraftListeners = {
  publish: DraftListener;
  /** Returns a function that removes the listener. */
  add(conversation: string | undefined, listener: DraftListener): () => void;
};

export function createDraftListeners(): DraftListeners {
  const listeners = new Map<string | undefined, Set<DraftListener>>();
  const notify = (conversation: string | undefined, ...draft: Parameters<DraftListener>) => {
    for (const listener of listeners.get(conversation) ?? []) listener(...draft);
  };
  return {
    publish(draft, audience) {
      notify(undefined, draft, audience);
      notify(draft.conversation, draft, audience);
    },
    add(conversation, listener) {
      const ofConversation = listeners.get(conversation) ?? new Set();
      listeners.set(conversation, ofConversation.add(listener));
      return () => {
        ofConversation.delete(listener);
        if (ofConversation.size === 0 && listeners.get(conversation) === ofConversation) listeners.delete(conversation);
      };
    },
  };
}

/** The drafts of one delivery, from its first piece to its end. */
export type DraftRelay = {
  piece(piece: DraftPiece): void;
  /** Called when the answer is in the log, or when there is none. */
  end(entries: readonly Entry[]): void;
};

// D30: at most 10 frames a second for each draft.
const frameMs = 100;

type DraftContext = {
  floor: Floor;
  delivery: string;
  /** The author of the whisper being answered: until the addressee is known, only this conversant sees the draft. */
  whisperer?: string;
  /** The floor restarted after it sent this delivery: the agent may continue in the middle of its answer. */
  isRepeated?: boolean;
  clock: Clock;
  onDraft: DraftListener;
};

/** Collects the text and steps of one delivery's drafts and publishes them, rate limited, to their audience. */
export function createDraftRelay(context: DraftContext, speakerUri: string): DraftRelay {
  const { floor, clock, onDraft, isRepeated } = context;
  const drafts = new Map<string, ActiveDraft>();
  const emit = (
    dialogEventId: string,
    { audience, to }: ActiveDraft,
    rest: Omit<Draft, "conversation" | "speakerUri" | "dialogEventId">,
  ) => {
    if (audience === undefined) return;
    onDraft({ conversation: floor.id, speakerUri, dialogEventId, ...(to && { to }), ...rest }, audience);
  };
  /** The next text and its offset. */
  const takeText = (draft: ActiveDraft): Pick<Draft, "delta" | "offset"> => {
    const { text: delta, sent: offset } = draft;
    draft.text = "";
    if (offset === undefined) return { delta };
    draft.sent = offset + delta.length;
    return { delta, offset };
  };
  const emitPending = (dialogEventId: string, draft: ActiveDraft, isEnd = false): boolean => {
    const steps = draft.steps?.take(isEnd);
    if (steps === undefined && draft.text === "") return false;
    if (steps !== undefined) for (const step of steps) emit(dialogEventId, draft, { step });
    if (draft.text !== "") emit(dialogEventId, draft, takeText(draft));
    return true;
  };
  const flush = (dialogEventId: string, draft: ActiveDraft) => {
    draft.cancel = undefined;
    if (!emitPending(dialogEventId, draft)) return;
    draft.cancel = clock.at(clock.now() + frameMs, () => flush(dialogEventId, draft));
  };
  return {
    piece({ dialogEventId, to: given, delta, step }) {
      const existing = drafts.get(dialogEventId);
      const to = addresseeOf(context, given);
      const audience = existing?.audience ?? audienceOf(context, speakerUri, to);
      // After a restart of the floor, only a start frame marks the beginning: the agent may continue in the middle.
      const isStart = delta === undefined && step === undefined;
      const sent = isStart || isRepeated !== true ? 0 : undefined;
      const draft = existing ?? { audience, text: "", sent, steps: undefined, cancel: undefined, ...(to && { to }) };
      if (existing === undefined && drafts.size >= draftsMax) return;
      drafts.set(dialogEventId, draft);
      if (draft.audience === undefined) return;
      draft.text += delta ?? "";
      if (step !== undefined) {
        draft.steps ??= createDraftSteps();
        draft.steps.add(step);
      }
      if (draft.cancel === undefined) flush(dialogEventId, draft);
    },
    end(entries) {
      for (const [dialogEventId, draft] of drafts) {
        draft.cancel?.();
        emitPending(dialogEventId, draft, true);
        for (const [end, audience] of endings(entries, dialogEventId, draft.audience ?? [])) {
          if (audience.length > 0) emit(dialogEventId, { ...draft, audience }, { end });
        }
      }
      drafts.clear();
    },
  };
}

/** A draft without an audience is never shown, even if a later piece has an addressee. */
type ActiveDraft = {
  audience: readonly string[] | undefined;
  to?: DraftPiece["to"];
  text: string;
  /** Number of characters published before `text`. */
  sent: number | undefined;
  /** Undefined until the first step: most drafts have none. */
  steps: DraftSteps | undefined;
  cancel: (() => void) | undefined;
};

/** Maximum of drafts per delivery. */
const draftsMax = 32;

/** Readers who may see the utterance get `final`, all others `dropped`. */
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

/** D13': the answer to a whisper will be private to the whisperer, even with another addressee. */
function addresseeOf(context: DraftContext, to: DraftPiece["to"]): DraftPiece["to"] {
  const { whisperer } = whispererOf(context.floor, context.whisperer);
  return whisperer === undefined || to?.private === true ? to : { speakerUri: whisperer, private: true };
}

/** Undefined without the right to speak, or when the addressee of a whisper has no seat here. */
function audienceOf(
  { floor, delivery, whisperer }: DraftContext,
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

/** Maximum of different steps per draft. */
const stepsMax = 200;

/** Maximum of steps per frame interval; further steps wait. */
const perFrameMax = 20;

/** Queued steps of one draft, the newest of each id. */
type DraftSteps = {
  add(step: DraftStep): void;
  /** The next steps; all of them at the end of the draft. Undefined when none is queued. */
  take(isEnd: boolean): DraftStep[] | undefined;
};

function createDraftSteps(): DraftSteps {
  const known = new Set<string>();
  const waiting = new Map<string, DraftStep>();
  return {
    add(given) {
      const step = bounded(given);
      if (step === undefined || (known.size >= stepsMax && !known.has(step.id))) return;
      known.add(step.id);
      waiting.set(step.id, step);
    },
    take(isEnd) {
      if (waiting.size === 0) return undefined;
      const steps = [...waiting.values()].slice(0, isEnd ? undefined : perFrameMax);
      for (const { id } of steps) waiting.delete(id);
      return steps;
    },
  };
}

/** Limits lengths and removes control characters. Undefined when no id or no title remains. */
function bounded({ state, ...given }: DraftStep): DraftStep | undefined {
  const id = cleanId(given.id);
  const title = oneLine(given.title, max.title - 1);
  if (id === "" || title === "") return undefined;
  const parent = cleanId(given.parent ?? "");
  const detail = plain((given.detail ?? "").slice(0, max.detail));
  const isNested = parent !== "" && parent !== id;
  return { id, ...(isNested && { parent }), title, ...(detail !== "" && { detail }), state };
}

function cleanId(text: string): string {
  return plain(text.slice(0, max.id)).replaceAll(/[\n\t]/gu, "");
}
