import { conversationOf, type Floor, signatureOf } from "@plenary/floor";
import { type Dialect, encodeEnvelope, envelope, type FloorEvent } from "@plenary/protocol";
import { carriedOf, peersOf } from "./decode.ts";

/** Events of one speaker as a conversant receives them, in its dialect. */
export function documentOf(
  floor: Floor,
  speakerUri: string,
  events: FloorEvent[],
  dialect: Dialect,
  isProposal = false,
) {
  const whole = envelope({ conversation: conversationOf(floor), sender: signatureOf(floor, speakerUri), events });
  return encodeEnvelope(whole, dialect, { peers: peersOf(floor), carried: carriedOf(floor), isProposal }).document;
}
