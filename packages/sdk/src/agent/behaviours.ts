import { type DialogEvent, type EventOf, type FloorEvent, isOwnName, requestFloor, textOf } from "@plenary/protocol";
import {
  addressedTo,
  type HandlerContext,
  type IncomingEvent,
  incomingEvent,
  isMe,
  isUtterance,
  type ReceiveContext,
  speakerOf,
} from "./context.ts";
import { isConvener, isDelegation } from "./convener.ts";
import { clearMemory, createConversationMemory, stopOtherAnswers } from "./conversation-memory.ts";
import { rememberUtterances } from "./delegation.ts";
import { handOver } from "./hand-over.ts";
import { handlerInput } from "./handler-input.ts";
import type { Handler, HandlerInput, UtteranceInput } from "./handlers.ts";
import { interactionReplyOf } from "./interaction.ts";
import { acceptOrDecline, utterancesWithInvite } from "./invitation.ts";
import { withLinkedText } from "./linked-text.ts";
import { answerForAnotherSpeaker, answerGetManifests, isTask } from "./manifests.ts";
import { runHandler } from "./run-handler.ts";

/** Spec 2.1: the minimal behaviours of an agent. The handlers replace or extend them. */
export async function answerEnvelope<State>(context: HandlerContext<State>): Promise<FloorEvent[]> {
  // Our choice: an agent does not answer its own envelopes, even if a floor sends them back.
  if (isOwnName(context.envelope.sender.speakerUri, context.self)) return [];
  observeSpeakers(context);
  if (isDelegation(context)) return answerDelegated(context);
  const events = (await eventsAfterRemoval(context)).filter((event) => !isEcho(event, context));
  const invitation = events.findLast((event) => isInvitation(event, context));
  if (invitation !== undefined) joinConversation(invitation, context);
  if (context.memory.hasLeft) return [];
  updateFloor(context);
  const answers = invitation === undefined ? [] : await answerInvite(invitation, events, context);
  const handedOver = await handOver(context);
  for (const event of handedOver.isDone ? [] : events) {
    if (!isAnsweredElsewhere(event, events, context, invitation)) answers.push(...(await answerEvent(event, context)));
  }
  answers.push(...handedOver.events);
  rememberUtterances([...events, ...answers], context.memory);
  applyOwnEvents(answers, context);
  return answers;
}

/** A floor that relays in its own name may send an agent its own utterances. */
function isEcho(event: FloorEvent, context: ReceiveContext): boolean {
  return (
    isUtterance(event) && isMe(event.parameters.dialogEvent.speakerUri, context) && addressedTo(event, context) !== "me"
  );
}

function observeSpeakers(context: ReceiveContext): void {
  for (const event of context.envelope.events) {
    if (isInvitation(event, context) || isEcho(event, context)) continue;
    context.memory.speakers.observe(event, speakerOf(event, context));
  }
}

/** Runs `onUninvite`. Events before the removal need no answer. */
async function eventsAfterRemoval<State>(context: HandlerContext<State>): Promise<FloorEvent[]> {
  const { events } = context.envelope;
  const isRemoval = (event: FloorEvent) => event.eventType === "uninvite" && addressedTo(event, context) !== "other";
  const at = events.findLastIndex(isRemoval);
  const removal = events[at];
  if (removal?.eventType !== "uninvite") return events;
  stopOtherAnswers(context.memory, context.stop, "uninvited");
  await callHandler(context.handlers.onUninvite, removal, context);
  clearMemory(context.memory, context.newState);
  return events.slice(at + 1);
}

function isInvitation(event: FloorEvent, context: ReceiveContext): event is EventOf<"invite"> {
  return event.eventType === "invite" && addressedTo(event, context) !== "other";
}

function joinConversation<State>(
  { to }: EventOf<"invite">,
  { memory, self, newState, envelope }: HandlerContext<State>,
): void {
  if (memory.hasLeft) Object.assign(memory, createConversationMemory(newState));
  memory.speakers.setInviter(envelope.sender.speakerUri);
  memory.hasFloor = true;
  if (to?.speakerUri !== undefined && to.speakerUri !== self.speakerUri) memory.alias = to.speakerUri;
}

/** Spec 1.6.3: `floorGranted` lists who has the floor. It says nothing when it is absent or when we are not listed as a conversant. */
function updateFloor(context: ReceiveContext): void {
  const { conversants, floorGranted } = context.envelope.conversation;
  if (floorGranted === undefined) return;
  const isListed = conversants?.some(({ identification }) => isMe(identification.speakerUri, context)) !== false;
  // Spec 2.2: a floor passes on what the convener says, with or without the floor.
  if (isListed) context.memory.hasFloor = floorGranted.some((one) => isMe(one, context)) || isConvener(context);
}

async function answerInvite<State>(
  invitation: EventOf<"invite">,
  events: readonly FloorEvent[],
  context: HandlerContext<State>,
): Promise<FloorEvent[]> {
  const along = utterancesWithInvite(invitation, events, context);
  const { events: answers, isComplete } = await acceptOrDecline(invitation, along, context);
  for (const incoming of isComplete ? [] : along) {
    answers.push(...(await answerUtterance(incoming, context, invitation.parameters?.dialogHistory)));
  }
  return answers;
}

