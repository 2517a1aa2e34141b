import { acceptInvite, declineInvite, type Envelope, type FloorEvent, uninvite } from "@plenary/protocol";
import { type Call, ChannelError, exchange, type Line, toTarget } from "./channel-line.ts";

/** Where a target's delegation has led. */
export type Followed = {
  /** The one who is channeled from now on; absent: it did not come, and the target goes on. */
  line?: Line;
  /** What both had to say to it, in order. */
  answers: Envelope[];
};

/**
 * Spec 0.3: delegation can happen at any level. A target that invites another one is taken at its word: the newcomer, if it
 * comes, is channeled in its place. Undefined: it has invited nobody.
 */
export async function follow(line: Line, { events }: Envelope, call: Call): Promise<Followed | undefined> {
  const invitation = events.find((event) => event.eventType === "invite");
  const { serviceUrl, speakerUri } = invitation?.to ?? {};
  if (invitation === undefined || serviceUrl === undefined) return undefined;
  const next: Line = { id: line.id, target: { serviceUrl, ...(speakerUri !== undefined && { speakerUri }) } };
  const welcome = await exchange(next, [invitation], call).catch(refusalOf);
  const asNext = { ...call, self: { speakerUri: next.target.speakerUri ?? serviceUrl, serviceUrl } };
  const to = toTarget(line);
  const refusal = "refusal" in welcome ? welcome.refusal : welcome.events.find(isRefusal);
  const hasLeft = events.some(({ eventType }) => eventType === "bye");
  if ("refusal" in welcome || refusal !== undefined) {
    const reason = refusal?.reason === undefined ? {} : { reason: refusal.reason };
    return { answers: hasLeft ? [] : [await exchange(line, [declineInvite({ to, ...reason })], asNext)] };
  }
  const parting = hasLeft ? undefined : await exchange(line, [acceptInvite({ to })], asNext).catch(nobody);
  if (parting?.events.some(({ eventType }) => eventType === "bye") === false) {
    await exchange(line, [uninvite({ to })], call).catch(nobody);
  }
  return { line: next, answers: parting === undefined ? [welcome] : [welcome, parting] };
}

function isRefusal({ eventType }: FloorEvent): boolean {
  return eventType === "declineInvite";
}

function refusalOf(error: unknown): { refusal: FloorEvent } {
  if (!(error instanceof ChannelError)) throw error;
  return { refusal: declineInvite({ reason: error.code === "unreachable" ? "@unavailable" : "@error" }) };
}

/** Whoever has handed over need not be there any longer. */
function nobody(error: unknown): undefined {
  if (!(error instanceof ChannelError)) throw error;
}
