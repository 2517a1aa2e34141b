import { type DeliverEffect, decide, type Entry, type Floor, seatOf } from "@plenary/floor";
import { isPrivate } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import { timeOf } from "../ports/clock.ts";
import type { Outcome } from "../ports/outbound.ts";
import { dedupeOf, type Plan, type Shell, takeTurn, unchanged } from "./commit.ts";
import { currentName } from "./conversation-view.ts";
import { lookUp } from "./facts.ts";

type Ended = Extract<Outcome, { kind: "envelope" | "failure" }>;

/**
 * A dead letter was sent again. The floor has long gone on without its answer, so what comes back counts as something
 * that conversant says of its own accord; what leads to nothing is a dead letter once more.
 */
export async function receiveRevived(
  shell: Shell,
  conversationId: string,
  effect: Pick<DeliverEffect, "delivery" | "to" | "events" | "sender">,
  ended: Ended,
): Promise<{ floor: Floor; entries: readonly Entry[] }> {
  const { delivery, to } = effect;
  const plan = async (floor: Floor | undefined): Promise<Plan> => {
    if (floor === undefined) throw new Problem("unknown-conversation");
    const at = timeOf(shell.clock);
    const settled = [delivery];
    const givenUp = (failure: string, detail: string): Plan => ({
      decision: unchanged(floor),
      settled,
      dead: [{ delivery, failure, detail, at }],
    });
    if (ended.kind === "failure") return givenUp(ended.failure, ended.detail);
    const { envelope, dialect, carried } = ended;
    if (envelope.events.length === 0) return { decision: unchanged(floor), settled };
    if (!isOneOf(floor, to.speakerUri, envelope.sender.speakerUri)) {
      return givenUp("refused", "the answer was signed by somebody else");
    }
    const facts = await lookUp(shell, floor, envelope);
    const answering = effect.events.some(isPrivate) && { whisperer: effect.sender.speakerUri };
    const decision = decide(floor, { kind: "envelope", envelope, dialect, carried, facts, ...answering }, at);
    const [refusal] = decision.refusals;
    if (decision.entries.length === 0 && refusal !== undefined) {
      return givenUp("refused", `the floor does not take what it answered: ${refusal.problem}`);
    }
    return { decision, ...dedupeOf(decision, envelope, facts), settled };
  };
  const taken = await takeTurn(shell, { conversationId, kind: "answer", delivery }, plan, { isAwaited: true });
  shell.revived.end(conversationId, delivery);
  return taken;
}

/** Whoever left, or never came, is still who it was. */
function isOneOf(floor: Floor, addressee: string, sender: string): boolean {
  const nameOf = (speakerUri: string) =>
    seatOf(floor, speakerUri)?.identification.speakerUri ?? currentName(floor, speakerUri);
  return nameOf(addressee) === nameOf(sender);
}
