import { bye, type EventOf, type FloorEvent, isSameUri, requestFloor, yieldFloor } from "@plenary/protocol";
import { addressedTo, type HandlerContext, isUtterance, ownUtterance, type ReceiveContext } from "./context.ts";
import type { PendingDelegation } from "./conversation-memory.ts";
import { handlerInput } from "./handler-input.ts";
import { runHandler } from "./run-handler.ts";

const notJoinedText = "They cannot join us at the moment. I am still here.";

/** `isDone`: the invited agent has joined. Its greeting, which may be addressed to this agent, is not answered. */
export type HandOverResult = { events: FloorEvent[]; isDone: boolean };

const nothing: HandOverResult = { events: [], isDone: false };

/**
 * Our choice: an agent that delegates gives up the floor, or leaves, only after the invited agent has joined. After a
 * refusal, a convener's veto or a server error it continues the conversation itself, so no person is left alone.
 */
export async function handOver<State>(context: HandlerContext<State>): Promise<HandOverResult> {
  const pending = pendingDelegation(context);
  if (pending === undefined) return nothing;
  const refusal = context.envelope.events.find(isRefusal);
  if (refusal === undefined && context.envelope.events.length === 0) return nothing;
  context.memory.delegations.delete(pending.to.serviceUrl);
  if (refusal !== undefined) return { events: await resumeConversation(pending, refusal, context), isDone: false };
  const { farewell, afterwards = "yield", asker } = pending;
  if (afterwards === "yield") {
    context.memory.hasFloor = false;
    return { events: [yieldFloor({ reason: "@complete" })], isDone: true };
  }
  const words = farewell === undefined || farewell === "" ? [] : [ownUtterance(farewell, asker.to, context)];
  return { events: [...words, bye()], isDone: true };
}

function isRefusal(event: FloorEvent): event is EventOf<"declineInvite"> {
  return event.eventType === "declineInvite";
}

/** The delegation to the sender of this envelope, found by its address or by the speakerUri of the invite. */
function pendingDelegation(context: ReceiveContext): PendingDelegation | undefined {
  const { sender, events } = context.envelope;
  const all = context.memory.delegations.entries().map(([, pending]) => pending);
  const named = all.find(({ to }) => {
    const mine = [to.serviceUrl, to.speakerUri].filter((uri) => uri !== undefined);
    return [sender.serviceUrl, sender.speakerUri].some((uri) => mine.some((other) => isSameUri(other, uri ?? "")));
  });
  // Some floors send no addresses. There an answer to our invite matches if there is only one delegation.
  const isAnswer = ({ eventType }: FloorEvent) => eventType === "acceptInvite" || eventType === "declineInvite";
  const isOurs = events.some((event) => isAnswer(event) && addressedTo(event, context) === "me");
  return named ?? (isOurs && sender.serviceUrl === undefined && all.length === 1 ? all[0] : undefined);
}

async function resumeConversation<State>(
  { otherwise = notJoinedText, asker }: PendingDelegation,
  event: EventOf<"declineInvite">,
  context: HandlerContext<State>,
): Promise<FloorEvent[]> {
  const incoming = { event, isAddressed: true, ...(asker.to && { replyTo: asker.to }) };
  const answer = typeof otherwise === "string" ? () => otherwise : otherwise;
  const said = await runHandler(answer, handlerInput(incoming, context), incoming, context);
  return context.memory.hasFloor || !said.some(isUtterance) ? said : [requestFloor(), ...said];
}
