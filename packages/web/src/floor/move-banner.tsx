import { Icon } from "../shell/icon.tsx";
import { useScene } from "../state/context.ts";
import type { MoveView } from "../wire/types.ts";
import { useDeed } from "./deed.ts";

/** Asks the owner about agents that answer from another address than before. */
export default function MoveBanner() {
  const { moves = [] } = useScene().conversation.view;
  return moves.map((move) => <Move key={`${move.speakerUri} ${move.serviceUrl}`} move={move} />);
}

function Move({ move: { speakerUri, serviceUrl, name = speakerUri, boundTo } }: { move: MoveView }) {
  const { actions } = useScene();
  const { isBusy, attempt } = useDeed();
  const answer = (allow: boolean) => void attempt(() => actions.answerMove(speakerUri, allow));
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
