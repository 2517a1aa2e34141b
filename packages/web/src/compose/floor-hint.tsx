import { isSameUri } from "@plenary/protocol";
import { nameIn } from "@plenary/transcript";
import { convenerOf } from "../conversants/allowed-actions.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import type { ConversationState } from "../state/types.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

type FloorHintContent = { icon: IconName; words: string; act?: { label: string; run(): Promise<void>; done: string } };

/** One line about what happens to the next utterance. */
export function FloorHint() {
  const { conversation, actions } = useOpenConversation();
  const { toast } = usePageServices();
  const hint = hintOf(conversation, actions);
  if (hint === undefined) return null;
  const { icon, words, act } = hint;
  const run = () => {
    act?.run().then(
      () => toast(act.done),
      (error: unknown) => toast(error instanceof Error ? error.message : "That did not work.", "error"),
    );
  };
  return (
    <div className="compose-hint">
      <Icon name={icon} size={16} />
      <span>{words}</span>
      {act && (
        <button type="button" className="button small" onClick={run}>
          {act.label}
        </button>
      )}
    </div>
  );
}

function hintOf(
  conversation: ConversationState,
  { raiseHand }: Pick<ReturnType<typeof useOpenConversation>["actions"], "raiseHand">,
): FloorHintContent | undefined {
  const { connection, view, me } = conversation;
  const has = (speakers: readonly string[]) => speakers.some((speakerUri) => isSameUri(speakerUri, me));
  if (connection === "offline" || connection === "reconnecting") {
    return {
      icon: "warning",
      words: "The floor cannot be reached. What you say waits here and is sent when it is back.",
    };
  }
  if (connection === "loading" || has(view.floorGranted)) return undefined;
  if (has(view.floorRequested)) {
    return { icon: "hand", words: "Your hand is raised. Until you have the floor, others may not hear you." };
  }
  const act = { label: "Raise hand", run: raiseHand, done: "Your hand is raised" };
  const convener = convenerOf(view);
  // Without a convener every request is granted at once, but none is granted unasked.
  const words =
    convener === undefined
      ? "You do not have the floor, so nobody hears you. Raise your hand and you get it at once."
      : `You do not have the floor: ${nameIn(conversation, convener)} decides when others hear you.`;
  return { icon: "floor", words, act };
}
