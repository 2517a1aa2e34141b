import { type EventOf, type FloorEvent, isPrivate, isSameUri } from "@plenary/protocol";
import { grant, revoke, whisper } from "./events.ts";
import { afterApproval, extrasIn, lookAgainMs, sooner, soonMs, takenMax, withoutExtras } from "./extra-speakers.ts";
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
import type { Chair, Matter, Ruling, Sight } from "./policy.ts";
import {
  free,
  hold,
  holdOn,
  isHolder,
  keepWords,
  keptWords,
  type Line,
  leave,
  newLine,
  placeOf,
  renew,
  settle,
  tidy,
} from "./speaker-queue.ts";

export type RoundRobinOptions = {
  turnMs?: number;
  /** So many end a turn. */
  utterancesPerTurn?: number;
};

type Circle = {
  /** Only words wait here: everybody's turn comes without asking. */
  line: Line;
  /** In the order of coming; the owner, who may always speak, is not in it. */
  order: readonly string[];
  /** Whose turn it is or was; it stays in the order until the next has been found. */
  last?: string;
  /** What the one whose turn it is has said in it. */
  said: number;
  /** Turns in a row in which nothing was said. */
  silent: number;
};

type Limits = Required<RoundRobinOptions>;
type Step = { circle: Circle; events: readonly FloorEvent[] };

const newCircle: Circle = { line: newLine, order: [], said: 0, silent: 0 };

export function roundRobinChair({ turnMs = 60_000, utterancesPerTurn = 1 }: RoundRobinOptions = {}): Chair<Circle> {
  const limits = { turnMs, utterancesPerTurn };
  return {
    name: "round-robin",
    conversationalName: "Round Table",
    synopsis: "Convenes in turns: each speaks in the order of coming, once or for a minute, then the next.",
    newState: () => newCircle,
    rule: (state, matter, sight) => rule(state, matter, sight, limits),
  };
}

function rule(state: Circle, matter: Matter, sight: Sight, limits: Limits): Ruling<Circle> {
  const { circle: heeded, events } = heed(gather(state, matter, sight), matter, sight);
  // Who is sent away by this ruling is not there any more for the rest of it.
  const then = afterDeeds(sight, events);
  const { circle, events: passed } = passOn(withoutOwner(heeded, then), then, limits);
  const { line, events: revoked } = withoutExtras(circle.line, then, "each speaks in turn");
  const next = { ...circle, line };
  const isMore = extrasIn(line, then).length > 0;
  const wakeAtMs = isMore ? sight.nowMs + soonMs : sooner(wakeOf(next, then, limits), lookAgainMs(line, then));
  return {
    state: next,
    // Whoever has the floor too much loses it before anybody gets it.
    events: [...revoked, ...events, ...passed],
    ...(wakeAtMs !== undefined && { wakeAtMs }),
  };
}

/** R1, R5: newcomers at the end; whoever left is missing, and the one after it is next. */
function gather(circle: Circle, matter: Matter, sight: Sight): Circle {
  const { last } = circle;
  const { line } = withoutOwner({ ...circle, line: tidy(circle.line, matter, sight) }, sight);
  const present = sight.conversants.map(({ speakerUri }) => speakerUri).filter((one) => !isOwner(one, sight));
  const order = circle.order.filter((one) => isOneOf(one, present) || (last !== undefined && isSameUri(one, last)));
  return { ...circle, line, order: [...order, ...present.filter((one) => !isOneOf(one, order))] };
}

/** Whoever comes to own the conversation leaves the circle. */
function withoutOwner(circle: Circle, sight: Sight): Circle {
  const { line } = circle;
  return isOwner(line.holder?.speakerUri, sight) ? { ...circle, line: free(line) } : circle;
}

const isOneOf = (speakerUri: string, others: readonly string[]) => others.some((one) => isSameUri(one, speakerUri));

/** Those who are here, beginning after the last speaker and ending with it. */
function upcoming({ order, last }: Circle, sight: Sight): string[] {
  const at = order.findIndex((one) => last !== undefined && isSameUri(one, last));
  const turned = [...order.slice(at + 1), ...order.slice(0, at + 1)];
  return turned.filter((one) => conversantNamed(sight, one) !== undefined && !isOwner(one, sight));
}

function heed(circle: Circle, matter: Matter, sight: Sight): Step {
  if (matter.kind === "seated") {
    const [speaker, another] = speakersIn(sight);
    if (speaker === undefined || another !== undefined) return { circle, events: [] };
    return { circle: begin(circle, speaker, sight.nowMs), events: [] };
  }
  if (matter.kind === "asked") return judge(circle, matter, sight);
  if (matter.kind === "told" && isAloud(matter.event))
    return { circle: count(circle, matter.sender, sight), events: [] };
  return { circle, events: [] };
}

/** Whoever speaks keeps the circle going, and whoever has the turn has all of its time to answer the owner. */
function count(circle: Circle, sender: string, sight: Sight): Circle {
  const { line } = circle;
  if (isHolder(line, sender)) return { ...circle, said: circle.said + 1, silent: 0 };
  return { ...circle, silent: 0, line: isOwner(sender, sight) ? renew(line, sight.nowMs) : line };
}

function begin(circle: Circle, speakerUri: string, nowMs: number): Circle {
  return { ...circle, last: speakerUri, line: hold(circle.line, speakerUri, nowMs), said: 0 };
}

