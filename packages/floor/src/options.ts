/** Rules and limits of a conversation. */
export type FloorOptions = {
  /** `guarded` only adds refusals to `spec` (D13). */
  policy: "guarded" | "spec";
  /** Spec 2.2 reads as a table that is enforced; 0.4.3 calls the floor advisory. Both can be had. */
  floorEnforcement: "table" | "advisory";
  onConvenerFailure: "open" | "closed";
  convenerDeadlineMs: number;
  requestHeldMs: number;
  turnDepthMax: number;
  turnAgentEventsMax: number;
  sameTextMax: number;
  missesMax: number;
  conversantsMax: number;
  convenerEventsMax: number;
  /** Quotas of an agent, the convener too, for each turn. */
  turnInvitesMax: number;
  turnUninvitesMax: number;
  /** getManifests and publishManifests together. */
  turnManifestsMax: number;
  /** Whether a newcomer sees what was said before it joined. Whispers are never shown. */
  newcomersSee: "fromJoin" | "everything";
  /** How a public answer to a private utterance is treated; by default, under the policy `guarded`, it is private (D13'). */
  whisperAnswers?: "private" | "asWritten";
  /** Whether guests may remove and silence agents that the owner invited; by default they may not (D13'). */
  guestsMay?: "speak" | "moderate";
  /** The time limit for an agent's answer; absent: the server's own limit (D23'). */
  agentTimeoutMs?: number;
  /** The serviceUrl of the agent that becomes convener when it joins (D12). */
  convener?: string;
  /** The serviceUrl of the agent invited back when the last agent leaves (D20). */
  favoriteAgent?: string;
  /** Of a sub-floor: the conversation it serves (D34). */
  parent?: string;
  /** The title of the conversation. */
  title?: string;
};
export const defaultOptions: FloorOptions = {
  policy: "guarded",
  floorEnforcement: "table",
  onConvenerFailure: "open",
  convenerDeadlineMs: 10000,
  requestHeldMs: 60000,
  turnDepthMax: 16,
  turnAgentEventsMax: 64,
  sameTextMax: 3,
  missesMax: 3,
  conversantsMax: 64,
  convenerEventsMax: 32,
  turnInvitesMax: 8,
  turnUninvitesMax: 8,
  turnManifestsMax: 16,
  newcomersSee: "fromJoin",
};
