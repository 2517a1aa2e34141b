import { type DialogEvent, type FloorEvent, invite, isPrivate, textUtterance } from "@plenary/protocol";
import {
  type HandlerContext,
  type IncomingEvent,
  isMe,
  newDialogEventId,
  ownUtterance,
  type ReceiveContext,
  speakerOf,
} from "./context.ts";
import { isConvener } from "./convener.ts";
import { delegate, recommendManifests } from "./delegation.ts";
import type { HandlerInput } from "./handlers.ts";
import { interactionOf, type Question } from "./interaction.ts";
import { type SpeakerKind, speakerKind } from "./speakers.ts";

export function handlerInput<State, Event extends FloorEvent>(
  incoming: IncomingEvent<Event>,
  context: HandlerContext<State>,
): HandlerInput<State, Event> {
  const { envelope, memory, signal, isDelegated, baggage, traceparent, caller, self } = context;
  const { sender, conversation } = envelope;
  const { speakerUri, serviceUrl } = self;
  const { event, isAddressed, replyTo } = incoming;
  return {
    event,
    sender,
    speakerUri: speakerKindOf(sender.speakerUri, context) === "agent" ? sender.speakerUri : speakerOf(event, context),
    conversation,
    isAddressed,
    speakerKind: (speakerUri) => speakerKindOf(speakerUri, context),
    isConvener: isConvener(context),
    isPrivate: isPrivate(event),
    hasFloor: memory.hasFloor,
    ...(isDelegated !== undefined && { isDelegated }),
    ...(baggage !== undefined && { baggage }),
    ...(traceparent !== undefined && { traceparent }),
    ...(caller !== undefined && { caller }),
    self: { speakerUri, serviceUrl },
    ...(replyTo !== undefined && { replyTo }),
    state: memory.state,
    signal,
    say: (text) => ownUtterance(text, replyTo, context),
    whisper: (text, to = sender.speakerUri) => ownUtterance(text, { speakerUri: to, private: true }, context),
    ask: (question) => questionUtterance(question, incoming, context),
    delegate: (options) => delegate(options, incoming, context),
    recommend: (manifests, say) => recommendManifests(manifests, say, incoming, context),
    invite: (to) => invite({ to, ...historyOf(event) }),
  };
}

function speakerKindOf(speakerUri: string, context: ReceiveContext): SpeakerKind {
  if (isMe(speakerUri, context)) return "agent";
  return speakerKind(speakerUri, context.envelope.conversation, context.memory.speakers);
}

function questionUtterance(question: Question, { event, replyTo: to }: IncomingEvent, context: ReceiveContext) {
  const { self, memory } = context;
  const id = newDialogEventId();
  const { text, feature, pending } = interactionOf(question, id);
  const speakerUri = speakerOf(event, context);
  if (question.inputType !== "notification") memory.asked.set(speakerUri, pending);
  else if (memory.asked.get(speakerUri)?.id === pending.id) memory.asked.delete(speakerUri);
  const startTime = new Date().toISOString();
  const features = { interaction: feature };
  return textUtterance(text, { speakerUri: self.speakerUri, id, startTime, features, ...(to && { to }) });
}

function historyOf(event: FloorEvent): { dialogHistory?: DialogEvent[] } {
  if (event.eventType !== "utterance" || isPrivate(event)) return {};
  return { dialogHistory: [event.parameters.dialogEvent] };
}
