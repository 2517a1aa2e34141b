import { type DialogEvent, type EventOf, type FloorEvent, isOwnName, requestFloor, textOf } from "@plenary/protocol";
import { isMe, isUtterance, type Scene, type Stage, type Step, speakerOf, stepOf, whomFor } from "./context.ts";
import { isConvener, isDelegation } from "./convener.ts";
import { createMemory, forget, stopOthers } from "./conversation-memory.ts";
import { remember } from "./delegation.ts";
import { handOver } from "./hand-over.ts";
import { heardOf } from "./handler-input.ts";
import type { HeardUtterance } from "./handlers.ts";
import { interactionReplyOf } from "./interaction.ts";
import { broughtAlong, join } from "./invitation.ts";
import { withLinkedWords } from "./linked-text.ts";
import { isTask, recommend, recommendAnother } from "./manifests.ts";
import { run } from "./run-handler.ts";

/** The minimal behaviours of section 2.1, with the agent's own handlers in their places. */
export async function answer<State>(scene: Scene<State>): Promise<FloorEvent[]> {
  // Our choice: nobody answers himself, whatever a floor sends him.
  if (isOwnName(scene.envelope.sender.speakerUri, scene.self)) return [];
  notice(scene);
  if (isDelegation(scene)) return answerDelegated(scene);
  const events = (await afterLeaving(scene)).filter((event) => !isEcho(event, scene));
  const invitation = events.findLast((event) => isInvitation(event, scene));
  if (invitation?.eventType === "invite") enter(invitation, scene);
  if (scene.memory.hasLeft) return [];
  learnFloor(scene);
  const answers = invitation?.eventType === "invite" ? await answerInvite(invitation, events, scene) : [];
  const handedOver = await handOver(scene);
  for (const event of handedOver.isDone ? [] : events) {
    if (!isDealtWith(event, events, scene, invitation)) answers.push(...(await answerEvent(event, scene)));
  }
  answers.push(...handedOver.events);
  remember([...events, ...answers], scene.memory);
  draw(answers, scene);
  return answers;
}

/** A floor that relays under its own name may send an agent its own words. */
function isEcho(event: FloorEvent, scene: Stage): boolean {
  return isUtterance(event) && isMe(event.parameters.dialogEvent.speakerUri, scene) && whomFor(event, scene) !== "me";
}

/** Remembers what the events show about other speakers. */
function notice(scene: Stage): void {
  for (const event of scene.envelope.events) {
    const isOwnInvite = event.eventType === "invite" && whomFor(event, scene) !== "other";
    if (!isOwnInvite && !isEcho(event, scene)) scene.memory.voices.notice(event, speakerOf(event, scene));
  }
}

/** What came before one's removal needs no answer. */
async function afterLeaving<State>(scene: Scene<State>): Promise<FloorEvent[]> {
  const { events } = scene.envelope;
  const isRemoval = (event: FloorEvent) => event.eventType === "uninvite" && whomFor(event, scene) !== "other";
  const at = events.findLastIndex(isRemoval);
  const removal = events[at];
  if (removal?.eventType !== "uninvite") return events;
  stopOthers(scene.memory, scene.stop, "uninvited");
  const step = stepOf(removal, scene);
  await run(scene.handlers.onUninvite, heardOf(step, scene), step, scene);
  forget(scene.memory, scene.newState);
  return events.slice(at + 1);
}

function isInvitation(event: FloorEvent, scene: Stage): boolean {
  return event.eventType === "invite" && whomFor(event, scene) !== "other";
}

function enter<State>({ to }: EventOf<"invite">, { memory, self, newState, envelope }: Scene<State>): void {
  if (memory.hasLeft) Object.assign(memory, createMemory(newState));
  memory.voices.beInvited(envelope.sender.speakerUri);
  memory.hasFloor = true;
  if (to?.speakerUri !== undefined && to.speakerUri !== self.speakerUri) memory.alias = to.speakerUri;
}

/** Spec 1.6.3: the list tells who has the floor; absent, or without us in the room, it tells nothing. */
function learnFloor(scene: Stage): void {
  const { conversants, floorGranted } = scene.envelope.conversation;
  if (floorGranted === undefined) return;
  const isListed = conversants?.some(({ identification }) => isMe(identification.speakerUri, scene)) !== false;
  // Spec 2.2: what the convener says is passed on, with or without the floor.
  if (isListed) scene.memory.hasFloor = floorGranted.some((one) => isMe(one, scene)) || isConvener(scene);
}

async function answerInvite<State>(
  invitation: EventOf<"invite">,
  events: readonly FloorEvent[],
  scene: Scene<State>,
): Promise<FloorEvent[]> {
  const along = broughtAlong(invitation, events, scene);
  const { events: answers, isOver } = await join(invitation, along, scene);
  for (const step of isOver ? [] : along) {
    answers.push(...(await answerUtterance(step, scene, invitation.parameters?.dialogHistory)));
  }
  return answers;
}

