import { nameIn } from "@plenary/transcript";
import { Icon } from "../shell/icon.tsx";
import { useDesk, useScene } from "../state/context.ts";
import { ConversantRow } from "./conversant-row.tsx";
import { useDeed } from "./deed.ts";
import { convenerOf, conversantOf } from "./offers.ts";

type Props = { onMention: (speakerUri: string) => void; onWhisper: (speakerUri: string) => void };

/** Who is here, how they stand to the floor, and what can be done about it. */
export function ConversantsPanel({ onMention, onWhisper }: Props) {
  const { view, me } = useScene().conversation;
  const { open } = useDesk();
  const own = conversantOf(view, me);
  const isHere = own?.state === "joined" && !view.isClosed;
  return (
    <section className="floor-panel" aria-label="Conversants">
      {isHere && (
        <div className="floor-panel-deeds">
          <OwnFloor hasFloor={own.hasFloor} isWaiting={view.floorRequested.includes(me)} />
          <button type="button" className="button" onClick={() => open("invite")}>
            <Icon name="add" /> Invite
          </button>
        </div>
      )}
      <ul className="bare floor-conversants">
        {view.conversants.map((conversant) => (
          <ConversantRow key={conversant.identification.speakerUri} {...{ conversant, onMention, onWhisper }} />
        ))}
      </ul>
      <ConvenerLine isOwner={isHere && view.owner === me} />
    </section>
  );
}

/** One's own hand: up to ask for the floor, down to give it to others. */
function OwnFloor({ hasFloor, isWaiting }: { hasFloor: boolean; isWaiting: boolean }) {
  const { actions } = useScene();
  const { isBusy, attempt } = useDeed();
  if (hasFloor) {
    return (
      <button
        type="button"
        className="button"
        disabled={isBusy}
        onClick={() => void attempt(() => actions.yieldFloor())}
      >
        <Icon name="floor" /> Yield floor
      </button>
    );
  }
  return (
    <button
      type="button"
      className={isWaiting ? "button" : "button main"}
      disabled={isBusy || isWaiting}
      onClick={() => void attempt(() => actions.raiseHand())}
    >
      <Icon name="hand" /> {isWaiting ? "Your hand is up" : "Raise hand"}
    </button>
  );
}

function ConvenerLine({ isOwner }: { isOwner: boolean }) {
  const { conversation } = useScene();
  const { view } = conversation;
  const { open } = useDesk();
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
