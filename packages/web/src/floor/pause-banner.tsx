import { Icon } from "../shell/icon.tsx";
import { useScene } from "../state/context.ts";
import { useDeed } from "./deed.ts";
import { pauseWords } from "./words.ts";

/** Says that the agents stand still, and why, and lets a person start them again. */
export function PauseBanner() {
  const { conversation, actions } = useScene();
  const { isBusy, attempt } = useDeed();
  if (!conversation.view.isPaused) return null;
  return (
    <div className="floor-paused" role="status">
      <Icon name="pause" />
      <p>
        <b>The agents were paused.</b> {pauseWords(conversation.entries)} Speak, and they go on.
      </p>
      <button
        type="button"
        className="button small"
        disabled={isBusy}
        onClick={() => void attempt(() => actions.resume())}
      >
        <Icon name="play" size={14} /> Resume
      </button>
    </div>
  );
}
