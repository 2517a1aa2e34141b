import type { DialogEvent } from "../model/dialog-event.ts";
import type { Conversation, Envelope, Sender } from "../model/envelope.ts";
import type { EventType, FloorEvent, To } from "../model/event.ts";
import type { Feature } from "../model/feature.ts";
import type { ScoredManifest } from "../model/manifest.ts";
import { versionOf } from "../model/version.ts";
import { hasReason, type Reason } from "./reason.ts";

export type EventOf<Name extends EventType> = Extract<FloorEvent, { eventType: Name }>;

type Options<Name extends EventType> = { to?: To; reason?: Reason<Name> };

function bare<Name extends EventType>(eventType: Name) {
  return ({ to, reason }: Options<Name> = {}) => ({
    eventType,
    ...(to !== undefined && { to }),
    ...(reason !== undefined && { reason }),
  });
}

export type TextUtteranceOptions = Options<"utterance"> & {
  speakerUri: string;
  id: string;
  /** RFC 3339. */
  startTime: string;
  /** For `to` alone, whatever `to.private` says. */
  private?: boolean;
  /** BCP 47. */
  lang?: string;
  /** Features in other media beside the text. */
  features?: Record<string, Feature>;
  /** An earlier dialog event of the same speaker. */
  previousId?: string;
};

/** Spec 1.10. Several agents read only the first token, so the text is one token. */
export function textUtterance(text: string, options: TextUtteranceOptions): EventOf<"utterance"> {
  const { speakerUri, id, startTime, to, private: isPrivate, lang, features, reason, previousId } = options;
  if (text === "") throw new Error("an utterance has something to verbalize, so its text is not empty");
  // A whisper must not become public because its addressee was forgotten.
  if (isPrivate === true && to === undefined) throw new Error("a private utterance names its addressee in to");
  const spoken: Feature = { mimeType: "text/plain", ...(lang !== undefined && { lang }), tokens: [{ value: text }] };
  const dialogEvent: DialogEvent = {
    id,
    speakerUri,
    span: { startTime },
    ...(previousId !== undefined && { previousId }),
    features: { ...features, text: spoken },
  };
  const addressee = to && { ...to, ...(isPrivate !== undefined && { private: isPrivate }) };
  return utterance(dialogEvent, { ...(addressee && { to: addressee }), ...(reason !== undefined && { reason }) });
}

export function utterance(dialogEvent: DialogEvent, options: Options<"utterance"> = {}): EventOf<"utterance"> {
  return { ...bare("utterance")(options), parameters: { dialogEvent } };
}

export type InviteOptions = {
  /** Spec 1.12: the serviceUrl is mandatory; the speakerUri is a wish. */
  to: To & { serviceUrl: string };
  dialogHistory?: DialogEvent[];
  expectedFloorRoles?: string[];
  reason?: Reason<"invite">;
};

