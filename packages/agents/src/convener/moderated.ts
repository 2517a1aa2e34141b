import { type EventOf, type FloorEvent, isPrivate, isSameUri, textOf } from "@plenary/protocol";
import { grant, revoke, whisper } from "./events.ts";
import {
  afterDeeds,
  beneficiaryOf,
  conversantFor,
  conversantNamed,
  isGranted,
  isOwner,
  leaverIn,
  speakersIn,
} from "./floor-view.ts";
import { openly } from "./open.ts";
import { type Pending, questionTo, verdictIn } from "./owner-approval.ts";
import { admit, consentTo, consentToRevoke } from "./permissions.ts";
import type { Chair, Matter, Ruling, Sight } from "./policy.ts";
import { charsOf, isUnknown, ownWords, staleMs, wordsCharsMax } from "./speaker-queue.ts";

type Moderation = {
  /** What the owner has been asked and has not answered, the oldest first. */
  pending: readonly Pending[];
  /** Whom the owner gave the floor. */
  allowed: readonly string[];
  /** Who of them has it since a moment ago: what they are told to have done may be from before. */
  given: readonly { speakerUri: string; atMs: number }[];
  settled: readonly { speakerUri: string; atMs: number }[];
  /** Whom the questions were put to. */
  moderator?: string;
  count: number;
};

type Step = { state: Moderation; events: readonly FloorEvent[] };

const pendingMax = 16;
const pendingOfOneMax = 4;
const takenMax = 12;

/** Nobody but the owner speaks unless the owner says so. */
export const moderatedChair: Chair<Moderation> = {
  name: "moderated",
  conversationalName: "Moderator",
  synopsis: "Convenes for the owner: nobody else speaks before the owner has said yes.",
  newState: () => ({ pending: [], allowed: [], given: [], settled: [], count: 0 }),
  rule(before, matter, sight): Ruling<Moderation> {
    // M8: nobody to ask.
    if (sight.owner === undefined) {
      return { state: before, events: matter.kind === "asked" ? openly(matter, sight) : [] };
    }
    const asked = askAgain(tidy(before, matter, sight), sight);
    const { state, events } = heed(asked.state, matter, sight);
    const { state: next, events: taken } = withoutExtras(
      state,
      afterDeeds(sight, events),
      doubtedIn(before, matter, sight),
    );
    return { state: next, events: [...taken, ...asked.events, ...events] };
  },
};

function tidy(state: Moderation, matter: Matter, sight: Sight): Moderation {
  const { self } = sight;
  const leaver = leaverIn(matter, sight);
  const isHere = (one: string) => conversantNamed(sight, one) !== undefined && one !== leaver;
  const loser = matter.kind === "told" && !isSameUri(matter.sender, self) ? loserOf(matter) : undefined;
  const allowed = state.allowed.filter((one) => !isSameUri(one, loser ?? ""));
  const settled = state.settled.filter((one) => isUnknown(one, sight));
  const given = state.given.filter(({ atMs }) => sight.nowMs - atMs < staleMs);
  return without({ ...state, allowed, given, settled }, isHere);
}

/** C18: whoever yields so soon may have done so before it was given the floor. */
function doubtedIn({ given }: Moderation, matter: Matter, sight: Sight): string[] {
  const loser = matter.kind === "told" && !isSameUri(matter.sender, sight.self) ? loserOf(matter) : undefined;
  if (loser === undefined || conversantNamed(sight, loser) === undefined) return [];
  const isRecent = ({ speakerUri, atMs }: { speakerUri: string; atMs: number }) =>
    isSameUri(speakerUri, loser) && sight.nowMs - atMs < staleMs;
  return given.some(isRecent) ? [loser] : [];
}

function loserOf({ event, sender }: Matter & { kind: "told" }): string | undefined {
  if (event.eventType === "yieldFloor") return sender;
  return event.eventType === "revokeFloor" ? event.to?.speakerUri : undefined;
}

