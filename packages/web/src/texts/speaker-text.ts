import type { UtteranceLine } from "@plenary/transcript";
import { texts } from "./texts.ts";

/** Names the sender of an utterance, and the original speaker if it is relayed. */
export function speakerText(
  { sender, relayedFrom }: Pick<UtteranceLine, "sender" | "relayedFrom">,
  nameFor: (speakerUri: string) => string,
): string {
  return relayedFrom === undefined ? nameFor(sender) : texts.common.relaying(nameFor(sender), nameFor(relayedFrom));
}
