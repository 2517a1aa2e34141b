import {
  type DialogEvent,
  type FloorEvent,
  history,
  invite,
  isPrivate,
  publishManifests,
  type ScoredManifest,
  textOf,
} from "@plenary/protocol";
import { type IncomingEvent, isUtterance, ownUtterance, type ReceiveContext, senderAddress } from "./context.ts";
import type { ConversationMemory } from "./conversation-memory.ts";
import type { Delegation } from "./handlers.ts";

/** D16: an invite carries this many utterances. */
const historyMax = 4;
/** A longer utterance is not remembered. */
const historyCharsMax = 4_000;

/** Figure 16: the announcement, then the invite with the history. The agent yields or leaves when the invite is accepted. */
export function delegate(
  options: Delegation,
  { event, replyTo }: IncomingEvent,
  context: ReceiveContext,
): FloorEvent[] {
  const { to, say, history: sent = historyFor(event, context.memory), ...rest } = options;
  context.memory.delegations.set(to.serviceUrl, { to, ...rest, asker: replyTo === undefined ? {} : { to: replyTo } });
  const words = say === undefined || say === "" ? [] : [ownUtterance(say, replyTo, context)];
  return [...words, invite({ to, ...(sent.length > 0 && { dialogHistory: [...sent] }) })];
}

/** The current utterance comes last, whatever its time: the invited agent answers it. Private utterances are left out. */
function historyFor(event: FloorEvent, { recent }: ConversationMemory<unknown>): readonly DialogEvent[] {
  if (!isUtterance(event) || isPrivate(event)) return [];
  const { dialogEvent } = event.parameters;
  const before = recent.filter(({ id }) => id !== dialogEvent.id);
  return [...history(before, { last: historyMax - 1 }), dialogEvent];
}

/** Keeps the last public utterances, for the history of later invites. */
export function rememberUtterances(events: readonly FloorEvent[], memory: ConversationMemory<unknown>): void {
  for (const event of events) {
    if (!isUtterance(event) || isPrivate(event)) continue;
    const { dialogEvent } = event.parameters;
    const { text } = dialogEvent.features;
    if (text === undefined || textOf(dialogEvent).length > historyCharsMax) continue;
    const { id, speakerUri, span } = dialogEvent;
    memory.recent = [...memory.recent, { id, speakerUri, span, features: { text } }].slice(-historyMax);
  }
}

const recommendedMax = 16;

/**
 * Spec 1.18: the agent names other agents that can do the task. Our choice: publishManifests is public, so the answer to a
 * private utterance is a private utterance with the names.
 */
export function recommendManifests(
  manifests: readonly ScoredManifest[],
  say: string | undefined,
  { event, replyTo }: IncomingEvent,
  context: ReceiveContext,
): FloorEvent[] {
  const servicingManifests = manifests.slice(0, recommendedMax);
  if (isPrivate(event)) {
    const names = servicingManifests.map(({ identification: { conversationalName, serviceUrl } }) =>
      conversationalName === "" ? serviceUrl : `${conversationalName} (${serviceUrl})`,
    );
    const words = [say ?? "", names.join(", ")].filter((part) => part !== "").join(" ");
    return words === "" ? [] : [ownUtterance(words, replyTo, context)];
  }
  const words = say === undefined || say === "" ? [] : [ownUtterance(say, replyTo, context)];
  return [...words, publishManifests({ to: senderAddress(context), servicingManifests })];
}
