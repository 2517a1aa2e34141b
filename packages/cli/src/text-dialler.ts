import type { Dialler, DiallerOptions } from "@plenary/sdk";

/**
 * The way to words that somebody gives by URL. The URL is a stranger's and an agent may repeat what it finds there, so only
 * public https is read, and what the operator allows, on this machine too.
 */
export async function openTextDialler(allowed: Pick<DiallerOptions, "allowHosts" | "allowCidrs">): Promise<Dialler> {
  const { createDialler } = await import("@plenary/sdk");
  const limits = { firstByteMs: 5_000, silenceMs: 5_000, totalMs: 10_000, answerBytesMax: 65_536 };
  return createDialler({ ...allowed, mode: "production", limits });
}