/** The invite itself, what it brought along, and the tasks told beside a question for manifests. */
function isDealtWith(
  event: FloorEvent,
  events: readonly FloorEvent[],
  scene: Stage,
  invitation: FloorEvent | undefined,
): boolean {
  if (invitation !== undefined) {
    if (isInvitation(event, scene)) return true;
    return isUtterance(event) && whomFor(event, scene) !== "other";
  }
  const isQuestion = (other: FloorEvent) => other.eventType === "getManifests" && whomFor(other, scene) !== "other";
  return events.some(isQuestion) && isTask(event, scene);
}

async function answerEvent<State>(event: FloorEvent, scene: Scene<State>): Promise<FloorEvent[]> {
  const { handlers, memory } = scene;
  const whom = whomFor(event, scene);
  if (whom === "other") {
    const unknown = event.eventType === "getManifests" ? await recommendAnother(event, scene) : [];
    return [...unknown, ...(await overhear(event, scene))];
  }
  switch (event.eventType) {
    case "utterance":
      if (whom === "all" && !memory.hasFloor) return overhear(event, scene);
      return answerUtterance(stepOf(event, scene), scene);
    case "getManifests":
      return recommend(event, scene);
    case "grantFloor": {
      memory.hasFloor = true;
      const step = stepOf(event, scene);
      return run(handlers.onGrant, heardOf(step, scene), step, scene);
    }
    case "revokeFloor": {
      memory.hasFloor = false;
      stopOthers(memory, scene.stop, "the floor was revoked");
      const step = stepOf(event, scene);
      await run(handlers.onRevoke, heardOf(step, scene), step, scene);
      return [];
    }
    case "invite":
    case "uninvite":
    case "acceptInvite":
    case "declineInvite":
    case "bye":
    case "publishManifests":
    case "requestFloor":
    case "yieldFloor": {
      const step = stepOf(event, scene);
      return run(handlers.onEvent, heardOf(step, scene), step, scene);
    }
  }
}

async function overhear<State>(event: FloorEvent, scene: Scene<State>): Promise<FloorEvent[]> {
  const step = stepOf(event, scene);
  const said = await run(scene.handlers.onOverheard, heardOf(step, scene), step, scene);
  return scene.memory.hasFloor ? said : said.filter((other) => !isUtterance(other));
}

async function answerUtterance<State>(
  said: Step<EventOf<"utterance">>,
  scene: Scene<State>,
  history = scene.history,
): Promise<FloorEvent[]> {
  const step = await withLinkedWords(said, scene);
  const answers = "answer" in step ? step.answer : await answerWords(step, scene, history);
  const asks = answers.some(({ eventType }) => eventType === "requestFloor");
  // D7: addressed without the floor, an agent may answer, and asks for the floor in the same breath.
  return scene.memory.hasFloor || asks || !answers.some(isUtterance) ? answers : [requestFloor(), ...answers];
}

function answerWords<State>(
  step: Step<EventOf<"utterance">>,
  scene: Scene<State>,
  history: readonly DialogEvent[],
): Promise<FloorEvent[]> {
  const { memory, handlers } = scene;
  const { dialogEvent } = step.event.parameters;
  const speakerUri = speakerOf(step.event, scene);
  const text = textOf(dialogEvent);
  const reply = interactionReplyOf(dialogEvent, text, memory.asked.get(speakerUri));
  memory.asked.delete(speakerUri);
  if (reply?.isLapsed)
    for (const [who, { id }] of memory.asked.entries()) if (id === reply.id) memory.asked.delete(who);
  const heard: HeardUtterance<State> = {
    ...heardOf(step, scene),
    text,
    dialogEvent,
    history,
    isWithInvite: step.isWithInvite === true,
    ...(reply && { reply }),
  };
  return run(handlers.onUtterance, heard, step, scene);
}

/** The agent's own words change what it may say next. */
function draw<State>(answers: readonly FloorEvent[], { memory, newState }: Scene<State>): void {
  const types = new Set(answers.map(({ eventType }) => eventType));
  if (types.has("yieldFloor")) memory.hasFloor = false;
  if (types.has("bye") || types.has("declineInvite")) forget(memory, newState);
}

async function answerDelegated<State>(scene: Scene<State>): Promise<FloorEvent[]> {
  const answers: FloorEvent[] = [];
  for (const event of scene.envelope.events) {
    const step = stepOf(event, scene);
    answers.push(...(await run(scene.handlers.onDelegated, heardOf(step, scene), step, scene)));
  }
  return answers;
}
