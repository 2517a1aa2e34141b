// One speaker at a time: the hand-raising queue, and the single speaker with a time limit.
import { type EventOf, type FloorEvent, isPrivate, isSameUri } from "@plenary/protocol";
import { grant, revoke, whisper } from "./events.ts";
import { afterApproval, extrasIn, lookAgainMs, sooner, soonMs, withoutExtras } from "./extra-speakers.ts";
import {
  afterDeeds,
  beneficiaryOf,
  conversantFor,
  conversantNamed,
  isAloud,
  isGranted,
  isOwner,
  speakersIn,
} from "./floor-view.ts";
import { admit, consentTo, consentToRevoke } from "./permissions.ts";
import type { Chair, Matter, Past, Ruling, Sight } from "./policy.ts";
import {
  free,
  type Holder,
  heard,
  hold,
  holdOn,
  isHolder,
  keepWords,
  keptWords,
  type Line,
  leave,
  newLine,
  placeOf,
  queueUp,
  settle,
  tidy,
  toHead,
} from "./speaker-queue.ts";

type Kind = Pick<Chair<Line>, "name" | "conversationalName" | "synopsis"> & {
  /** For how long one may speak while somebody waits. */
  turnMs: number;
  /** The owner who asks for the floor has it at once, and the speaker loses it. */
  isOverridden: boolean;
};

const wordsAtOnceMax = 4;

/** Where a ruling stands: the line as it will be, and what is done for it. */
type Step = {
  line: Line;
  events: readonly FloorEvent[];
  /** Who is told its place, if it still has one in the end, and what will become of it. */
  told?: { speakerUri: string; words: string };
};

export function lineChair({ turnMs, isOverridden, ...about }: Kind): Chair<Line> {
  const rule = (line: Line, matter: Matter, sight: Sight): Ruling<Line> => {
    const heeded = heed(tidy(line, matter, sight), matter, sight, { isOverridden, turnMs });
    // Who is sent away by this ruling is not there any more for the rest of it.
    const then = afterDeeds(sight, heeded.events);
    const advanced = advance(heeded.line, then, turnMs);
    const cleared = withoutExtras(advanced.line, then, "one speaks at a time: ask for the floor");
    const { line: state, events: told } = tell(cleared.line, heeded.told, then);
    const wakeAtMs = wakeOf(state, then, turnMs);
    // Whoever has the floor too much loses it before anybody gets it.
    const events = [...cleared.events, ...heeded.events, ...advanced.events, ...told];
    return { state, events, ...(wakeAtMs !== undefined && { wakeAtMs }) };
  };
  return { ...about, newState: () => newLine, remember, rule };
}

/** Who is alone with the floor has it since it was given; who waited is forgotten, and asks again (C13). */
function remember(past: readonly Past[], sight: Sight): Line {
  const [speaker, another] = speakersIn(sight);
  if (speaker === undefined || another !== undefined) return newLine;
  const given = past.findLast(({ event }) => {
    return event.eventType === "grantFloor" && isSameUri(event.to?.speakerUri ?? "", speaker);
  });
  return hold(newLine, speaker, given?.atMs ?? sight.nowMs);
}

type Manner = Pick<Kind, "isOverridden" | "turnMs">;

function heed(line: Line, matter: Matter, sight: Sight, manner: Manner): Step {
  switch (matter.kind) {
    case "seated":
      return { line: takeOver(line, sight), events: [] };
    case "asked":
      return judge(line, matter, sight, manner);
    case "told":
      return afterwards(line, matter, sight);
    case "time":
      return { line, events: [] };
  }
}

/** C11: one who is alone with the floor keeps it; of several nobody does. */
function takeOver(line: Line, sight: Sight): Line {
  if (line.holder !== undefined) return line;
  const [speaker, another] = speakersIn(sight);
  return speaker === undefined || another !== undefined ? line : hold(line, speaker, sight.nowMs);
}

function judge(line: Line, { event, sender }: Matter & { kind: "asked" }, sight: Sight, manner: Manner): Step {
  switch (event.eventType) {
    case "requestFloor":
      return request(line, { speakerUri: beneficiaryOf(event, sender, sight), sender }, sight, manner);
    case "grantFloor":
      return give(line, event, sender, sight, manner);
    case "utterance":
      return speak(line, event, sender, sight);
    case "invite": {
      const events = admit(event, sight, (speakerUri) => isHolder(line, speakerUri));
      const newcomer = events.length > 1 ? event.to?.speakerUri : undefined;
      return { line: newcomer === undefined ? line : settle(line, newcomer, sight.nowMs), events };
    }
    case "uninvite":
    case "revokeFloor": {
      const consent = event.eventType === "uninvite" ? consentTo : consentToRevoke;
      const events = consent(event, sender, sight);
      return { line: afterApproval(line, event, events, sight), events };
    }
    default:
      return { line, events: [event] };
  }
}

type Request = { speakerUri: string; sender: string };

function request(line: Line, { speakerUri, sender }: Request, sight: Sight, { isOverridden }: Manner): Step {
  if (isHolder(line, speakerUri)) return { line: holdOn(line, sight.nowMs), events: [grant(speakerUri)] };
  const isOwners = isOwner(sender, sight) && isOwner(speakerUri, sight);
  if (isOwners && isOverridden) return override(line, speakerUri, sight, [grant(speakerUri)]);
  const queued = queueUp(line, speakerUri, sight.nowMs);
  const next = isOwners ? toHead(queued, speakerUri) : queued;
  return { line: next, events: [], told: { speakerUri, words: floorInTurn } };
}

const floorInTurn = "I give you the floor in your turn.";

