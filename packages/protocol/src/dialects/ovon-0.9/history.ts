// History of an invite. 0.9 has none; what the invited agent is asked comes in a whisper behind the invite, told by the one
// who invites (0.9.3, section 1.11.1 and figure 13). The last thing said is repeated so, and read back as the history.
// Lost going down: everything said before, who said it, all of it where the envelope has a whisper to that agent already.
import type { DialogEvent } from "../../model/dialog-event.ts";
import type { Loss } from "../../repair/issue.ts";
import { type Place, pointer } from "../../repair/json-path.ts";
import { type OvonDialogEvent, type Speaking, saysSomething, toOvonDialogEvent } from "./dialog-event.ts";
import { withMark } from "./marks.ts";
import { fromSpeakerId, toSpeakerId } from "./speaker-id.ts";

/** Undefined when nothing of it can be told. `speakerUri` is that of the sender. */
export function toHistory(
  dialogHistory: readonly DialogEvent[],
  speakerUri: string,
  at: Place,
  { peers, losses }: Speaking,
): OvonDialogEvent | undefined {
  const last = dialogHistory.findLast(({ features }) => saysSomething(features));
  const isWhole = last !== undefined && dialogHistory.length === 1;
  if (!isWhole) losses.push({ path: pointer(at), why: "0.9 has no history: at most the last thing said is whispered" });
  if (last === undefined) return undefined;
  const place = { up: at, key: 0 };
  const speaker = pointer({ up: place, key: "speakerUri" });
  const inner: Loss[] = [];
  const told = toOvonDialogEvent(last, "whisper", place, { peers, losses: inner });
  const speakerId = toSpeakerId(speakerUri);
  if (isWhole) {
    losses.push(...inner.filter(({ path }) => path !== speaker));
    if (fromSpeakerId(speakerId, peers) !== last.speakerUri) {
      losses.push({ path: speaker, why: "in 0.9 a whisper is told by the one who invites" });
    }
  }
  return { ...told, id: withMark(last.id, ":plenary:history"), speakerId };
}
