import { type Conversation, isSameUri } from "@plenary/protocol";
import { atEnd, atStart, type Progress } from "./story.ts";

/** What the guide knows of one conversation. */
export type Lesson = {
  /** Who invited it. Undefined when it has forgotten: then it begins no lesson, and only answers. */
  host: string | undefined;
  progress: Map<string, Progress>;
};

const peopleMax = 64;

export function newLesson(): Lesson {
  return { host: undefined, progress: new Map() };
}

export function progressOf({ host, progress }: Lesson, speakerUri: string): Progress {
  return progress.get(speakerUri) ?? (host === undefined ? atEnd : atStart);
}

/** Whoever was not heard for longest makes room. */
export function keepProgress({ progress }: Lesson, speakerUri: string, reached: Progress): void {
  progress.delete(speakerUri);
  progress.set(speakerUri, reached);
  const [oldest] = progress.keys();
  if (progress.size > peopleMax && oldest !== undefined) progress.delete(oldest);
}

/**
 * Our choice: an envelope does not say who is a person. People have no server of their own, so their floor relays for them,
 * and no manifest, so nothing says what they do. Whoever invited the guide is taken for one wherever it may be.
 */
export function isPerson(speakerUri: string, { conversants = [] }: Conversation, { host }: Lesson): boolean {
  if (host !== undefined && isSameUri(host, speakerUri)) return true;
  const found = conversants.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
  if (found === undefined) return false;
  const { serviceUrl, synopsis } = found.identification;
  return serviceUrl.includes("/openfloor/at/") && synopsis === "";
}

/** With the floor, as far as that is known. A newcomer is known by its address first, and by its name a little later. */
export function isEchoHere({ conversants = [], floorGranted }: Conversation): boolean {
  return conversants.some(({ identification: { conversationalName, serviceUrl, speakerUri } }) => {
    const isEcho = conversationalName === "Echo" || serviceUrl.endsWith("/agents/echo");
    return isEcho && floorGranted?.includes(speakerUri) !== false;
  });
}
