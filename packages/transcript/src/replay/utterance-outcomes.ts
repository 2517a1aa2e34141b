import type { Entry } from "@plenary/floor";
import { type FloorEvent, isPrivate } from "@plenary/protocol";

/** What became of an utterance. `waiting`: nobody has passed it on. `unsaid`: its envelope never took place. */
export type Fate = { what: "heard" | "refused" | "waiting" | "unsaid"; because?: string; at?: string; seq?: number };

export type Utterance = { sender: string; dialogEventId: string; isWhisper: boolean; fate: Fate };

/** Every utterance that came in, by who sent it under which id. Without the words. */
export function fatesIn(entries: readonly Entry[]): ReadonlyMap<string, Utterance> {
  const found = new Map<string, Utterance>();
  const voiceOf = createVoices();
  const note = (by: string, event: FloorEvent, fate: Fate) => {
    if (event.eventType !== "utterance") return;
    const sender = voiceOf(by, event);
    const dialogEventId = event.parameters.dialogEvent.id;
    const key = JSON.stringify([sender, dialogEventId]);
    // Said again and refused then, it was heard all the same.
    if (found.get(key)?.fate.what === "heard") return;
    found.set(key, { sender, dialogEventId, isWhisper: isPrivate(event), fate });
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

/** Who speaks in each entry in which somebody says for another one what that one has sent. */
export function voicesIn(entries: readonly Entry[]): ReadonlyMap<number, string> {
  const voices = new Map<number, string>();
  const voiceOf = createVoices();
  for (const entry of entries) {
    if (entry.kind === "received") for (const event of entry.events) voiceOf(entry.sender, event);
    if (entry.kind !== "event") continue;
    const voice = voiceOf(entry.sender, entry.event);
    if (voice !== entry.sender) voices.set(entry.seq, voice);
  }
  return voices;
}

/** Whose words somebody says: a convener that has kept what somebody sent says it later in that one's name. */
function createVoices(): (sender: string, event: FloorEvent) => string {
  const sent = new Set<string>();
  return (sender, event) => {
    if (event.eventType !== "utterance") return sender;
    const { speakerUri, id } = event.parameters.dialogEvent;
    if (sent.has(JSON.stringify([speakerUri, id]))) return speakerUri;
    sent.add(JSON.stringify([sender, id]));
    return sender;
  };
}
