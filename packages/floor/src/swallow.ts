import type { FloorEvent } from "@plenary/protocol";
import type { Draft, Origin } from "./draft.ts";
import { convenerOf, type Floor, ownerOf, seatOf } from "./floor.ts";
import { resolve } from "./recipients.ts";
import { refuse } from "./refuse.ts";

/** So many of the owner's events in a row that the convener did not pass on, and the refusal says that it seems not to convene. */
const swallowedMax = 3;

/**
 * What a convener returns instead takes an event's place (D11), and words may be kept for later. But what the owner wanted to
 * happen and did not happen is said, whatever came instead.
 */
export function isDropped(
  floor: Floor,
  { speakerUri }: Origin,
  delegated: FloorEvent,
  returned: readonly FloorEvent[],
): boolean {
  return returned.length === 0 || (speakerUri === ownerOf(floor) && delegated.eventType !== "utterance");
}

export function sayDropped(draft: Draft, asker: Origin, delegated: FloorEvent): void {
  const { floor } = draft;
  const convener = nameOf(floor, convenerOf(floor)) ?? "the convener";
  const problem = `${convener} did not pass on your ${words(floor, delegated)}`;
  if (asker.speakerUri !== ownerOf(floor)) {
    refuse(draft, asker, delegated, { because: "2.2/convener-dropped", problem });
    return;
  }
  const swallowed = (floor.swallowed ?? 0) + 1;
  const isIdle = swallowed >= swallowedMax;
  const because = isIdle ? "convener/seems-idle" : "2.2/convener-dropped";
  const advice = `, as ${swallowed} of your events in a row: it seems not to convene. Take the role from it, or give it to another`;
  refuse(draft, asker, delegated, { because, problem: isIdle ? `${problem}${advice}` : problem, isSwallowed: true });
}

/** `invite of Parrot`, `utterance`. */
function words(floor: Floor, { eventType, to }: FloorEvent): string {
  const about = to && resolve(floor, { ...to, private: false })[0]?.identification;
  const name = about?.conversationalName || (to?.serviceUrl ?? to?.speakerUri);
  return eventType === "utterance" || name === undefined ? eventType : `${eventType} of ${name}`;
}

function nameOf(floor: Floor, speakerUri: string | undefined): string | undefined {
  const seat = speakerUri === undefined ? undefined : seatOf(floor, speakerUri);
  return seat?.identification.conversationalName || speakerUri;
}
