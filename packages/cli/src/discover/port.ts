import type { Discovery } from "@plenary/server";

/** People wait for it while they type. */
const patience = { timeoutMs: 6_000, answerMs: 3_000 };

/** How a floor looks for agents: as everybody else does, with its own ways to reach them. */
export async function openDiscovery(): Promise<Discovery> {
  const { discover } = await import("@plenary/sdk");
  return { discover: (need, means) => discover(need, { ...means, ...patience }) };
}
