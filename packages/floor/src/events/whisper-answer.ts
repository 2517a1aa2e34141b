import { type FloorEvent, isPrivate } from "@plenary/protocol";
import type { Origin } from "../decision-builder.ts";
import { convenerOf, type Floor } from "../floor.ts";

/** The sender of the private utterance that is answered; empty where answers are taken as written. */
export function whispererOf({ options }: Floor, whisperer: string | undefined): Pick<Origin, "whisperer"> {
  if (whisperer === undefined || options.policy === "spec" || options.whisperAnswers === "asWritten") return {};
  return { whisperer };
}

/**
 * D13': agents that do not know `private` repeat whispers in public. The answer is private to the whisperer, whatever else
 * the delivery held and whatever its `to` says. An utterance that a convener held for another speaker (D11) is no answer: an
 * owner who agrees in a whisper wants it to be published.
 */
export function asPrivateAnswer(
  event: FloorEvent,
  { whisperer, speakerUri }: Pick<Origin, "whisperer" | "speakerUri">,
  floor: Floor,
): FloorEvent {
  if (whisperer === undefined || event.eventType !== "utterance" || isPrivate(event)) return event;
  const isKept = speakerUri === convenerOf(floor) && event.parameters.dialogEvent.speakerUri !== speakerUri;
  if (isKept) return event;
  return { ...event, to: { speakerUri: whisperer, private: true } };
}
