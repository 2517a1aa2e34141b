import { NemoError } from "@plenary/nemo";
import { DialError } from "@plenary/sdk";

/** Spec 1.15: a token and a text. @unavailable: the server is unreachable or overloaded. @error: it refused. */
export function declineReason(error: unknown, hasProof: boolean): string {
  if (isCredentialRejected(error)) {
    return `@error the workflow ${hasProof ? "does not accept my credential" : "requires a credential"}`;
  }
  const cause = error instanceof NemoError ? error.cause : undefined;
  if (!(cause instanceof DialError)) return "@error the request to the workflow failed";
  const { code, status } = cause;
  if (code === "unreachable" || code === "timeout") return "@unavailable the workflow cannot be reached";
  if (status === undefined) return "@error the workflow cannot be reached";
  if (away.has(status)) return "@unavailable the workflow is temporarily unavailable";
  return `@error there is no workflow at this address: the server answered ${status}`;
}

/** The server wants another credential, or any at all. */
export function isCredentialRejected(error: unknown): boolean {
  if (!(error instanceof NemoError)) return false;
  const { code, cause } = error;
  return code === "refused" || (cause instanceof DialError && (cause.status === 401 || cause.status === 403));
}

/** Too many requests, and the errors of a proxy in front of a server that is down. */
const away: ReadonlySet<number> = new Set([429, 502, 503, 504]);
