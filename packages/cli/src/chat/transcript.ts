import type { DialogEvent } from "@plenary/protocol";
import type { Line, UtteranceLine } from "./lines.ts";
import { noteOf } from "./notes.ts";
import { questionIn } from "./questions.ts";
import type { Entry, EventEntry } from "./wire.ts";

/** What an entry of the log is to people; undefined for what needs no saying. `self` is the floor's own name. */
export function lineOf(entry: Entry, self: string): Line | undefined {
  if (isUtterance(entry)) return utteranceLine(entry);
  const told = noteOf(entry, self);
  if (told === undefined) return undefined;
  const { words, tone = "quiet", reason, details } = told;
  return {
    ...{ kind: "note", seq: entry.seq, at: entry.at ?? "", tone, words },
    ...(reason !== undefined && { reason }),
    ...(details !== undefined && { details }),
  };
}

export type Utterance = EventEntry & { event: Extract<EventEntry["event"], { eventType: "utterance" }> };

export function isUtterance(entry: Entry): entry is Utterance {
  return entry.kind === "event" && entry.event.eventType === "utterance";
}

function utteranceLine(entry: Utterance): UtteranceLine {
  const { seq, at, sender, target, event } = entry;
  const dialogEvent = dialogEventIn(entry);
  const to = event.to && (target ?? event.to.speakerUri ?? event.to.serviceUrl);
  const said = {
    ...{ seq, at, sender, dialogEvent, isWhisper: event.to?.private === true },
    ...(to !== undefined && { to }),
    ...(dialogEvent.speakerUri !== sender && { relayedFrom: dialogEvent.speakerUri }),
  };
  const question = questionIn(dialogEvent, said);
  return { kind: "utterance", ...said, ...(question && { question }) };
}

/** The floor sees to the shape of what strangers say; one that does not hold costs its own words and never the chat. */
export function dialogEventIn({ seq, sender, event }: Utterance): DialogEvent {
  const given: Partial<DialogEvent> | undefined = event.parameters?.dialogEvent;
  const features = Object.entries(given?.features ?? {}).filter(([, feature]) => Array.isArray(feature?.tokens));
  return {
    id: typeof given?.id === "string" ? given.id : `entry ${seq}`,
    speakerUri: typeof given?.speakerUri === "string" ? given.speakerUri : sender,
    span: given?.span ?? { startTime: "" },
    features: Object.fromEntries(features),
  };
}
