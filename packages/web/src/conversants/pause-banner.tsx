import { pauseReason } from "../floor-strip/mark-text.ts";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { Icon } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";

/** Shows that the agents are paused and why, with a button to resume. */
export function PauseBanner() {
  const { conversation, actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  if (!conversation.view.isPaused) return null;
  return (
    <div className="floor-paused" role="status">
      <Icon name="pause" />
      <p>
        <b>{texts.conversants.paused}</b> {pauseReason(conversation.entries)} {texts.conversants.howToResume}
      </p>
      <button type="button" className="button small" disabled={isBusy} onClick={() => void run(() => actions.resume())}>
        <Icon name="play" size={14} /> {texts.conversants.resume}
      </button>
    </div>
  );
}
