import { Problem } from "../errors.ts";

/** `host`: may create conversations and use the host interface (D26). */
export type Scope = "host";

/** The authenticated caller of a request. Every kind of credential ends in one of these. */
export type Principal = {
  /** One per credential; key of idempotency and rate limits. */
  id: string;
  kind: "operator" | "person" | "agent" | "guest" | "recipient";
  /** The operator is the trust root and may speak for anyone; entries say so (D33). */
  speakers: "anyone" | readonly string[];
  scopes: readonly Scope[];
  /** The only conversations that a guest may use. */
  conversations?: readonly string[];
  /** When the credential expires; open streams are checked again then. */
  untilMs?: number;
  /** For display only. */
  label?: string;
};

export const operator: Principal = { id: "operator", kind: "operator", speakers: "anyone", scopes: ["host"] };

/**
 * An agent without a credential that answers a delivery in a later request. It proves itself by the id of the delivery,
 * which only it received, and may do nothing else (D22).
 */
export function recipientOf(inReplyTo: string): Principal {
  return { id: `recipient ${inReplyTo}`, kind: "recipient", speakers: "anyone", scopes: [] };
}

export function isOperator({ kind }: Principal): boolean {
  return kind === "operator";
}

/** Marks envelopes sent with the credential of the operator or of an agent. */
export function viaOf({ kind }: Principal): { via?: "operator" | "agent" } {
  return kind === "operator" || kind === "agent" ? { via: kind } : {};
}

export function mayHost(principal: Principal): boolean {
  return principal.scopes.includes("host");
}

/** The sender rule: a caller speaks only as the speakers that its credential is bound to. */
export function assertSpeaker(principal: Principal, speakerUri: string): void {
  if (maySpeakAs(principal, speakerUri)) return;
  throw new Problem("forbidden-speaker", { detail: `this credential is not bound to ${JSON.stringify(speakerUri)}` });
}

function maySpeakAs({ speakers }: Principal, speakerUri: string): boolean {
  return speakers === "anyone" || speakers.includes(speakerUri);
}

/** A credential that is bound to conversations cannot see others. */
export function assertConversation({ conversations }: Principal, conversationId: string): void {
  if (conversations === undefined || conversations.includes(conversationId)) return;
  throw new Problem("unknown-conversation");
}