/** M7: a new owner is asked what the one before has left open, and has what it wanted itself. */
function askAgain(state: Moderation, sight: Sight): Step {
  const { owner } = sight;
  if (owner === undefined || state.moderator === owner) return { state, events: [] };
  const left = state.pending.filter(({ speakerUri }) => !isOwner(speakerUri, sight));
  const own = state.pending.filter((one) => !left.includes(one));
  const questions = left.map((one, index) => questionTo(owner, one, sight, state.count + index));
  const events = state.pending.length === 0 ? [] : [...voiceOf(owner, sight), ...own.flatMap(wordsIn), ...questions];
  return { state: { ...state, pending: left, moderator: owner, count: state.count + left.length }, events };
}

const wordsIn = ({ said }: Pending): FloorEvent[] => (said === undefined ? [] : [said]);

/** A floor does not take a whisper from somebody without the floor, and the answer to a question is one. */
function voiceOf(owner: string, sight: Sight): FloorEvent[] {
  return isGranted(owner, sight) ? [] : [grant(owner)];
}

function heed(state: Moderation, matter: Matter, sight: Sight): Step {
  if (matter.kind === "told") {
    const { event, sender } = matter;
    const isOwners = event.eventType === "utterance" && isOwner(sender, sight);
    return isOwners ? decide(state, event, sight) : { state, events: [] };
  }
  return matter.kind === "asked" ? judge(state, matter, sight) : { state, events: [] };
}

function judge(state: Moderation, { event, sender }: Matter & { kind: "asked" }, sight: Sight): Step {
  switch (event.eventType) {
    case "requestFloor": {
      const speakerUri = beneficiaryOf(event, sender, sight);
      if (isOwner(sender, sight)) return allow(state, speakerUri, [grant(speakerUri)], sight);
      return petition(state, { speakerUri }, sight);
    }
    case "grantFloor": {
      const target = conversantFor(sight, event.to)?.speakerUri;
      if (target === undefined) return { state, events: [] };
      if (isOwner(sender, sight)) return allow(state, target, [event], sight);
      return petition(state, { speakerUri: target }, sight);
    }
    case "utterance":
      return speak(state, event, sender, sight);
    case "invite":
      return { state, events: admit(event, sight, (one) => isAllowed(state, one)) };
    case "uninvite":
      return sendAway(state, event, consentTo(event, sender, sight), sight);
    case "revokeFloor":
      return silence(state, event, consentToRevoke(event, sender, sight), sight);
    default:
      return { state, events: [event] };
  }
}

const isAllowed = ({ allowed }: Moderation, speakerUri: string) => allowed.some((one) => isSameUri(one, speakerUri));

/** What is approved does not come back to the convener, so it counts as done. */
function sendAway(state: Moderation, event: FloorEvent, events: readonly FloorEvent[], sight: Sight): Step {
  const target = events.length === 0 ? undefined : conversantFor(sight, event.to)?.speakerUri;
  return { state: target === undefined ? state : without(state, (one) => !isSameUri(one, target)), events };
}

/** Whoever comes back begins anew. */
function without(state: Moderation, isKept: (speakerUri: string) => boolean): Moderation {
  const { allowed, given, settled, pending } = state;
  return {
    ...state,
    allowed: allowed.filter(isKept),
    given: given.filter(({ speakerUri }) => isKept(speakerUri)),
    settled: settled.filter(({ speakerUri }) => isKept(speakerUri)),
    pending: pending.filter(({ speakerUri }) => isKept(speakerUri)),
  };
}

function silence(state: Moderation, event: FloorEvent, events: readonly FloorEvent[], sight: Sight): Step {
  const target = events.length === 0 ? undefined : conversantFor(sight, event.to)?.speakerUri;
  if (target === undefined) return { state, events };
  const allowed = state.allowed.filter((one) => !isSameUri(one, target));
  const settled = [...state.settled, { speakerUri: target, atMs: sight.nowMs }];
  return { state: { ...state, allowed, settled }, events };
}

function allow(state: Moderation, speakerUri: string, events: readonly FloorEvent[], sight: Sight): Step {
  if (isOwner(speakerUri, sight)) return { state, events };
  const isOther = (one: string) => !isSameUri(one, speakerUri);
  const pending = state.pending.filter((one) => one.said !== undefined || isOther(one.speakerUri));
  const settled = state.settled.filter((one) => isOther(one.speakerUri));
  const given = [...state.given.filter((one) => isOther(one.speakerUri)), { speakerUri, atMs: sight.nowMs }];
  const allowed = [...state.allowed.filter(isOther), speakerUri];
  return { state: { ...state, pending, settled, given, allowed }, events };
}