export function invite({ to, dialogHistory, expectedFloorRoles, reason }: InviteOptions): EventOf<"invite"> {
  const parameters = {
    ...(dialogHistory !== undefined && { dialogHistory }),
    ...(expectedFloorRoles !== undefined && { expectedFloorRoles }),
  };
  return {
    eventType: "invite",
    to,
    ...(reason !== undefined && { reason }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
}

type BareMaker<Name extends EventType> = (options?: Options<Name>) => EventOf<Name>;

/** Spec 1.8: without `to` it would be for every recipient. */
export const uninvite: (options: Options<"uninvite"> & { to: To }) => EventOf<"uninvite"> = bare("uninvite");
export const acceptInvite: BareMaker<"acceptInvite"> = bare("acceptInvite");
export const declineInvite: BareMaker<"declineInvite"> = bare("declineInvite");
export const bye: BareMaker<"bye"> = bare("bye");
export const requestFloor: BareMaker<"requestFloor"> = bare("requestFloor");
export const grantFloor: BareMaker<"grantFloor"> = bare("grantFloor");
export const revokeFloor: BareMaker<"revokeFloor"> = bare("revokeFloor");
export const yieldFloor: BareMaker<"yieldFloor"> = bare("yieldFloor");

export type GetManifestsOptions = Options<"getManifests"> & { recommendScope?: "internal" | "external" | "all" };

export function getManifests(options: GetManifestsOptions = {}): EventOf<"getManifests"> {
  const { recommendScope } = options;
  return {
    ...bare("getManifests")(options),
    ...(recommendScope !== undefined && { parameters: { recommendScope } }),
  };
}

export type PublishManifestsOptions = Options<"publishManifests"> & {
  servicingManifests?: ScoredManifest[];
  /** Spec 1.18: without the sender's own. */
  discoveryManifests?: ScoredManifest[];
};

/** Spec 1.18: with nothing to publish the event is bare. */
export function publishManifests(options: PublishManifestsOptions = {}): EventOf<"publishManifests"> {
  const { servicingManifests, discoveryManifests } = options;
  const parameters = {
    ...(servicingManifests !== undefined && { servicingManifests }),
    ...(discoveryManifests !== undefined && { discoveryManifests }),
  };
  return {
    ...bare("publishManifests")(options),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
}

export type EnvelopeOptions = { conversation: Conversation; sender: Sender; events: FloorEvent[]; version?: string };

/** The version is 1.1.0, or 1.1.1 where the envelope uses a feature that 1.1.0 does not have. */
export function envelope({ conversation, sender, events, version }: EnvelopeOptions): Envelope {
  const isNewer = version === undefined && usesVersion111(conversation, events);
  return { schema: { version: version ?? (isNewer ? "1.1.1" : versionOf["1.1"]) }, conversation, sender, events };
}

// Our choice (spec-notes): the role of owner does not count, since every floor of ours assigns it.
function usesVersion111({ assignedFloorRoles }: Conversation, events: readonly FloorEvent[]): boolean {
  if ((assignedFloorRoles?.archivist?.length ?? 0) > 0) return true;
  return events.some((event) => {
    if (event.eventType === "invite") return event.parameters?.expectedFloorRoles !== undefined;
    return event.eventType === "declineInvite" && hasReason(event, "@roleRejected");
  });
}

/** The floor manager owns the conversation section but its id (spec 2.2), so an answer says no more than that. */
export function replyTo(received: Envelope, { sender, events }: { sender: Sender; events: FloorEvent[] }): Envelope {
  return envelope({ conversation: { id: received.conversation.id }, sender, events });
}

/** Spec 2.3: an answer without events. */
export function emptyReply(received: Envelope, { sender }: { sender: Sender }): Envelope {
  return replyTo(received, { sender, events: [] });
}

/** Spec 1.12: the last dialog events for an invite, ordered by startTime in universal time, the most recent last. */
export function history(dialogEvents: readonly DialogEvent[], { last = 4 } = {}): DialogEvent[] {
  let latest: Instant = { seconds: Number.NEGATIVE_INFINITY, fraction: 0 };
  const timed = dialogEvents.map((dialogEvent) => {
    // Our choice: an event without a startTime stays after its predecessor.
    latest = instantOf(dialogEvent.span.startTime) ?? latest;
    return { dialogEvent, at: latest };
  });
  timed.sort((a, b) => compare(a.at, b.at));
  return timed.slice(Math.max(0, timed.length - last)).map(({ dialogEvent }) => dialogEvent);
}

type Instant = { seconds: number; fraction: number };

function compare(a: Instant, b: Instant): number {
  if (a.seconds !== b.seconds) return a.seconds < b.seconds ? -1 : 1;
  return a.fraction - b.fraction;
}

const written = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/u;

// Date.parse alone would lose the microseconds Python writes and refuse a leap second.
function instantOf(time: string | undefined): Instant | undefined {
  const [, date, minute, second, fraction = "0", zone] = written.exec(time?.toUpperCase() ?? "") ?? [];
  const start = Date.parse(`${date}T${minute}:00${zone}`);
  return Number.isNaN(start) ? undefined : { seconds: start / 1000 + Number(second), fraction: Number(fraction) };
}
