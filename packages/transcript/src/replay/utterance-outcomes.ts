import type { Entry } from "@plenary/floor";
import { type FloorEvent, isPrivate } from "@plenary/protocol";

/** The outcome of an utterance. `waiting`: still with the convener. `unsaid`: its envelope does not occur. */
export type Outcome = { what: "heard" | "refused" | "waiting" | "unsaid"; because?: string; at?: string; seq?: number };

export type UtteranceOutcome = { sender: string; dialogEventId: string; isWhisper: boolean; outcome: Outcome };

/** Every received utterance by sender and id, without its text. */
export function outcomesOf(entries: readonly Entry[]): ReadonlyMap<string, UtteranceOutcome> {
  const found = new Map<string, UtteranceOutcome>();
  const speakerOf = createSpeakerLookup();
  const note = (by: string, event: FloorEvent, outcome: Outcome) => {
    if (event.eventType !== "utterance") return;
    const sender = speakerOf(by, event);
    const dialogEventId = event.parameters.dialogEvent.id;
    const key = JSON.stringify([sender, dialogEventId]);
    // An utterance that was heard once stays heard, also when a repetition is refused.
    if (found.get(key)?.outcome.what === "heard") return;
    found.set(key, { sender, dialogEventId, isWhisper: isPrivate(event), outcome });
  };
  for (const entry of entries) {
    const { at, because, seq } = entry;
    if (entry.kind === "received")
      for (const event of entry.events) note(entry.sender, event, { what: "waiting", at, seq });
    else if (entry.kind === "event") note(entry.sender, entry.event, { what: "heard", because, at, seq });
    else if (entry.kind === "refused") note(entry.sender, entry.event, { what: "refused", because, at, seq });
  }
  return found;
}

/** The author of each entry in which a convener publishes another speaker's utterance. */
export function actualSpeakersIn(entries: readonly Entry[]): ReadonlyMap<number, string> {
  const speakers = new Map<number, string>();
  const speakerOf = createSpeakerLookup();
  for (const entry of entries) {
    if (entry.kind === "received") for (const event of entry.events) speakerOf(entry.sender, event);
    if (entry.kind !== "event") continue;
    const speaker = speakerOf(entry.sender, entry.event);
    if (speaker !== entry.sender) speakers.set(entry.seq, speaker);
  }
  return speakers;
}

/** The author of an utterance: a convener that held it publishes it later in the author's name. */
function createSpeakerLookup(): (sender: string, event: FloorEvent) => string {
  const sent = new Set<string>();
  return (sender, event) => {
    if (event.eventType !== "utterance") return sender;
    const { speakerUri, id } = event.parameters.dialogEvent;
    if (sent.has(JSON.stringify([speakerUri, id]))) return speakerUri;
    sent.add(JSON.stringify([sender, id]));
    return sender;
  };
}
