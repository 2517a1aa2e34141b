import { hash } from "node:crypto";

/** Each row of a log vouches for all before it. It covers the digest of what was said, not the words (D35). */
export type ChainLink = { digest: string; chain: string };

/** Vouches for an event as it was said, by its hash, and for what is left of it when it is erased, in full. */
export function leafOf(said: string, left: string): string {
  return sha256(`${said} ${left}`);
}

export function digestOf(leaves: readonly string[]): string {
  return sha256(leaves.join(" "));
}

/** A log cannot be passed off as that of another conversation. */
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
