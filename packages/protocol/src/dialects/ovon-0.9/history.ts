// History of an invite. 0.9 has none; the task of the invited agent comes in a whisper after the invite, from the one
// who invites (0.9.3, section 1.11.1 and figure 13). The last thing said is repeated so, and read back as the history.
// Lost going down: everything said before, who said it, all of it where the envelope has a whisper to that agent already.
import { type DialogEvent, saysSomething } from "../../model/dialog-event.ts";
import type { Loss } from "../../repair/issue.ts";
import { type JsonPath, pointer } from "../../repair/json-path.ts";
import type { TranslationContext } from "../dialect.ts";
import { lose } from "../losses.ts";
import { type OvonDialogEvent, toOvonDialogEvent } from "./dialog-event.ts";
import { withMark } from "./marks.ts";
import { fromSpeakerId, toSpeakerId } from "./speaker-id.ts";

/** Undefined when no dialog event has text. `speakerUri` is that of the sender. */
export function toHistory(
  dialogHistory: readonly DialogEvent[],
  speakerUri: string,
  at: JsonPath,
  { peers, losses }: TranslationContext,
): OvonDialogEvent | undefined {
  const last = dialogHistory.findLast(({ features }) => saysSomething(features));
  const isWhole = last !== undefined && dialogHistory.length === 1;
  if (!isWhole) lose(losses, at, [], "0.9 has no history: at most the last thing said is whispered");
  if (last === undefined) return undefined;
  const place = { up: at, key: 0 };
  const speaker = pointer({ up: place, key: "speakerUri" });
  const inner: Loss[] = [];
  const repeated = toOvonDialogEvent(last, "whisper", place, { peers, losses: inner });
  const speakerId = toSpeakerId(speakerUri);
  if (isWhole) {
    losses.push(...inner.filter(({ path }) => path !== speaker));
    if (fromSpeakerId(speakerId, peers) !== last.speakerUri) {
      losses.push({ path: speaker, why: "in 0.9 the inviter is the speaker of this whisper" });
    }
  }
  return { ...repeated, id: withMark(last.id, ":plenary:history"), speakerId };
}
