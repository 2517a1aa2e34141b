// What a convener does, as events.
import { type EventOf, type Feature, grantFloor, revokeFloor, textUtterance } from "@plenary/protocol";
import type { Sight } from "./policy.ts";

export const grant = (speakerUri: string) => grantFloor({ to: { speakerUri } });

export const revoke = (speakerUri: string, reason: string) => revokeFloor({ to: { speakerUri }, reason });

type Whisper = { to: string; text: string; features?: Record<string, Feature> };

/** `count` tells it from what else is said at that moment: a chair counts what it says. */
export function whisper({ nowMs, self }: Sight, count: number, { to, text, features }: Whisper): EventOf<"utterance"> {
  return textUtterance(text, {
    ...{ speakerUri: self, id: idOf(nowMs, count), startTime: new Date(nowMs).toISOString() },
    ...{ to: { speakerUri: to, private: true }, ...(features && { features }) },
  });
}

function idOf(nowMs: number, count: number): string {
  return `de:chair-${nowMs.toString(36)}-${count}`;
}

/** Somebody's own words, in one line and short enough to be quoted to somebody else. */
export function quoted(text: string, charsMax = 200): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return line.length <= charsMax ? line : `${line.slice(0, charsMax - 1)}…`;
}
