import { type DialogEvent, type FloorEvent, invite, isPrivate, textUtterance } from "@plenary/protocol";
import { isMe, newDialogEventId, type Scene, type Stage, type Step, speakerOf, spoken } from "./context.ts";
import { isConvener } from "./convener.ts";
import { delegation, softDelegation } from "./delegation.ts";
import type { Heard } from "./handlers.ts";
import { interactionOf, type Question } from "./interaction.ts";
import { type SpeakerKind, speakerKind } from "./speakers.ts";

/** What a handler is given of an event. */
export function heardOf<State, Event extends FloorEvent>(step: Step<Event>, scene: Scene<State>): Heard<State, Event> {
  const { envelope, memory, signal, isDelegated, baggage, traceparent, caller, self } = scene;
  const { sender, conversation } = envelope;
  const { speakerUri, serviceUrl } = self;
  const { event, isAddressed, replyTo } = step;
  return {
    event,
    sender,
    speakerUri: kindOf(sender.speakerUri, scene) === "agent" ? sender.speakerUri : speakerOf(event, scene),
    conversation,
    isAddressed,
    speakerKind: (speakerUri) => kindOf(speakerUri, scene),
    isConvener: isConvener(scene),
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
    say: (text) => spoken(text, replyTo, scene),
    whisper: (text, whom = sender.speakerUri) => spoken(text, { speakerUri: whom, private: true }, scene),
    ask: (question) => asked(question, step, scene),
    delegate: (options) => delegation(options, step, scene),
    recommend: (manifests, say) => softDelegation(manifests, say, step, scene),
    invite: (to) => invite({ to, ...passedOn(event) }),
  };
}

function kindOf(speakerUri: string, scene: Stage): SpeakerKind {
  if (isMe(speakerUri, scene)) return "agent";
  return speakerKind(speakerUri, scene.envelope.conversation, scene.memory.voices);
}

function asked(question: Question, { event, replyTo: to }: Step, scene: Stage) {
  const { self, memory } = scene;
  const id = newDialogEventId();
  const { text, feature, pending } = interactionOf(question, id);
  const speakerUri = speakerOf(event, scene);
  if (question.inputType !== "notification") memory.asked.set(speakerUri, pending);
  else if (memory.asked.get(speakerUri)?.id === pending.id) memory.asked.delete(speakerUri);
  const startTime = new Date().toISOString();
  const features = { interaction: feature };
  return textUtterance(text, { speakerUri: self.speakerUri, id, startTime, features, ...(to && { to }) });
}

function passedOn(event: FloorEvent): { dialogHistory?: DialogEvent[] } {
  if (event.eventType !== "utterance" || isPrivate(event)) return {};
  return { dialogHistory: [event.parameters.dialogEvent] };
}