function speak(state: Moderation, event: EventOf<"utterance">, sender: string, sight: Sight): Step {
  if (isOwner(sender, sight)) {
    const { state: next, events } = decide(state, event, sight);
    return { state: next, events: [event, ...events] };
  }
  if (isPrivate(event) || isAllowed(state, sender)) return { state, events: [event] };
  return petition(state, { speakerUri: sender, said: ownWords(event, sender) }, sight);
}

type Petition = Pick<Pending, "speakerUri" | "said">;

/** M2, M3: put to the owner in a whisper; whoever asks twice is not put twice. */
function petition(state: Moderation, { speakerUri, said }: Petition, sight: Sight): Step {
  const { owner = "" } = sight;
  if (isOwner(speakerUri, sight) || isAllowed(state, speakerUri)) return { state, events: [grant(speakerUri)] };
  const own = state.pending.filter((one) => isSameUri(one.speakerUri, speakerUri));
  if (said === undefined && own.some((one) => one.said === undefined)) return { state, events: [] };
  const isTooLong = said !== undefined && charsOf(said) > wordsCharsMax;
  if (isTooLong || own.length >= pendingOfOneMax || state.pending.length >= pendingMax) {
    return { state, events: [revoke(speakerUri, "@brokenPolicy too much waits for the owner already")] };
  }
  const pending: Pending = { id: `ask-${sight.nowMs.toString(36)}-${state.count}`, speakerUri, ...(said && { said }) };
  const question = questionTo(owner, pending, sight, state.count);
  const next = { ...state, pending: [...state.pending, pending], count: state.count + 1 };
  const about = own.length === 0 ? "" : ` about ${own.length + 1} things`;
  const step = { state: next, events: [...voiceOf(owner, sight), question] };
  return tell(step, speakerUri, `The owner has been asked${about}.`, sight);
}

/** A person is told; an agent would answer. */
function tell({ state, events }: Step, speakerUri: string, text: string, sight: Sight): Step {
  if (conversantNamed(sight, speakerUri)?.isPerson !== true) return { state, events };
  const said = whisper(sight, state.count, { to: speakerUri, text });
  return { state: { ...state, count: state.count + 1 }, events: [...events, said] };
}

/** M4 to M6: by the card, or by a yes, a no or a name said to the convener. */
function decide(state: Moderation, event: EventOf<"utterance">, sight: Sight): Step {
  const verdict = verdictIn(event, state.pending, sight);
  if (verdict === undefined) return { state, events: [] };
  const { pending, isGranted: isYes } = verdict;
  const { speakerUri, said } = pending;
  const next = { ...state, pending: state.pending.filter(({ id }) => id !== pending.id) };
  if (isYes)
    return said === undefined ? allow(next, speakerUri, [grant(speakerUri)], sight) : { state: next, events: [said] };
  if (said === undefined) return { state: next, events: [revoke(speakerUri, "the owner said no")] };
  const words = textOf(said.parameters.dialogEvent).slice(0, 40);
  return tell({ state: next, events: [] }, speakerUri, `The owner does not want this to be said now: ${words}`, sight);
}

function withoutExtras(state: Moderation, sight: Sight, doubted: readonly string[]): Step {
  const isSettled = (one: string) => state.settled.some(({ speakerUri }) => isSameUri(speakerUri, one));
  const shown = speakersIn(sight).filter((one) => !isSettled(one));
  const extras = [...new Set([...doubted, ...shown])].filter((one) => !isAllowed(state, one) && !isOwner(one, sight));
  const taken = extras.slice(0, takenMax);
  return {
    state: { ...state, settled: [...state.settled, ...taken.map((speakerUri) => ({ speakerUri, atMs: sight.nowMs }))] },
    events: taken.map((one) => revoke(one, "the owner gives the floor here: ask for it")),
  };
}
