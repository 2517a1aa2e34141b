import { bye, type EventOf, type FloorEvent, isSameUri, requestFloor, yieldFloor } from "@plenary/protocol";
import { isUtterance, type Scene, type Stage, spoken, whomFor } from "./context.ts";
import type { PendingDelegation } from "./conversation-memory.ts";
import { heardOf } from "./handler-input.ts";
import { run } from "./run-handler.ts";

const unreached = "They cannot join us at the moment. I am still here.";

/** `isDone`: the other one has come; its hello, which may be to whoever invited it, is not answered. */
export type HandedOver = { events: FloorEvent[]; isDone: boolean };

const nothing: HandedOver = { events: [], isDone: false };

/**
 * Our choice: one who delegates gives up the floor, or leaves, only when the other one is heard to have come, so that nobody
 * is left alone by a refusal, a convener's veto or a broken server; otherwise it takes up the conversation again.
 */
export async function handOver<State>(scene: Scene<State>): Promise<HandedOver> {
  const pending = pendingIn(scene);
  if (pending === undefined) return nothing;
  const refusal = scene.envelope.events.find(isRefusal);
  if (refusal === undefined && scene.envelope.events.length === 0) return nothing;
  scene.memory.delegations.delete(pending.to.serviceUrl);
  if (refusal !== undefined) return { events: await takeUpAgain(pending, refusal, scene), isDone: false };
  const { farewell, afterwards = "yield", asker } = pending;
  if (afterwards === "yield") {
    scene.memory.hasFloor = false;
    return { events: [yieldFloor({ reason: "@complete" })], isDone: true };
  }
  const words = farewell === undefined || farewell === "" ? [] : [spoken(farewell, asker.to, scene)];
  return { events: [...words, bye()], isDone: true };
}

function isRefusal(event: FloorEvent): event is EventOf<"declineInvite"> {
  return event.eventType === "declineInvite";
}

/** Whoever sent this envelope was invited by us: by its address, or by the name it was to have. */
function pendingIn(scene: Stage): PendingDelegation | undefined {
  const { sender, events } = scene.envelope;
  const all = scene.memory.delegations.entries().map(([, pending]) => pending);
  const named = all.find(({ to }) => {
    const mine = [to.serviceUrl, to.speakerUri].filter((uri) => uri !== undefined);
    return [sender.serviceUrl, sender.speakerUri].some((uri) => mine.some((other) => isSameUri(other, uri ?? "")));
  });
  // Floors that do not tell addresses: an answer to an invite of ours, and there is but one.
  const isAnswer = ({ eventType }: FloorEvent) => eventType === "acceptInvite" || eventType === "declineInvite";
  const isOurs = events.some((event) => isAnswer(event) && whomFor(event, scene) === "me");
  return named ?? (isOurs && sender.serviceUrl === undefined && all.length === 1 ? all[0] : undefined);
}

async function takeUpAgain<State>(
  { otherwise = unreached, asker }: PendingDelegation,
  event: EventOf<"declineInvite">,
  scene: Scene<State>,
): Promise<FloorEvent[]> {
  const step = { event, isAddressed: true, ...(asker.to && { replyTo: asker.to }) };
  const answer = typeof otherwise === "string" ? () => otherwise : otherwise;
  const said = await run(answer, heardOf(step, scene), step, scene);
  return scene.memory.hasFloor || !said.some(isUtterance) ? said : [requestFloor(), ...said];
}
