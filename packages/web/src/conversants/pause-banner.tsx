import { pauseReason } from "../floor-strip/mark-text.ts";
import { useOpenConversation } from "../state/context.ts";
import { Icon } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";

/** Says that the agents stand still, and why, and lets a person start them again. */
export function PauseBanner() {
  const { conversation, actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  if (!conversation.view.isPaused) return null;
  return (
    <div className="floor-paused" role="status">
      <Icon name="pause" />
      <p>
        <b>The agents were paused.</b> {pauseReason(conversation.entries)} Speak, and they go on.
      </p>
      <button type="button" className="button small" disabled={isBusy} onClick={() => void run(() => actions.resume())}>
        <Icon name="play" size={14} /> Resume
      </button>
    </div>
  );
}
