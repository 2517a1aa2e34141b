import { type EventOf, type EventType, isSameUri } from "@plenary/protocol";
import { addressedTo, type HandlerContext, isMe, type ReceiveContext } from "./context.ts";
import { listedName, originOf } from "./speakers.ts";

/**
 * Whether this agent is the convener, by the roles in the envelope. Where the floor publishes no convener, an agent that
 * offers the role is it if it accepted an invite that expects the role, or if the floor publishes no roles at all.
 */
export function isConvener(context: ReceiveContext): boolean {
  const { assignedFloorRoles = {} } = context.envelope.conversation;
  const { convener = [] } = assignedFloorRoles;
  if (convener.length > 0) return convener.some((speakerUri) => isMe(speakerUri, context));
  // A Plenary floor always sets `isDelegated` and publishes its convener.
  const isElsewhere = context.isDelegated === undefined;
  const offers = context.settings.manifest.identification.openFloorRoles?.convener === true;
  if (!isElsewhere || !offers || context.memory.hasLeft) return false;
  return context.memory.isExpectedToConvene || Object.keys(assignedFloorRoles).length === 0;
}

const alwaysDelegated: readonly EventType[] = ["invite", "uninvite", "requestFloor", "grantFloor", "revokeFloor"];

/**
 * Our choice: a floor that sends no `isDelegated` is assumed to follow the table of section 2.2, which sends a delegated
 * event alone. If such a floor names no convener, an event addressed to this agent is not delegated: it has taken effect.
 */
function isDelegatedByTable(context: ReceiveContext): boolean {
  const { events, conversation } = context.envelope;
  const [event, another] = events;
  if (event === undefined || another !== undefined) return false;
  if (event.eventType === "utterance") return isWithoutFloor(event, context);
  if (!alwaysDelegated.includes(event.eventType)) return false;
  const isNamed = (conversation.assignedFloorRoles?.convener ?? []).length > 0;
  const addressee = addressedTo(event, context);
  // An invite to this agent is the invite of the convener itself, and the floor already lists its role.
  if (isNamed) return event.eventType !== "invite" || addressee === "other";
  return event.eventType === "requestFloor" || addressee === "other";
}

/**
 * The table delegates utterances of conversants without the floor. A speaker that is not listed cannot lose the floor:
 * such floors always let people speak, and send their convener a copy.
 */
function isWithoutFloor(event: EventOf<"utterance">, { envelope }: ReceiveContext): boolean {
  const { sender, conversation } = envelope;
  const { conversants = [], floorGranted } = conversation;
  const speakerUri = originOf(event, sender.speakerUri, conversation);
  const isUnlisted = conversants.length > 0 && listedName(speakerUri, conversation) === undefined;
  if (floorGranted === undefined || isUnlisted) return false;
  return !floorGranted.some((one) => isSameUri(listedName(one, conversation) ?? one, speakerUri));
}

/** Whether the floor asks this agent for a decision and a handler makes it. */
export function isDelegation<State>(context: HandlerContext<State>): boolean {
  if (context.handlers.onDelegated === undefined || !isConvener(context)) return false;
  return context.isDelegated ?? isDelegatedByTable(context);
}
