import { type EventOf, type FloorEvent, isPrivate, isSameUri, textOf } from "@plenary/protocol";
import { approveInvite, approveRemoval, grant, notifyPerson, revoke } from "./events.ts";
import { revokedAtOnceMax } from "./extra-speakers.ts";
import {
  afterEvents,
  beneficiaryOf,
  conversantFor,
  conversantWith,
  isGranted,
  isOwner,
  leaverIn,
  speakersIn,
} from "./floor-view.ts";
import { approveOpenly } from "./open.ts";
import { ownerAnswerIn, type PendingApproval, questionTo } from "./owner-approval.ts";
import type { ConvenerPolicy, FloorView, PolicyInput, Ruling } from "./policy.ts";
import { asSpokenBy, charsIn, formerSpeakerIn, heldCharsMax, isStillShown, staleMs } from "./speaker-queue.ts";

type ModerationState = {
  /** Questions that the owner has not answered, oldest first. */
  pending: readonly PendingApproval[];
  /** Speakers with the floor by the owner's decision. */
  allowed: readonly string[];
  /** Those of the last moments: observed events may be older than their grant. */
  recentlyGranted: readonly { speakerUri: string; atMs: number }[];
  recentlyRevoked: readonly { speakerUri: string; atMs: number }[];
  /** The owner who received the questions. */
  moderator?: string;
  whisperCount: number;
};

type Step = { state: ModerationState; events: readonly FloorEvent[] };

const pendingMax = 16;
const pendingOfOneMax = 4;

/** The owner approves each other speaker. */
export const moderatedPolicy: ConvenerPolicy<ModerationState> = {
  name: "moderated",
  conversationalName: "Moderator",
  synopsis: "Convenes for the owner: other speakers need a yes from the owner first.",
  newState: () => ({ pending: [], allowed: [], recentlyGranted: [], recentlyRevoked: [], whisperCount: 0 }),
  rule(before, input, view): Ruling<ModerationState> {
    // M8: without an owner the floor is open.
    if (view.owner === undefined) {
      return { state: before, events: input.kind === "delegated" ? approveOpenly(input, view) : [] };
    }
    const asked = askAgain(refreshState(before, input, view), view);
    const { state, events } = handle(asked.state, input, view);
    const { state: next, events: taken } = revokeExtras(
      state,
      afterEvents(view, events),
      uncertainIn(before, input, view),
    );
    return { state: next, events: [...taken, ...asked.events, ...events] };
  },
};

function refreshState(state: ModerationState, input: PolicyInput, view: FloorView): ModerationState {
  const leaver = leaverIn(input, view);
  const isHere = (one: string) => conversantWith(view, one) !== undefined && one !== leaver;
  const formerSpeaker = formerSpeakerIn(input, view.self);
  const allowed = state.allowed.filter((one) => !isSameUri(one, formerSpeaker ?? ""));
  const recentlyRevoked = state.recentlyRevoked.filter((one) => isStillShown(one, view));
  const recentlyGranted = state.recentlyGranted.filter(({ atMs }) => view.nowMs - atMs < staleMs);
  return without({ ...state, allowed, recentlyGranted, recentlyRevoked }, isHere);
}

/** C18: a yield soon after the grant may be older than the grant. */
function uncertainIn({ recentlyGranted }: ModerationState, input: PolicyInput, view: FloorView): string[] {
  const formerSpeaker = formerSpeakerIn(input, view.self);
  if (formerSpeaker === undefined || conversantWith(view, formerSpeaker) === undefined) return [];
  const isRecent = ({ speakerUri, atMs }: { speakerUri: string; atMs: number }) =>
    isSameUri(speakerUri, formerSpeaker) && view.nowMs - atMs < staleMs;
  return recentlyGranted.some(isRecent) ? [formerSpeaker] : [];
}