function judge(circle: Circle, { event, sender }: Matter & { kind: "asked" }, sight: Sight): Step {
  switch (event.eventType) {
    case "requestFloor":
      return request(circle, beneficiaryOf(event, sender, sight), sight);
    case "grantFloor": {
      const target = isOwner(sender, sight) ? conversantFor(sight, event.to)?.speakerUri : undefined;
      return target === undefined ? { circle, events: [] } : give(circle, event, target, sight);
    }
    case "utterance":
      return speak(circle, event, sender, sight);
    case "invite":
      return { circle, events: admit(event, sight, (speakerUri) => isHolder(circle.line, speakerUri)) };
    case "uninvite":
    case "revokeFloor": {
      const consent = event.eventType === "uninvite" ? consentTo : consentToRevoke;
      const events = consent(event, sender, sight);
      return { circle: { ...circle, line: afterApproval(circle.line, event, events, sight) }, events };
    }
    default:
      return { circle, events: [event] };
  }
}

/** R6: a turn comes by itself. A person is told so in a whisper, an agent in the answer that 1.19 wants. */
function request(before: Circle, speakerUri: string, sight: Sight): Step {
  // Whoever asks wants to speak: the circle does not rest now.
  const circle = { ...before, silent: 0 };
  const { line } = circle;
  if (isOwner(speakerUri, sight)) return { circle, events: [grant(speakerUri)] };
  if (isHolder(line, speakerUri)) {
    return { circle: { ...circle, line: holdOn(line, sight.nowMs) }, events: [grant(speakerUri)] };
  }
  if (line.holder === undefined) return { circle, events: [] };
  const place = upcoming(circle, sight).findIndex((one) => isSameUri(one, speakerUri)) + 1;
  const text = `Everybody speaks in turn; yours is number ${place}.`;
  if (conversantNamed(sight, speakerUri)?.isPerson !== true) return { circle, events: [revoke(speakerUri, text)] };
  const said = whisper(sight, line.count, { to: speakerUri, text });
  return { circle: { ...circle, line: { ...line, count: line.count + 1 } }, events: [said] };
}

function give(circle: Circle, event: FloorEvent, target: string, sight: Sight): Step {
  if (isOwner(target, sight)) return { circle, events: [event] };
  const { holder } = circle.line;
  const isTaken = holder !== undefined && !isSameUri(holder.speakerUri, target);
  const line = isTaken ? settle(circle.line, holder.speakerUri, sight.nowMs) : circle.line;
  const taken = isTaken ? [revoke(holder.speakerUri, "@override the owner gives the floor to somebody else")] : [];
  return { circle: begin({ ...circle, line }, target, sight.nowMs), events: [...taken, event] };
}

function speak(circle: Circle, event: EventOf<"utterance">, sender: string, sight: Sight): Step {
  const { line } = circle;
  if (isPrivate(event)) return { circle, events: [event] };
  if (isOwner(sender, sight) || isHolder(line, sender)) {
    return { circle: count(circle, sender, sight), events: [event] };
  }
  const kept = keepWords(line, sender, sight.nowMs, event);
  if (kept === undefined) {
    return { circle, events: [revoke(sender, "@brokenPolicy too much is waiting to be heard already")] };
  }
  const person = conversantNamed(sight, sender)?.isPerson === true;
  const told = person ? [whisper(sight, kept.count, { to: sender, text: keptWords(kept, sender) })] : [];
  return { circle: { ...circle, silent: 0, line: { ...kept, count: kept.count + told.length } }, events: told };
}

/** R2 to R4: the turn is over when enough was said, time is up or the speaker has gone; then the next in the circle has it. */
function passOn(circle: Circle, sight: Sight, { turnMs, utterancesPerTurn }: Limits): Step {
  const { nowMs } = sight;
  const { holder } = circle.line;
  const events: FloorEvent[] = [];
  let next = circle;
  if (holder !== undefined) {
    const isSpoken = circle.said >= utterancesPerTurn;
    const isLate = nowMs >= holder.sinceMs + turnMs && circle.silent < circle.order.length;
    if (upcoming(circle, sight).length < 2 || (!isSpoken && !isLate)) {
      return { circle: isSpoken ? { ...circle, said: 0 } : circle, events };
    }
    const silent = circle.said === 0 ? circle.silent + 1 : 0;
    next = { ...circle, silent, line: settle(free(circle.line), holder.speakerUri, nowMs) };
    events.push(revoke(holder.speakerUri, isSpoken ? "the next has its turn" : "@timedOut the next has its turn"));
  }
  return voice(next, sight, utterancesPerTurn, events);
}

/** Held words are the turn of whoever said them; the first who has none gets the floor. */
function voice(circle: Circle, sight: Sight, utterancesPerTurn: number, events: FloorEvent[]): Step {
  let next = circle;
  const round = upcoming(circle, sight);
  // Where everybody's words were heard, the first is next.
  for (const speakerUri of [...round, ...round.slice(0, 1)]) {
    const words = next.line.waiting[placeOf(next.line, speakerUri)]?.words ?? [];
    next = begin({ ...next, line: leave(next.line, speakerUri) }, speakerUri, sight.nowMs);
    if (words.length < utterancesPerTurn || events.length >= takenMax) {
      // Whoever has it at the beginning is not given it again: it might have yielded it meanwhile.
      const hasFloor = circle.last === undefined && isGranted(speakerUri, sight);
      events.push(...(hasFloor ? [] : [grant(speakerUri)]), ...words);
      return { circle: { ...next, said: words.length }, events };
    }
    events.push(...words);
    next = { ...next, line: free(next.line) };
  }
  return { circle: next, events };
}

function wakeOf(circle: Circle, sight: Sight, { turnMs }: Limits): number | undefined {
  const { silent, line } = circle;
  const { length } = upcoming(circle, sight);
  // Nobody is in the circle, or after a round of silence it waits for somebody to say something.
  if (line.holder === undefined) return undefined;
  return length < 2 || silent >= length ? undefined : line.holder.sinceMs + turnMs;
}