/** The invite, the utterances that came with it, and the task utterances beside a getManifests event. */
function isAnsweredElsewhere(
  event: FloorEvent,
  events: readonly FloorEvent[],
  context: ReceiveContext,
  invitation: FloorEvent | undefined,
): boolean {
  if (invitation !== undefined) {
    if (isInvitation(event, context)) return true;
    return isUtterance(event) && addressedTo(event, context) !== "other";
  }
  const isQuestion = (other: FloorEvent) =>
    other.eventType === "getManifests" && addressedTo(other, context) !== "other";
  return events.some(isQuestion) && isTask(event, context);
}

async function answerEvent<State>(event: FloorEvent, context: HandlerContext<State>): Promise<FloorEvent[]> {
  const { handlers, memory } = context;
  const addressee = addressedTo(event, context);
  if (addressee === "other") {
    const unknown = event.eventType === "getManifests" ? await answerForAnotherSpeaker(event, context) : [];
    return [...unknown, ...(await overhear(event, context))];
  }
  switch (event.eventType) {
    case "utterance":
      if (addressee === "all" && !memory.hasFloor) return overhear(event, context);
      return answerUtterance(incomingEvent(event, context), context);
    case "getManifests":
      return answerGetManifests(event, context);
    case "grantFloor":
      memory.hasFloor = true;
      return callHandler(handlers.onGrant, event, context);
    case "revokeFloor":
      memory.hasFloor = false;
      stopOtherAnswers(memory, context.stop, "the floor was revoked");
      await callHandler(handlers.onRevoke, event, context);
      return [];
    case "invite":
    case "uninvite":
    case "acceptInvite":
    case "declineInvite":
    case "bye":
    case "publishManifests":
    case "requestFloor":
    case "yieldFloor":
      return callHandler(handlers.onEvent, event, context);
  }
}

/** Runs a handler that needs nothing but the event. */
function callHandler<State, Event extends FloorEvent>(
  handler: Handler<HandlerInput<State, Event>> | undefined,
  event: Event,
  context: HandlerContext<State>,
): Promise<FloorEvent[]> {
  const incoming = incomingEvent(event, context);
  return runHandler(handler, handlerInput(incoming, context), incoming, context);
}

async function overhear<State>(event: FloorEvent, context: HandlerContext<State>): Promise<FloorEvent[]> {
  const said = await callHandler(context.handlers.onOverheard, event, context);
  return context.memory.hasFloor ? said : said.filter((other) => !isUtterance(other));
}

async function answerUtterance<State>(
  said: IncomingEvent<EventOf<"utterance">>,
  context: HandlerContext<State>,
  history = context.history,
): Promise<FloorEvent[]> {
  const incoming = await withLinkedText(said, context);
  const answers = "answer" in incoming ? incoming.answer : await callOnUtterance(incoming, context, history);
  const asks = answers.some(({ eventType }) => eventType === "requestFloor");
  // D7: an addressed agent without the floor may answer, and requests the floor in the same envelope.
  return context.memory.hasFloor || asks || !answers.some(isUtterance) ? answers : [requestFloor(), ...answers];
}

function callOnUtterance<State>(
  incoming: IncomingEvent<EventOf<"utterance">>,
  context: HandlerContext<State>,
  history: readonly DialogEvent[],
): Promise<FloorEvent[]> {
  const { memory, handlers } = context;
  const { dialogEvent } = incoming.event.parameters;
  const speakerUri = speakerOf(incoming.event, context);
  const text = textOf(dialogEvent);
  const reply = interactionReplyOf(dialogEvent, text, memory.asked.get(speakerUri));
  memory.asked.delete(speakerUri);
  if (reply?.isLapsed)
    for (const [who, { id }] of memory.asked.entries()) if (id === reply.id) memory.asked.delete(who);
  const input: UtteranceInput<State> = {
    ...handlerInput(incoming, context),
    text,
    dialogEvent,
    history,
    isWithInvite: incoming.isWithInvite === true,
    ...(reply && { reply }),
  };
  return runHandler(handlers.onUtterance, input, incoming, context);
}

/** yieldFloor, bye and declineInvite of the agent change its own state. */
function applyOwnEvents<State>(answers: readonly FloorEvent[], { memory, newState }: HandlerContext<State>): void {
  const types = new Set(answers.map(({ eventType }) => eventType));
  if (types.has("yieldFloor")) memory.hasFloor = false;
  if (types.has("bye") || types.has("declineInvite")) clearMemory(memory, newState);
}

async function answerDelegated<State>(context: HandlerContext<State>): Promise<FloorEvent[]> {
  const answers: FloorEvent[] = [];
  for (const event of context.envelope.events) {
    answers.push(...(await callHandler(context.handlers.onDelegated, event, context)));
  }
  return answers;
}