/** A person is told its place. An agent is not: it would answer. */
function tell(line: Line, told: Step["told"], sight: Sight): Step {
  const { speakerUri = "", words = "" } = told ?? {};
  const place = placeOf(line, speakerUri);
  if (place === -1 || conversantNamed(sight, speakerUri)?.isPerson !== true) return { line, events: [] };
  const text = `${place === 0 ? "You are next" : `You are number ${place + 1} in the queue`}. ${words}`;
  return { line: { ...line, count: line.count + 1 }, events: [whisper(sight, line.count, { to: speakerUri, text })] };
}

function give(line: Line, event: EventOf<"grantFloor">, sender: string, sight: Sight, manner: Manner): Step {
  const target = conversantFor(sight, event.to)?.speakerUri;
  if (target === undefined) return { line, events: [] };
  // Others only ask for it.
  if (!isOwner(sender, sight)) return request(line, { speakerUri: target, sender }, sight, manner);
  return override(line, target, sight, [event]);
}

/** The owner's word: whoever had the floor loses it, and what the new speaker said before is heard. */
function override(line: Line, speakerUri: string, sight: Sight, given: readonly FloorEvent[]): Step {
  const { holder } = line;
  const words = line.waiting[placeOf(line, speakerUri)]?.words ?? [];
  const isTaken =
    holder !== undefined && !isSameUri(holder.speakerUri, speakerUri) && !isOwner(holder.speakerUri, sight);
  const settled = isTaken ? settle(line, holder.speakerUri, sight.nowMs) : line;
  const why = isOwner(speakerUri, sight) ? "the owner has it now" : "the owner gives the floor to somebody else";
  const taken = isTaken ? [revoke(holder.speakerUri, `@override ${why}`)] : [];
  return { line: hold(settled, speakerUri, sight.nowMs), events: [...taken, ...given, ...words] };
}

function speak(line: Line, event: EventOf<"utterance">, sender: string, sight: Sight): Step {
  const isFree = line.holder === undefined && line.waiting.length === 0;
  if (isFree || isPrivate(event) || isOwner(sender, sight) || isHolder(line, sender)) return { line, events: [event] };
  const kept = keepWords(line, sender, sight.nowMs, event);
  if (kept !== undefined)
    return { line: kept, events: [], told: { speakerUri: sender, words: keptWords(kept, sender) } };
  return { line, events: [revoke(sender, "@brokenPolicy too much is waiting to be heard already")] };
}

/** How long after a request its words come that were sent in the same breath. */
const breathMs = 5_000;

function afterwards(line: Line, { event, sender }: Matter & { kind: "told" }, sight: Sight): Step {
  if (isAloud(event) && isHolder(line, sender)) return { line: heard(line), events: [] };
  const one = line.waiting[placeOf(line, event.eventType === "revokeFloor" ? (event.to?.speakerUri ?? "") : sender)];
  if (one === undefined) return { line, events: [] };
  // The floor answers a request that is held for long (D11). Its place is kept, and whoever is a person hears so.
  if (event.eventType === "revokeFloor") {
    return { line, events: [], told: { speakerUri: one.speakerUri, words: floorInTurn } };
  }
  const isHeard = isAloud(event) && !isGranted(sender, sight) && sight.nowMs - one.sinceMs < breathMs;
  if (!isHeard || one.words.length > 0 || conversantNamed(sight, sender)?.isPerson === true)
    return { line, events: [] };
  // Q9: an agent that is addressed answers and asks for the floor in one breath (D7); now it has nothing to say.
  return { line: leave(line, sender), events: [revoke(sender, "heard: ask again when there is more to say")] };
}

/** The next has its turn when nobody has, or when the time of whoever has is up. */
function advance(line: Line, sight: Sight, turnMs: number): Step {
  const { nowMs } = sight;
  let next = line;
  const events: FloorEvent[] = [];
  const { holder } = next;
  const why = holder && next.waiting.length > 0 ? endOf(holder, sight, turnMs) : undefined;
  if (holder !== undefined && why !== undefined) {
    next = free(next);
    if (!isOwner(holder.speakerUri, sight)) {
      next = settle(next, holder.speakerUri, nowMs);
      events.push(revoke(holder.speakerUri, why));
    }
  }
  while (next.holder === undefined && events.length < wordsAtOnceMax) {
    const [first] = next.waiting;
    if (first === undefined) break;
    const { speakerUri, wantsFloor, words } = first;
    events.push(...(wantsFloor ? [grant(speakerUri)] : []), ...words);
    next = wantsFloor ? hold(next, speakerUri, nowMs) : leave(next, speakerUri);
  }
  return { line: next, events };
}

/** Why the turn is over once somebody waits; undefined while it is not. */
function endOf({ speakerUri, sinceMs, hasSpoken }: Holder, sight: Sight, turnMs: number): string | undefined {
  if (sight.nowMs >= sinceMs + turnMs) return "@timedOut others are waiting";
  // Q11: an agent that has answered hardly ever yields.
  const isHeard = hasSpoken === true && conversantNamed(sight, speakerUri)?.isPerson === false;
  return isHeard && !isOwner(speakerUri, sight) ? "heard: others are waiting" : undefined;
}

function wakeOf(line: Line, sight: Sight, turnMs: number): number | undefined {
  const { holder, waiting } = line;
  const soon = sight.nowMs + soonMs;
  if (extrasIn(line, sight).length > 0) return soon;
  const again = lookAgainMs(line, sight);
  if (waiting.length === 0) return again;
  return holder === undefined ? soon : sooner(holder.sinceMs + turnMs, again);
}
