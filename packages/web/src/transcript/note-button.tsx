import { convenerOf } from "../conversants/allowed-actions.ts";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { useAsyncAction } from "../ui/use-async-action.ts";

/** Grants the floor to a silent agent; without `grants` it ends convening. */
export default function NoteButton({ grants }: { grants: string | undefined }) {
  const { conversation, actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  const { view, me } = conversation;
  if (grants === undefined && (view.isClosed || view.owner !== me || convenerOf(view) === undefined)) return null;
  const act = () => (grants === undefined ? actions.appointConvener(undefined) : actions.grant(grants));
  return (
    <button type="button" className="button small" disabled={isBusy} onClick={() => void run(act)}>
      {grants === undefined ? texts.transcript.endConvening : texts.transcript.giveFloor}
    </button>
  );
}
