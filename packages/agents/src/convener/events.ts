import { type EventOf, type Feature, grantFloor, revokeFloor, textUtterance } from "@plenary/protocol";
import type { FloorView } from "./policy.ts";

export const grant = (speakerUri: string) => grantFloor({ to: { speakerUri } });

export const revoke = (speakerUri: string, reason: string) => revokeFloor({ to: { speakerUri }, reason });

type WhisperOptions = { to: string; text: string; features?: Record<string, Feature> };

/** `count` makes the id unique among whispers of the same millisecond: each policy counts its whispers. */
export function whisper(
  { nowMs, self }: FloorView,
  count: number,
  { to, text, features }: WhisperOptions,
): EventOf<"utterance"> {
  return textUtterance(text, {
    speakerUri: self,
    id: `de:chair-${nowMs.toString(36)}-${count}`,
    startTime: new Date(nowMs).toISOString(),
    to: { speakerUri: to, private: true },
    ...(features && { features }),
  });
}

/** One line, short enough to be quoted to another conversant. */
export function quoted(text: string, charsMax = 200): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return line.length <= charsMax ? line : `${line.slice(0, charsMax - 1)}…`;
}