/** M7: a new owner receives the open questions; the new owner's own requests are granted. */
function askAgain(state: ModerationState, view: FloorView): Step {
  const { owner } = view;
  if (owner === undefined || state.moderator === owner) return { state, events: [] };
  const left = state.pending.filter(({ speakerUri }) => !isOwner(speakerUri, view));
  const own = state.pending.filter((one) => !left.includes(one));
  const questions = left.map((one, index) => questionTo(owner, one, view, state.whisperCount + index));
  const events =
    state.pending.length === 0 ? [] : [...floorForOwner(owner, view), ...own.flatMap(utteranceIn), ...questions];
  return {
    state: { ...state, pending: left, moderator: owner, whisperCount: state.whisperCount + left.length },
    events,
  };
}

const utteranceIn = ({ utterance }: PendingApproval): FloorEvent[] => (utterance === undefined ? [] : [utterance]);

/** The owner answers in a whisper, and a floor accepts whispers only from speakers with the floor. */
function floorForOwner(owner: string, view: FloorView): FloorEvent[] {
  return isGranted(owner, view) ? [] : [grant(owner)];
}

function handle(state: ModerationState, input: PolicyInput, view: FloorView): Step {
  if (input.kind === "observed") {
    const { event, sender } = input;
    const isOwners = event.eventType === "utterance" && isOwner(sender, view);
    return isOwners ? onOwnerUtterance(state, event, view) : { state, events: [] };
  }
  return input.kind === "delegated" ? onDelegated(state, input, view) : { state, events: [] };
}

function onDelegated(
  state: ModerationState,
  { event, sender }: PolicyInput & { kind: "delegated" },
  view: FloorView,
): Step {
  switch (event.eventType) {
    case "requestFloor": {
      const speakerUri = beneficiaryOf(event, sender, view);
      if (isOwner(sender, view)) return allow(state, speakerUri, [grant(speakerUri)], view);
      return requestApproval(state, { speakerUri }, view);
    }
    case "grantFloor": {
      const target = conversantFor(view, event.to)?.speakerUri;
      if (target === undefined) return { state, events: [] };
      if (isOwner(sender, view)) return allow(state, target, [event], view);
      return requestApproval(state, { speakerUri: target }, view);
    }
    case "utterance":
      return onUtterance(state, event, sender, view);
    case "invite":
      return { state, events: approveInvite(event, view, (one) => isAllowed(state, one)) };
    case "uninvite":
    case "revokeFloor":
      return onRemoval(state, event, sender, view);
    default:
      return { state, events: [event] };
  }
}

const isAllowed = ({ allowed }: ModerationState, speakerUri: string) =>
  allowed.some((one) => isSameUri(one, speakerUri));

function onRemoval(state: ModerationState, event: FloorEvent, sender: string, view: FloorView): Step {
  const { events, target } = approveRemoval(event, sender, view);
  if (target === undefined) return { state, events };
  const isOther = (one: string) => !isSameUri(one, target);
  if (event.eventType === "uninvite") return { state: without(state, isOther), events };
  const recentlyRevoked = [...state.recentlyRevoked, { speakerUri: target, atMs: view.nowMs }];
  return { state: { ...state, allowed: state.allowed.filter(isOther), recentlyRevoked }, events };
}

function without(state: ModerationState, isKept: (speakerUri: string) => boolean): ModerationState {
  const { allowed, recentlyGranted, recentlyRevoked, pending } = state;
  return {
    ...state,
    allowed: allowed.filter(isKept),
    recentlyGranted: recentlyGranted.filter(({ speakerUri }) => isKept(speakerUri)),
    recentlyRevoked: recentlyRevoked.filter(({ speakerUri }) => isKept(speakerUri)),
    pending: pending.filter(({ speakerUri }) => isKept(speakerUri)),
  };
}

function allow(state: ModerationState, speakerUri: string, events: readonly FloorEvent[], view: FloorView): Step {
  if (isOwner(speakerUri, view)) return { state, events };
  const isOther = (one: string) => !isSameUri(one, speakerUri);
  const pending = state.pending.filter((one) => one.utterance !== undefined || isOther(one.speakerUri));
  const recentlyRevoked = state.recentlyRevoked.filter((one) => isOther(one.speakerUri));
  const recentlyGranted = [
    ...state.recentlyGranted.filter((one) => isOther(one.speakerUri)),
    { speakerUri, atMs: view.nowMs },
  ];
  const allowed = [...state.allowed.filter(isOther), speakerUri];
  return { state: { ...state, pending, recentlyRevoked, recentlyGranted, allowed }, events };
}

