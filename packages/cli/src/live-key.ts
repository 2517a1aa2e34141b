import type { SurveyedKey } from "@plenary/server";

/** Neither revoked nor past its time. */
export function isLiveKey({ revokedAt, expiresAt }: SurveyedKey, now: string): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}
