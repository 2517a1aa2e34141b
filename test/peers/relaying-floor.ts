// A floor that signs every envelope itself: the sender is the floor, and only dialogEvent.speakerUri says who spoke. Seen in
// floors built as a hub, where agents get everything from the floor manager. It also sends an agent its own utterances back.
import { floor, post, says, type WireEvent } from "./foreign-floor.ts";

export function relayingFloor(agentUrl: string) {
  const sender = { speakerUri: floor, serviceUrl: "https://floor.example/" };
  const relay = async (events: object[]): Promise<WireEvent[]> => (await post(agentUrl, events, { sender })).events;
  return {
    relay,
    ask: (text: string, speakerUri: string) => relay([says(text, undefined, speakerUri)]),
    whisper: (text: string, to: string, speakerUri: string) =>
      relay([says(text, { speakerUri: to, private: true }, speakerUri)]),
  };
}
