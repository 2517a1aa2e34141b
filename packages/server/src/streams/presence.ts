import type { Clock } from "../ports/clock.ts";

/** Whether somebody looks on. Away is shown, it is never a `bye` (D36). */
export type PresenceListener = (speakerUri: string, state: "here" | "away") => void;

export type Presence = {
  isHere(speakerUri: string): boolean;
  came(speakerUri: string): void;
  went(speakerUri: string): void;
  close(): void;
};

export function createPresence(clock: Clock, awayMs: number, listener: PresenceListener): Presence {
  const streams = new Map<string, number>();
  const leaving = new Map<string, () => void>();
  return {
    isHere: (speakerUri) => streams.has(speakerUri) || leaving.has(speakerUri),
    came(speakerUri) {
      const before = streams.get(speakerUri) ?? 0;
      streams.set(speakerUri, before + 1);
      const stay = leaving.get(speakerUri);
      leaving.delete(speakerUri);
      stay?.();
      if (before === 0 && stay === undefined) listener(speakerUri, "here");
    },
    went(speakerUri) {
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
