import type { AddressChange } from "../api/types.ts";
import { useOpenConversation } from "../state/context.ts";
import { Icon } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";

/** Asks the owner about agents that answer from another address than before. */
export default function AddressChangeBanner() {
  const { moves = [] } = useOpenConversation().conversation.view;
  return moves.map((move) => <AddressChangeItem key={`${move.speakerUri} ${move.serviceUrl}`} move={move} />);
}

function AddressChangeItem({ move: { speakerUri, serviceUrl, name = speakerUri, boundTo } }: { move: AddressChange }) {
  const { actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  const answer = (allow: boolean) => void run(() => actions.answerMove(speakerUri, allow));
  return (
    <div className="floor-move" role="status">
      <Icon name="warning" />
      <p>
        <b>{name}</b> now answers from {serviceUrl}
        {boundTo !== undefined && `; it was at ${boundTo}`}. Allow it only if you know that it moved.
      </p>
      <button type="button" className="button small" disabled={isBusy} onClick={() => answer(true)}>
        Allow<span className="unseen"> {name}</span>
      </button>
      <button type="button" className="button small" disabled={isBusy} onClick={() => answer(false)}>
        Refuse<span className="unseen"> {name}</span>
      </button>
    </div>
  );
}
