import { hash } from "node:crypto";

/** Hash chain over the rows of a log. It covers the digest of the events, not their text, so text can be erased (D35). */
export type ChainLink = { digest: string; chain: string };

/** Covers the hash of the event and the full text that is left when it is erased. */
export function leafOf(eventHash: string, scrubbedText: string): string {
  return sha256(`${eventHash} ${scrubbedText}`);
}

export function digestOf(leaves: readonly string[]): string {
  return sha256(leaves.join(" "));
}

/** The chain starts with the conversation id, so a log cannot be used for another conversation. */
export function rootOf(conversationId: string): string {
  return sha256(conversationId);
}

export function linkOf(before: string, { entries, leaves }: { entries: string; leaves: readonly string[] }): ChainLink {
  const digest = digestOf(leaves);
  return { digest, chain: chainOf(before, digest, entries) };
}

export function chainOf(before: string, digest: string, entries: string): string {
  return sha256(`${before} ${digest} ${entries}`);
}

export function sha256(text: string): string {
  return hash("sha256", text, "base64url");
}
