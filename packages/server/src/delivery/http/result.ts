import type { Failure } from "@plenary/floor";
import type { DecodeContext } from "../../conversation/decode.ts";
import type { DeliveryLimits } from "../../limits.ts";
import type { Dialler } from "../../ports/dialler.ts";
import type { FloorIdentity, Outcome } from "../../ports/outbound.ts";

export type HttpOptions = DecodeContext & {
  dialler: Dialler;
  limits: DeliveryLimits;
  self: () => FloorIdentity;
  deliverySecret: () => string;
  /** The signing secrets for this address, newest first; at most two are used. Unsigned when there are none. */
  secretsFor?: (serviceUrl: string) => readonly string[] | Promise<readonly string[]>;
};

/** What an attempt says about the target, independent of the delivery. */
export type Health = "alive" | "failing" | "unknown";

/** The result of one POST: an end, a reason to try an older dialect, or a reason to retry. */
export type Result = { health: Health } & (
  | { kind: "end"; outcome: Outcome }
  | DialectRejected
  /** An envelope of a peer that may not have understood: used when no other dialect gives a better result. */
  | { kind: "doubtful"; outcome: Outcome & { kind: "envelope" } }
  | { kind: "again"; afterMs?: number; detail: string; code?: string; excerpt?: string }
);

type DialectRejected = {
  kind: "misunderstood";
  failure: Failure;
  detail: string;
  code: string;
  excerpt?: string;
  /** The status says that the request was not processed. */
  isRefused?: true;
};

export type FinalResult = Exclude<Result, { kind: "again" }>;

export const aborted: FinalResult = { kind: "end", outcome: { kind: "aborted" }, health: "unknown" };

type Reason = { code?: string | undefined; detail: string; excerpt?: string };

export function failed(failure: Failure, { code, detail, excerpt }: Reason, health: Health): FinalResult {
  const more = { ...(code !== undefined && { code }), ...(excerpt !== undefined && { excerpt }) };
  return { kind: "end", outcome: { kind: "failure", failure, detail, ...more }, health };
}
