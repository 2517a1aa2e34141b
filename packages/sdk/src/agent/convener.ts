import { type EventOf, type EventType, isSameUri } from "@plenary/protocol";
import { isMe, type Scene, type Stage, whomFor } from "./context.ts";
import { listedName, originOf } from "./speakers.ts";

/**
 * By the list of roles in the envelope. A floor that publishes no convener has one all the same where this agent, which
 * offers the role, accepted an invite that expects it, or where the floor publishes no roles at all.
 */
export function isConvener(scene: Stage): boolean {
  const { assignedFloorRoles = {} } = scene.envelope.conversation;
  const { convener = [] } = assignedFloorRoles;
  if (convener.length > 0) return convener.some((speakerUri) => isMe(speakerUri, scene));
  // Floors of Plenary always publish their convener.
  const isElsewhere = scene.isDelegated === undefined;
  const offers = scene.settings.manifest.identification.openFloorRoles?.convener === true;
  if (!isElsewhere || !offers || scene.memory.hasLeft) return false;
  return scene.memory.isExpectedToConvene || Object.keys(assignedFloorRoles).length === 0;
}

const alwaysDelegated: readonly EventType[] = ["invite", "uninvite", "requestFloor", "grantFloor", "revokeFloor"];

/**
 * Our choice: a floor that does not tell is taken to follow the table of 2.2, which sends what it delegates alone. Of a
 * floor that does not name its convener, an event that names this agent is no question: it has happened.
 */
function isDelegatedByTable(scene: Stage): boolean {
  const { events, conversation } = scene.envelope;
  const [event, another] = events;
  if (event === undefined || another !== undefined) return false;
  if (event.eventType === "utterance") return isWithoutFloor(event, scene);
  if (!alwaysDelegated.includes(event.eventType)) return false;
  const isNamed = (conversation.assignedFloorRoles?.convener ?? []).length > 0;
  const addressee = whomFor(event, scene);
  // It invites the convener itself, and a floor that has the role ready names it already.
  if (isNamed) return event.eventType !== "invite" || addressee === "other";
  return event.eventType === "requestFloor" || addressee === "other";
}

/**
 * The table delegates words of conversants without the floor. A speaker that is not listed has no floor to lose:
 * such floors let people speak always, and send their convener a copy.
 */
function isWithoutFloor(event: EventOf<"utterance">, { envelope }: Stage): boolean {
  const { sender, conversation } = envelope;
  const { conversants = [], floorGranted } = conversation;
  const speakerUri = originOf(event, sender.speakerUri, conversation);
  const isUnlisted = conversants.length > 0 && listedName(speakerUri, conversation) === undefined;
  if (floorGranted === undefined || isUnlisted) return false;
  return !floorGranted.some((one) => isSameUri(listedName(one, conversation) ?? one, speakerUri));
}

/** The floor asks, and somebody here decides. */
export function isDelegation<State>(scene: Scene<State>): boolean {
  if (scene.handlers.onDelegated === undefined || !isConvener(scene)) return false;
  return scene.isDelegated ?? isDelegatedByTable(scene);
}
