import type { Failure } from "@plenary/floor";
import type { Desk } from "../../conversation/decode.ts";
import type { Dialler } from "../../ports/dialler.ts";
import type { Outcome, Self } from "../../ports/outbound.ts";
import type { DeliveryLimits } from "../limits.ts";

export type Post = Desk & {
  dialler: Dialler;
  limits: DeliveryLimits;
  self: () => Self;
  deliverySecret: () => string;
  /** What requests to this address are signed with, the newest first; at most two. Unsigned when there are none. */
  secretsFor?: (serviceUrl: string) => readonly string[] | Promise<readonly string[]>;
};

/** What an attempt says about its target, whatever it says about the delivery. */
export type Health = "alive" | "failing" | "unknown";

/** What one POST led to: an end, a reason to try an older dialect, or a reason to try again. */
export type Result = { health: Health } & (
  | { kind: "end"; outcome: Outcome }
  | Misunderstood
  /** An envelope such as somebody sends who did not understand: it counts when no other dialect leads to more. */
  | { kind: "doubtful"; outcome: Outcome & { kind: "envelope" } }
  | { kind: "again"; afterMs?: number; detail: string; code?: string; excerpt?: string }
);

type Misunderstood = {
  kind: "misunderstood";
  failure: Failure;
  detail: string;
  code: string;
  excerpt?: string;
  /** The status says that nothing was done with the request. */
  isRefused?: true;
};

export type Final = Exclude<Result, { kind: "again" }>;

export const aborted: Final = { kind: "end", outcome: { kind: "aborted" }, health: "unknown" };

type Reason = { code?: string | undefined; detail: string; excerpt?: string };

export function failed(failure: Failure, { code, detail, excerpt }: Reason, health: Health): Final {
  const more = { ...(code !== undefined && { code }), ...(excerpt !== undefined && { excerpt }) };
  return { kind: "end", outcome: { kind: "failure", failure, detail, ...more }, health };
}
