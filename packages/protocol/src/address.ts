import type { FloorEvent } from "./event.ts";

/** Whom an event is for, seen by one conversant. Without `to` it is for all recipients (spec 1.8). */
export function address(event: FloorEvent, me: { speakerUri: string; serviceUrl?: string }): "all" | "me" | "other" {
  const { to } = event;
  if (to === undefined) return "all";
  const isMySpeaker = to.speakerUri !== undefined && isSameUri(to.speakerUri, me.speakerUri);
  const isMyService =
    to.serviceUrl !== undefined && me.serviceUrl !== undefined && isSameUri(to.serviceUrl, me.serviceUrl);
  // Spec 1.12: whoever is at the serviceUrl of an invite may answer it under a speakerUri of its own.
  if (event.eventType === "invite") return isMySpeaker || isMyService ? "me" : "other";
  // Spec 0.6: the serviceUrl locates, the speakerUri identifies; several speakers may share one serviceUrl.
  return (to.speakerUri === undefined ? isMyService : isMySpeaker) ? "me" : "other";
}

/** Spec 2.2: the private flag counts for utterances only. */
export function isPrivate(event: FloorEvent): boolean {
  return event.eventType === "utterance" && event.to?.private === true;
}

/** Our choice (spec-notes 17): URIs are opaque, but peers differ over their own in case and a slash at the end. */
export function isSameUri(a: string, b: string): boolean {
  return a === b || foldUri(a) === foldUri(b);
}

/** One spelling for all that are the same: what is looked up by a URI is kept under it. */
export function foldUri(uri: string): string {
  let end = uri.length;
  while (uri[end - 1] === "/") end -= 1;
  return uri.slice(0, end).toLowerCase();
}
