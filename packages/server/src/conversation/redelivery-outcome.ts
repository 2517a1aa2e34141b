import { type DeliverEffect, decide, type Entry, type Floor, seatOf } from "@plenary/floor";
import { isPrivate } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import { timeOf } from "../ports/clock.ts";
import type { EndedOutcome } from "../ports/outbound.ts";
import { commitInput, type PlannedChange, type ReceiveContext, unchanged } from "./commit.ts";
import { dedupeOf } from "./dedupe.ts";
import { lookUp } from "./facts.ts";
import { currentName } from "./visibility.ts";

/**
 * A dead letter was sent again. The floor no longer waits for its answer, so an answer counts as an unsolicited envelope
 * of that conversant; after a failure the delivery is a dead letter again.
 */
export async function receiveRedelivery(
  context: ReceiveContext,
  conversationId: string,
  effect: Pick<DeliverEffect, "delivery" | "to" | "events" | "sender">,
  ended: EndedOutcome,
): Promise<{ floor: Floor; entries: readonly Entry[] }> {
  const { delivery, to } = effect;
  const plan = async (floor: Floor | undefined): Promise<PlannedChange> => {
    if (floor === undefined) throw new Problem("unknown-conversation");
    const at = timeOf(context.clock);
    const settled = [delivery];
    const givenUp = (failure: string, detail: string): PlannedChange => ({
      decision: unchanged(floor),
      settled,
      dead: [{ delivery, failure, detail, at }],
    });
    if (ended.kind === "failure") return givenUp(ended.failure, ended.detail);
    const { envelope, dialect, carried } = ended;
    if (envelope.events.length === 0) return { decision: unchanged(floor), settled };
    if (!isOneOf(floor, to.speakerUri, envelope.sender.speakerUri)) {
      return givenUp("refused", "the answer came from another sender");
    }
    const facts = await lookUp(context, floor, envelope);
    const answering = effect.events.some(isPrivate) && { whisperer: effect.sender.speakerUri };
    const decision = decide(floor, { kind: "envelope", envelope, dialect, carried, facts, ...answering }, at);
    const [refusal] = decision.refusals;
    if (decision.entries.length === 0 && refusal !== undefined) {
      return givenUp("refused", `the floor refused the answer: ${refusal.problem}`);
    }
    return { decision, ...dedupeOf(decision, envelope, facts), settled };
  };
  const committed = await commitInput(context, { conversationId, kind: "answer", delivery }, plan, { isAwaited: true });
  context.redeliveries.end(conversationId, delivery);
  return committed;
}

/** Also compares conversants without a seat, by their current names. */
function isOneOf(floor: Floor, addressee: string, sender: string): boolean {
  const nameOf = (speakerUri: string) =>
    seatOf(floor, speakerUri)?.identification.speakerUri ?? currentName(floor, speakerUri);
  return nameOf(addressee) === nameOf(sender);
}
