import { type FloorEvent, isPrivate, isSameAddress, isSameUri, type To } from "@plenary/protocol";
import { focalAgent, resolve } from "../delivery/recipients.ts";
import type { Floor } from "../floor.ts";
import type { Objection } from "./refuse.ts";

/** Objections under every policy: a missing or ambiguous addressee, a full conversation. */
export function validateEvent(floor: Floor, event: FloorEvent, all: readonly FloorEvent[]): Objection | undefined {
  if (isPrivate(event)) return objectionToWhisper(floor, event, manifestRequests(all));
  switch (event.eventType) {
    case "invite":
      return event.to === undefined
        ? noAddressee(event)
        : (ambiguous(floor, event.to) ?? impossibleInvite(floor, event.to));
    case "uninvite":
    case "grantFloor":
    case "revokeFloor":
      return event.to === undefined ? noAddressee(event) : ambiguous(floor, event.to);
    default:
      return undefined;
  }
}

// Our choice (spec-notes): an agent that receives one of these without an addressee takes it for itself, so a floor does
// not pass it on to all.
function noAddressee(event: FloorEvent): Objection {
  return { because: "1.8/no-addressee", problem: `at a floor, ${event.eventType} names its addressee` };
}

function ambiguous(floor: Floor, to: To): Objection | undefined {
  if (resolve(floor, to).length < 2) return undefined;
  return {
    because: "1.8/ambiguous-addressee",
    problem: "several conversants share this address: name one by speakerUri",
  };
}

function impossibleInvite(floor: Floor, to: To): Objection | undefined {
  if (resolve(floor, to).length > 0) return undefined;
  const { speakerUri, serviceUrl } = to;
  if (isOwn(speakerUri, floor.self.speakerUri) || isOwnAddress(serviceUrl, floor.self.serviceUrl)) {
    return { because: "guard/self-invite", problem: "a floor does not invite itself" };
  }
  if (serviceUrl === undefined) {
    return {
      because: "1.12/no-service-url",
      problem: "no conversant here has this speakerUri: an invite names a serviceUrl",
    };
  }
  return conversantLimit(floor);
}

export function isOwn(named: string | undefined, own: string | undefined): boolean {
  return named !== undefined && own !== undefined && isSameUri(named, own);
}

export function isOwnAddress(named: string | undefined, own: string | undefined): boolean {
  return named !== undefined && own !== undefined && isSameAddress(named, own);
}

export function conversantLimit({ conversants, options }: Floor): Objection | undefined {
  if (conversants.length < options.conversantsMax) return undefined;
  return {
    because: "limit/conversants",
    problem: `a conversation has at most ${options.conversantsMax} conversants`,
  };
}

/** D15: a private utterance has exactly one addressee, and no other conversant ever receives it. */
function objectionToWhisper(floor: Floor, { to }: FloorEvent, requests: readonly FloorEvent[]): Objection | undefined {
  const found = resolve(floor, to).length;
  if (found === 1 || (found === 0 && requests.some((request) => isSameAddressee(request, to)))) return undefined;
  const problem =
    found === 0
      ? "no conversant here is the addressee of this private utterance"
      : "several conversants share this address: name one by speakerUri";
  return { because: "1.8/private-addressee", problem };
}

/** A whisper may accompany one of these to an outsider (Figures 23 and 24). */
function manifestRequests(events: readonly FloorEvent[]): FloorEvent[] {
  return events.filter(({ eventType }) => eventType === "getManifests");
}

/** Same addressee, compared by a name that both give. */
export function isSameAddressee(request: FloorEvent, to: To | undefined): boolean {
  if (request.to === undefined || to === undefined) return false;
  const { speakerUri, serviceUrl } = request.to;
  if (speakerUri !== undefined && to.speakerUri !== undefined) return isSameUri(speakerUri, to.speakerUri);
  return serviceUrl !== undefined && to.serviceUrl !== undefined && isSameUri(serviceUrl, to.serviceUrl);
}

/** D15': every event is an undeliverable whisper. Beside an invite a whisper may be deliverable later. */
export function hasOnlyUndeliverableWhispers(floor: Floor, events: readonly FloorEvent[]): boolean {
  return events.length > 0 && events.every((event) => isPrivate(event) && isUndeliverable(floor, event));
}

function isUndeliverable(floor: Floor, event: FloorEvent): boolean {
  if (event.to?.speakerUri === focalAgent) return floor.attention.length === 0;
  return objectionToWhisper(floor, event, []) !== undefined;
}
