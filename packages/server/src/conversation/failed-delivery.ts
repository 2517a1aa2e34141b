import type { AnswerInput, DeliverEffect } from "@plenary/floor";
import type { Outcome } from "../ports/outbound.ts";
import type { FloorStore } from "../ports/store.ts";
import { reasonOf } from "./failure-text.ts";
import { isUnended } from "./log-tail.ts";
import { newsOfOthers } from "./news-of-others.ts";

type Sent = Pick<DeliverEffect, "delivery" | "turn" | "events" | "to">;

/** The input for the floor when a delivery failed. */
export async function failureInput(
  store: Pick<FloorStore, "entries">,
  conversationId: string,
  sent: Sent,
  ended: Outcome & { kind: "failure" },
): Promise<AnswerInput> {
  const { delivery, turn, events, to } = sent;
  const { failure, unsent } = ended;
  const isAboutOthers = newsOfOthers(events, to).length === events.length;
  const detail = reasonOf(ended, to.serviceUrl);
  // Another process that has the same store may have written it down already.
  const isNew = unsent !== undefined && (await isUnended(store, { conversationId, effect: sent }));
  return {
    kind: "answer",
    delivery,
    turn,
    failure,
    ...(isAboutOthers && { isAboutOthers }),
    ...(isNew && { unsent }),
    ...(detail !== undefined && { detail }),
  };
}
