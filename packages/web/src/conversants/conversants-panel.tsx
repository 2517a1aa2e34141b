import { nameIn } from "@plenary/transcript";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import { Parts } from "../texts/parts.tsx";
import { texts } from "../texts/texts.ts";
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
    <section className="floor-panel" aria-label={texts.conversants.label}>
      {isHere && (
        <div className="floor-panel-actions">
          <OwnFloor hasFloor={own.hasFloor} isWaiting={view.floorRequested.includes(me)} />
          <button type="button" className="button" onClick={() => open("invite")}>
            <Icon name="add" /> {texts.head.invite}
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
        <Icon name="floor" /> {texts.conversants.yieldFloor}
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
      <Icon name="hand" /> {isWaiting ? texts.conversants.handIsUp : texts.conversants.raiseHand}
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
          texts.conversants.noConvener
        ) : (
          <Parts of={texts.conversants.convener(<bdi>{nameIn(conversation, convener)}</bdi>)} />
        )}
      </span>
      {isOwner && (
        <button type="button" className="button plain small" onClick={() => open("convener")}>
          {convener === undefined ? texts.conversants.choose : texts.conversants.change}
          <span className="unseen"> {texts.conversants.theConvener}</span>
        </button>
      )}
    </div>
  );
}
