import { acceptInvite, declineInvite, type EventOf, type FloorEvent, utterance } from "@plenary/protocol";
import {
  isMe,
  isUtterance,
  publiclyTo,
  type Scene,
  type Stage,
  type Step,
  spoken,
  stepOf,
  whomFor,
} from "./context.ts";
import { heardOf } from "./handler-input.ts";
import { attempt } from "./run-handler.ts";

/** `isOver`: nothing else that came along is answered. */
export type Joined = { events: FloorEvent[]; isOver: boolean };

/** Spec 2.1: accept and say hello, or decline with a reason. */
export async function join<State>(
  invitation: EventOf<"invite">,
  along: readonly Step<EventOf<"utterance">>[],
  scene: Scene<State>,
): Promise<Joined> {
  const step = stepOf(invitation, scene);
  const to = { speakerUri: scene.envelope.sender.speakerUri };
  const { expectedFloorRoles = [] } = invitation.parameters ?? {};
  if (!offersRoles(expectedFloorRoles, scene)) return declined([declineInvite({ to, reason: "@roleRejected" })]);
  let isOver = false;
  const takeUp = () => {
    isOver = true;
    return along.map(({ event }) => event);
  };
  const said = await attempt(scene.handlers.onInvite, { ...heardOf(step, scene), takeUp }, step, scene);
  if (said === undefined) return declined([declineInvite({ to, reason: "@error" })]);
  if (said.some(({ eventType }) => eventType === "declineInvite")) return declined(said);
  // 1.1.1: who accepts takes on the roles that the invite expects.
  scene.memory.isExpectedToConvene ||= expectedFloorRoles.includes("convener");
  const accepts = said.some(({ eventType }) => eventType === "acceptInvite") ? [] : [acceptInvite({ to })];
  const hello = said.length > 0 ? said : greetingOf(step, scene);
  return { events: [...accepts, ...hello], isOver };
}

function declined(events: FloorEvent[]): Joined {
  return { events, isOver: true };
}

function offersRoles(expected: readonly string[], { settings }: Stage): boolean {
  const offered = settings.manifest.identification.openFloorRoles ?? {};
  return expected.every((role) => offered[role] === true);
}

function greetingOf({ replyTo }: Step, scene: Stage): FloorEvent[] {
  const { greeting, manifest } = scene.settings;
  if (greeting === false || greeting === "") return [];
  const { conversationalName: name } = manifest.identification;
  return [spoken(greeting ?? `Hello, I am ${name}. How can I help?`, replyTo, scene)];
}

/**
 * Spec 2.1: whoever is invited answers what came along. Words to this agent come first, then the end of the history, and
 * only then words to everyone: beside a history those are "I'll pass you over" (figure 16).
 */
export function broughtAlong(
  invitation: EventOf<"invite">,
  events: readonly FloorEvent[],
  scene: Stage,
): Step<EventOf<"utterance">>[] {
  const said = events.filter(isUtterance).map((event) => ({ event, whom: whomFor(event, scene) }));
  const toMe = said.filter(({ whom }) => whom === "me").map(({ event }) => stepWithInvite(event, scene));
  if (toMe.length > 0) return toMe;
  const last = invitation.parameters?.dialogHistory?.at(-1);
  if (last !== undefined) {
    if (isMe(last.speakerUri, scene)) return [];
    const event = utterance(last);
    return [{ event, isAddressed: true, isWithInvite: true, ...publiclyTo(last.speakerUri, scene) }];
  }
  const toAll = said.filter(({ whom }) => whom === "all").map(({ event }) => event);
  return toAll.map((event) => ({ ...stepOf(event, scene), isAddressed: false, isWithInvite: true }));
}

// 0.9.3 figure 13: there the whisper beside an invite tells what the user wants, and the user waits for the answer.
function stepWithInvite(event: EventOf<"utterance">, scene: Stage): Step<EventOf<"utterance">> {
  const step = scene.dialect === "0.9" ? { event, isAddressed: true } : stepOf(event, scene);
  return { ...step, isWithInvite: true };
}
