import { type DialogEvent, type FloorEvent, history, invite, isPrivate, textOf } from "@plenary/protocol";
import type { Delegation } from "../handler.ts";
import type { Memory } from "../memory.ts";
import { isUtterance, type Stage, type Step, spoken } from "../scene.ts";

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