function onUtterance(state: ModerationState, event: EventOf<"utterance">, sender: string, view: FloorView): Step {
  if (isOwner(sender, view)) {
    const { state: next, events } = onOwnerUtterance(state, event, view);
    return { state: next, events: [event, ...events] };
  }
  if (isPrivate(event) || isAllowed(state, sender)) return { state, events: [event] };
  return requestApproval(state, { speakerUri: sender, utterance: asSpokenBy(event, sender) }, view);
}

type ApprovalRequest = Pick<PendingApproval, "speakerUri" | "utterance">;

/** M2, M3: whispers the question to the owner. A repeated request for the floor causes no second question. */
function requestApproval(state: ModerationState, { speakerUri, utterance }: ApprovalRequest, view: FloorView): Step {
  const { owner = "" } = view;
  if (isOwner(speakerUri, view) || isAllowed(state, speakerUri)) return { state, events: [grant(speakerUri)] };
  const own = state.pending.filter((one) => isSameUri(one.speakerUri, speakerUri));
  if (utterance === undefined && own.some((one) => one.utterance === undefined)) return { state, events: [] };
  const isTooLong = utterance !== undefined && charsIn(utterance) > heldCharsMax;
  if (isTooLong || own.length >= pendingOfOneMax || state.pending.length >= pendingMax) {
    return { state, events: [revoke(speakerUri, "@brokenPolicy too much is waiting for the owner already")] };
  }
  const pending: PendingApproval = {
    id: `ask-${view.nowMs.toString(36)}-${state.whisperCount}`,
    speakerUri,
    ...(utterance && { utterance }),
  };
  const question = questionTo(owner, pending, view, state.whisperCount);
  const next = { ...state, pending: [...state.pending, pending], whisperCount: state.whisperCount + 1 };
  const about = own.length === 0 ? "" : ` about ${own.length + 1} things`;
  const notified = notifyPerson(next, speakerUri, `I have asked the owner${about}.`, view);
  return { state: notified.state, events: [...floorForOwner(owner, view), question, ...notified.events] };
}

/** M4 to M6: the owner answers on the card, or says yes, no or a name to the convener. */
function onOwnerUtterance(state: ModerationState, event: EventOf<"utterance">, view: FloorView): Step {
  const answer = ownerAnswerIn(event, state.pending, view);
  if (answer === undefined) return { state, events: [] };
  const { pending, isApproved: isYes } = answer;
  const { speakerUri, utterance } = pending;
  const next = { ...state, pending: state.pending.filter(({ id }) => id !== pending.id) };
  if (isYes)
    return utterance === undefined
      ? allow(next, speakerUri, [grant(speakerUri)], view)
      : { state: next, events: [utterance] };
  if (utterance === undefined) return { state: next, events: [revoke(speakerUri, "the owner said no")] };
  const text = textOf(utterance.parameters.dialogEvent).slice(0, 40);
  return notifyPerson(next, speakerUri, `The owner declined your message: ${text}`, view);
}

function revokeExtras(state: ModerationState, view: FloorView, uncertain: readonly string[]): Step {
  const wasRevoked = (one: string) => state.recentlyRevoked.some(({ speakerUri }) => isSameUri(speakerUri, one));
  const shown = speakersIn(view).filter((one) => !wasRevoked(one));
  const extras = [...new Set([...uncertain, ...shown])].filter((one) => !isAllowed(state, one) && !isOwner(one, view));
  const taken = extras.slice(0, revokedAtOnceMax);
  return {
    state: {
      ...state,
      recentlyRevoked: [...state.recentlyRevoked, ...taken.map((speakerUri) => ({ speakerUri, atMs: view.nowMs }))],
    },
    events: taken.map((one) => revoke(one, "the owner gives the floor: please ask for it")),
  };
}
