import { nameIn } from "@plenary/transcript";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import { Icon } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import { convenerOf, conversantOf } from "./allowed-actions.ts";
import { ConversantRow } from "./conversant-row.tsx";

type Props = { onMention: (speakerUri: string) => void; onWhisper: (speakerUri: string) => void };

/** Lists the conversants with their floor state and actions. */
export function ConversantsPanel({ onMention, onWhisper }: Props) {
  const { view, me } = useOpenConversation().conversation;
  const { open } = usePageServices();
  const own = conversantOf(view, me);
  const isHere = own?.state === "joined" && !view.isClosed;
  return (
    <section className="floor-panel" aria-label="Conversants">
      {isHere && (
        <div className="floor-panel-actions">
          <OwnFloor hasFloor={own.hasFloor} isWaiting={view.floorRequested.includes(me)} />
          <button type="button" className="button" onClick={() => open("invite")}>
            <Icon name="add" /> Invite
          </button>
        </div>
      )}
      <ul className="bare floor-conversants">
        {view.conversants.map((conversant) => (
          <ConversantRow
            key={conversant.identification.speakerUri}
            conversant={conversant}
            onMention={onMention}
            onWhisper={onWhisper}
          />
        ))}
      </ul>
      <ConvenerLine isOwner={isHere && view.owner === me} />
    </section>
  );
}

/** Requests the floor or yields it. */
function OwnFloor({ hasFloor, isWaiting }: { hasFloor: boolean; isWaiting: boolean }) {
  const { actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  if (hasFloor) {
    return (
      <button type="button" className="button" disabled={isBusy} onClick={() => void run(() => actions.yieldFloor())}>
        <Icon name="floor" /> Yield floor
      </button>
    );
  }
  return (
    <button
      type="button"
      className={isWaiting ? "button" : "button main"}
      disabled={isBusy || isWaiting}
      onClick={() => void run(() => actions.raiseHand())}
    >
      <Icon name="hand" /> {isWaiting ? "Your hand is up" : "Raise hand"}
    </button>
  );
}

function ConvenerLine({ isOwner }: { isOwner: boolean }) {
  const { conversation } = useOpenConversation();
  const { view } = conversation;
  const { open } = usePageServices();
  const convener = convenerOf(view);
  return (
    <div className="floor-convener">
      <span className="quiet">
        {convener === undefined ? (
          "No convener"
        ) : (
          <>
            Convener: <bdi>{nameIn(conversation, convener)}</bdi>
          </>
        )}
      </span>
      {isOwner && (
        <button type="button" className="button plain small" onClick={() => open("convener")}>
          {convener === undefined ? "Choose" : "Change"}
          <span className="unseen"> the convener</span>
        </button>
      )}
    </div>
  );
}
