import type { Clock } from "../ports/clock.ts";

/** Called when a person connects or is away. Being away is shown; it is not a `bye` (D36). */
export type PresenceListener = (speakerUri: string, state: "here" | "away") => void;

export type Presence = {
  isHere(speakerUri: string): boolean;
  connected(speakerUri: string): void;
  disconnected(speakerUri: string): void;
  close(): void;
};

export function createPresence(clock: Clock, awayMs: number, listener: PresenceListener): Presence {
  const streams = new Map<string, number>();
  const leaving = new Map<string, () => void>();
  return {
    isHere: (speakerUri) => streams.has(speakerUri) || leaving.has(speakerUri),
    connected(speakerUri) {
      const before = streams.get(speakerUri) ?? 0;
      streams.set(speakerUri, before + 1);
      const cancelAway = leaving.get(speakerUri);
      leaving.delete(speakerUri);
      cancelAway?.();
      if (before === 0 && cancelAway === undefined) listener(speakerUri, "here");
    },
    disconnected(speakerUri) {
      const left = (streams.get(speakerUri) ?? 1) - 1;
      if (left > 0) {
        streams.set(speakerUri, left);
        return;
      }
      streams.delete(speakerUri);
      const cancel = clock.at(clock.now() + awayMs, () => {
        leaving.delete(speakerUri);
        listener(speakerUri, "away");
      });
      leaving.set(speakerUri, cancel);
    },
    close() {
      for (const cancel of leaving.values()) cancel();
      leaving.clear();
    },
  };
}
