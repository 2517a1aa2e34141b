import { acceptInvite, declineInvite, type EventOf, type FloorEvent, utterance } from "@plenary/protocol";
import {
  addressedTo,
  type HandlerContext,
  type IncomingEvent,
  incomingEvent,
  isMe,
  isUtterance,
  ownUtterance,
  publicReplyTo,
  type ReceiveContext,
} from "./context.ts";
import { handlerInput } from "./handler-input.ts";
import { tryHandler } from "./run-handler.ts";

/** `isComplete`: the utterances that came with the invite need no further answer. */
export type InviteAnswer = { events: FloorEvent[]; isComplete: boolean };

/** Spec 2.1: accept and greet, or decline with a reason. */
export async function acceptOrDecline<State>(
  invitation: EventOf<"invite">,
  along: readonly IncomingEvent<EventOf<"utterance">>[],
  context: HandlerContext<State>,
): Promise<InviteAnswer> {
  const incoming = incomingEvent(invitation, context);
  const to = { speakerUri: context.envelope.sender.speakerUri };
  const { expectedFloorRoles = [] } = invitation.parameters ?? {};
  if (!offersRoles(expectedFloorRoles, context)) return declined([declineInvite({ to, reason: "@roleRejected" })]);
  let isComplete = false;
  const takeUtterances = () => {
    isComplete = true;
    return along.map(({ event }) => event);
  };
  const said = await tryHandler(
    context.handlers.onInvite,
    { ...handlerInput(incoming, context), takeUtterances },
    incoming,
    context,
  );
  if (said === undefined) return declined([declineInvite({ to, reason: "@error" })]);
  if (said.some(({ eventType }) => eventType === "declineInvite")) return declined(said);
  // 1.1.1: an agent that accepts takes the roles that the invite expects.
  context.memory.isExpectedToConvene ||= expectedFloorRoles.includes("convener");
  const accepts = said.some(({ eventType }) => eventType === "acceptInvite") ? [] : [acceptInvite({ to })];
  const greeting = said.length > 0 ? said : greetingOf(incoming, context);
  return { events: [...accepts, ...greeting], isComplete };
}

function declined(events: FloorEvent[]): InviteAnswer {
  return { events, isComplete: true };
}

function offersRoles(expected: readonly string[], { settings }: ReceiveContext): boolean {
  const offered = settings.manifest.identification.openFloorRoles ?? {};
  return expected.every((role) => offered[role] === true);
}

function greetingOf({ replyTo }: IncomingEvent, context: ReceiveContext): FloorEvent[] {
  const { greeting, manifest } = context.settings;
  if (greeting === false || greeting === "") return [];
  const { conversationalName: name } = manifest.identification;
  return [ownUtterance(greeting ?? `Hello, I am ${name}. How can I help?`, replyTo, context)];
}

/**
 * Spec 2.1: an invited agent answers the utterances that came with the invite. Utterances to this agent are preferred, then
 * the last one of the history, then public ones: beside a history those say "I'll pass you over" (figure 16).
 */
export function utterancesWithInvite(
  invitation: EventOf<"invite">,
  events: readonly FloorEvent[],
  context: ReceiveContext,
): IncomingEvent<EventOf<"utterance">>[] {
  const said = events.filter(isUtterance).map((event) => ({ event, addressee: addressedTo(event, context) }));
  const toMe = said.filter(({ addressee }) => addressee === "me").map(({ event }) => eventWithInvite(event, context));
  if (toMe.length > 0) return toMe;
  const last = invitation.parameters?.dialogHistory?.at(-1);
  if (last !== undefined) {
    if (isMe(last.speakerUri, context)) return [];
    const event = utterance(last);
    return [{ event, isAddressed: true, isWithInvite: true, ...publicReplyTo(last.speakerUri, context) }];
  }
  const toAll = said.filter(({ addressee }) => addressee === "all").map(({ event }) => event);
  return toAll.map((event) => ({ ...incomingEvent(event, context), isAddressed: false, isWithInvite: true }));
}

// 0.9.3 figure 13: the whisper beside an invite contains the request of the user, and the user waits for the answer.
function eventWithInvite(event: EventOf<"utterance">, context: ReceiveContext): IncomingEvent<EventOf<"utterance">> {
  const incoming = context.dialect === "0.9" ? { event, isAddressed: true } : incomingEvent(event, context);
  return { ...incoming, isWithInvite: true };
}
