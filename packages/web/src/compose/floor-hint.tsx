import { isSameUri } from "@plenary/protocol";
import { nameIn } from "@plenary/transcript";
import { convenerOf } from "../conversants/allowed-actions.ts";
import type { Actions } from "../state/actions.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import type { ConversationState } from "../state/types.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";

type FloorHintContent = { icon: IconName; words: string; act?: { label: string; run(): Promise<void>; done: string } };

/** One line about what happens to the next utterance. */
export function FloorHint() {
  const { conversation, actions } = useOpenConversation();
  const { toast } = usePageServices();
  const { run } = useAsyncAction("toast");
  const hint = hintOf(conversation, actions);
  if (hint === undefined) return null;
  const { icon, words, act } = hint;
  return (
    <div className="compose-hint">
      <Icon name={icon} size={16} />
      <span>{words}</span>
      {act && <Button look="small" text={act.label} onClick={() => void run(act.run, () => toast(act.done))} />}
    </div>
  );
}

function hintOf(conversation: ConversationState, { raiseHand }: Actions): FloorHintContent | undefined {
  const { connection, view, me } = conversation;
  const has = (speakers: readonly string[]) => speakers.some((speakerUri) => isSameUri(speakerUri, me));
  if (connection === "offline" || connection === "reconnecting") {
    return { icon: "warning", words: texts.compose.unreachable };
  }
  if (connection === "loading" || has(view.floorGranted)) return undefined;
  if (has(view.floorRequested)) {
    return { icon: "hand", words: texts.compose.handIsRaised };
  }
  const act = { label: texts.conversants.raiseHand, run: raiseHand, done: texts.compose.handRaised };
  const convener = convenerOf(view);
  // Without a convener every request is granted at once, but none is granted unasked.
  const words =
    convener === undefined ? texts.compose.noFloor : texts.compose.noFloorConvened(nameIn(conversation, convener));
  return { icon: "floor", words, act };
}
