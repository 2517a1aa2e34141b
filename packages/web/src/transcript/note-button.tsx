import { useDeed } from "../floor/deed.ts";
import { convenerOf } from "../floor/offers.ts";
import { useScene } from "../state/context.ts";

/** Gives a silent agent the floor; without one it ends convening, as long as somebody convenes. */
export default function NoteButton({ grants }: { grants: string | undefined }) {
  const { conversation, actions } = useScene();
  const { isBusy, attempt } = useDeed();
  const { view, me } = conversation;
  if (grants === undefined && (view.isClosed || view.owner !== me || convenerOf(view) === undefined)) return null;
  const act = () => (grants === undefined ? actions.appointConvener(undefined) : actions.grant(grants));
  return (
    <button type="button" className="button small" disabled={isBusy} onClick={() => void attempt(act)}>
      {grants === undefined ? "End convening" : "Give it the floor"}
    </button>
  );
}
