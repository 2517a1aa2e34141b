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
import { askerOf, isUtterance, type Stage, type Step, spoken } from "./context.ts";
import type { Memory } from "./conversation-memory.ts";
import type { Delegation } from "./handlers.ts";

/** D16: so many utterances are told to whoever is invited. */
const toldMax = 4;
/** Of what was said before; longer words are not kept. */
const toldCharsMax = 4_000;

/** Figure 16: the transfer in words, and the invite with what was said. The rest follows when the other one has come. */
export function delegation(options: Delegation, { event, replyTo }: Step, scene: Stage): FloorEvent[] {
  const { to, say, history: told = toldOf(event, scene.memory), ...rest } = options;
  scene.memory.delegations.set(to.serviceUrl, { to, ...rest, asker: replyTo === undefined ? {} : { to: replyTo } });
  const words = say === undefined || say === "" ? [] : [spoken(say, replyTo, scene)];
  return [...words, invite({ to, ...(told.length > 0 && { dialogHistory: [...told] }) })];
}

/** What was just said comes last, whatever the clocks say: it is what the other one is to answer. A whisper is told to nobody. */
function toldOf(event: FloorEvent, { recent }: Memory<unknown>): readonly DialogEvent[] {
  if (!isUtterance(event) || isPrivate(event)) return [];
  const { dialogEvent } = event.parameters;
  const before = recent.filter(({ id }) => id !== dialogEvent.id);
  return [...history(before, { last: toldMax - 1 }), dialogEvent];
}

/** What everybody may have heard, for whoever is invited later. */
export function remember(events: readonly FloorEvent[], memory: Memory<unknown>): void {
  for (const event of events) {
    if (!isUtterance(event) || isPrivate(event)) continue;
    const { dialogEvent } = event.parameters;
    const { text } = dialogEvent.features;
    if (text === undefined || textOf(dialogEvent).length > toldCharsMax) continue;
    const { id, speakerUri, span } = dialogEvent;
    memory.recent = [...memory.recent, { id, speakerUri, span, features: { text } }].slice(-toldMax);
  }
}

const recommendedMax = 16;

/**
 * Spec 1.18: asked for what one cannot do, one names those who can. Our choice: publishManifests is for everyone, so that to a
 * whisper only the names are whispered.
 */
export function softDelegation(
  manifests: readonly ScoredManifest[],
  say: string | undefined,
  { event, replyTo }: Step,
  scene: Stage,
): FloorEvent[] {
  const servicingManifests = manifests.slice(0, recommendedMax);
  if (isPrivate(event)) {
    const names = servicingManifests.map(({ identification: { conversationalName, serviceUrl } }) =>
      conversationalName === "" ? serviceUrl : `${conversationalName} (${serviceUrl})`,
    );
    const words = [say ?? "", names.join(", ")].filter((part) => part !== "").join(" ");
    return words === "" ? [] : [spoken(words, replyTo, scene)];
  }
  const words = say === undefined || say === "" ? [] : [spoken(say, replyTo, scene)];
  return [...words, publishManifests({ to: askerOf(scene), servicingManifests })];
}
