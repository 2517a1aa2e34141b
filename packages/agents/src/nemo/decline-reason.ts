import { NemoError } from "@plenary/nemo";
import { DialError } from "@plenary/sdk";

/** Spec 1.15: a token and words. Nobody was there, or nobody who could serve just now, or somebody who said no. */
export function declineReason(error: unknown, hasProof: boolean): string {
  if (isRefusal(error)) {
    return `@error the workflow ${hasProof ? "does not accept my credential" : "does not let me in"}`;
  }
  const cause = error instanceof NemoError ? error.cause : undefined;
  if (!(cause instanceof DialError)) return "@error the workflow could not be asked";
  const { code, status } = cause;
  if (code === "unreachable" || code === "timeout") return "@unavailable the workflow cannot be reached";
  if (status === undefined) return "@error the workflow cannot be reached";
  if (away.has(status)) return "@unavailable the workflow cannot serve just now";
  return `@error the workflow is not served there: the answer was ${status}`;
}

/** It wants another credential, or any at all. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof NemoError)) return false;
  const { code, cause } = error;
  return code === "refused" || (cause instanceof DialError && (cause.status === 401 || cause.status === 403));
}

/** Too many requests, and what stands before a server that is down. */
const away: ReadonlySet<number> = new Set([429, 502, 503, 504]);
