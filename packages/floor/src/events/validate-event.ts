import { type FloorEvent, isPrivate, isSameAddress, isSameUri, type To } from "@plenary/protocol";
import { focalAgent, resolve } from "../delivery/recipients.ts";
import type { Floor } from "../floor.ts";
import type { Objection } from "./refuse.ts";

/** What no policy can make sense of: nobody to do it to, or no room to do it in. */
export function senseless(floor: Floor, event: FloorEvent, all: readonly FloorEvent[]): Objection | undefined {
  if (isPrivate(event)) return lostWhisper(floor, event, asks(all));
  switch (event.eventType) {
    case "invite":
      return event.to === undefined ? aimless(event) : (ambiguous(floor, event.to) ?? idleInvite(floor, event.to));
    case "uninvite":
    case "grantFloor":
    case "revokeFloor":
      return event.to === undefined ? aimless(event) : ambiguous(floor, event.to);
    default:
      return undefined;
  }
}

// Our choice (spec-notes): an agent that receives one of these without an addressee takes it for itself, so a floor does
// not pass it on to all.
function aimless(event: FloorEvent): Objection {
  return { because: "1.8/no-addressee", problem: `at a floor, ${event.eventType} names whom it is for` };
}

function ambiguous(floor: Floor, to: To): Objection | undefined {
  if (resolve(floor, to).length < 2) return undefined;
  return {
    because: "1.8/ambiguous-addressee",
    problem: "several conversants share this address: name one by speakerUri",
  };
}

function idleInvite(floor: Floor, to: To): Objection | undefined {
  if (resolve(floor, to).length > 0) return undefined;
  const { speakerUri, serviceUrl } = to;
  if (isOwn(speakerUri, floor.self.speakerUri) || isOwnAddress(serviceUrl, floor.self.serviceUrl)) {
    return { because: "guard/self-invite", problem: "a floor does not invite itself" };
  }
  if (serviceUrl === undefined) {
    return { because: "1.12/no-service-url", problem: "nobody here has this speakerUri: an invite names a serviceUrl" };
  }
  return noRoom(floor);
}

export function isOwn(named: string | undefined, own: string | undefined): boolean {
  return named !== undefined && own !== undefined && isSameUri(named, own);
}

export function isOwnAddress(named: string | undefined, own: string | undefined): boolean {
  return named !== undefined && own !== undefined && isSameAddress(named, own);
}

export function noRoom({ conversants, options }: Floor): Objection | undefined {
  if (conversants.length < options.conversantsMax) return undefined;
  return {
    because: "limit/conversants",
    problem: `a conversation has at most ${options.conversantsMax} conversants`,
  };
}

/** D15: a private utterance has exactly one addressee; nobody else hears it, whatever goes wrong. */
function lostWhisper(floor: Floor, { to }: FloorEvent, requests: readonly FloorEvent[]): Objection | undefined {
  const found = resolve(floor, to).length;
  if (found === 1 || (found === 0 && requests.some((request) => isFor(request, to)))) return undefined;
  const problem =
    found === 0
      ? "nobody here is the addressee of this private utterance"
      : "several conversants share this address: name one by speakerUri";
  return { because: "1.8/private-addressee", problem };
}

/** Whom a whisper may follow to somebody who is not at the floor: a question (Figures 23 and 24). */
function asks(events: readonly FloorEvent[]): FloorEvent[] {
  return events.filter(({ eventType }) => eventType === "getManifests");
}

/** Same addressee, by whichever name both give. */
export function isFor(request: FloorEvent, to: To | undefined): boolean {
  if (request.to === undefined || to === undefined) return false;
  const { speakerUri, serviceUrl } = request.to;
  if (speakerUri !== undefined && to.speakerUri !== undefined) return isSameUri(speakerUri, to.speakerUri);
  return serviceUrl !== undefined && to.serviceUrl !== undefined && isSameUri(serviceUrl, to.serviceUrl);
}

/** D15': there is nothing else to take in. Seen from the door: an invite beside a whisper may yet seat its addressee. */
export function isNothingButLostWhispers(floor: Floor, events: readonly FloorEvent[]): boolean {
  return events.length > 0 && events.every((event) => isPrivate(event) && isLost(floor, event));
}

function isLost(floor: Floor, event: FloorEvent): boolean {
  if (event.to?.speakerUri === focalAgent) return floor.attention.length === 0;
  return lostWhisper(floor, event, []) !== undefined;
}
