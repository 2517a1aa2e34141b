import type { AddressChange } from "@plenary/client";
import { pauseReason } from "../floor-strip/mark-text.ts";
import { useOpenConversation } from "../state/context.ts";
import { Parts, texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";

/** Asks the owner about agents that answer from another address than before. */
export function AddressChangeBanner() {
  const { moves = [] } = useOpenConversation().conversation.view;
  return moves.map((move) => <AddressChangeItem key={`${move.speakerUri} ${move.serviceUrl}`} move={move} />);
}

function AddressChangeItem({ move: { speakerUri, serviceUrl, name = speakerUri, boundTo } }: { move: AddressChange }) {
  const { actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  const button = (text: string, allow: boolean) => {
    const answer = () => void run(() => actions.answerMove(speakerUri, allow));
    return <Button look="small" text={text} unseen={name} disabled={isBusy} onClick={answer} />;
  };
  return (
    <div className="floor-move" role="status">
      <Icon name="warning" />
      <p>
        <Parts of={texts.conversants.moved(<b>{name}</b>, serviceUrl, boundTo)} />
      </p>
      {button(texts.conversants.allow, true)}
      {button(texts.conversants.refuse, false)}
    </div>
  );
}

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
