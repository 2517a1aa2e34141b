import type { ConversantView } from "@plenary/client";
import { nameIn, singleLine } from "@plenary/transcript";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import type { ConversationState } from "../state/types.ts";
import { Parts, texts } from "../texts/texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button, CopyButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import { allowedActions, convenerOf, conversantOf, isProtectedByOwner, rolesOf } from "./allowed-actions.ts";
import { ConversantMenu } from "./conversant-menu.tsx";

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
        <Button
          look="plain small"
          text={convener === undefined ? texts.conversants.choose : texts.conversants.change}
          unseen={texts.conversants.theConvener}
          onClick={() => open("convener")}
        />
      )}
    </div>
  );
}

function ConversantRow({ conversant, onMention, onWhisper }: Props & { conversant: ConversantView }) {
  const { conversation } = useOpenConversation();
  const { view, me } = conversation;
  const isGuest = !usePageServices().mayHost;
  const { identification, kind, hasFloor, misses, presence, state } = conversant;
  const { speakerUri, serviceUrl, synopsis } = identification;
  const name = nameIn(conversation, speakerUri);
  const activity = activityOf(conversation, speakerUri);
  const isWaiting = view.floorRequested.includes(speakerUri);
  const isHolding = hasFloor && state === "joined";
  return (
    <li className="floor-conversant">
      <Avatar speakerUri={speakerUri} identification={identification} kind={kind} hasFloor={isHolding} />
      <div className="floor-conversant-words">
        <p className="floor-conversant-name">
          <b>
            <bdi>{name}</bdi>
          </b>
          {rolesOf(view, speakerUri).map((role) => (
            <span key={role} className="floor-chip">
              <bdi>{singleLine(role)}</bdi>
            </span>
          ))}
        </p>
        <p className="quiet floor-conversant-state">
          <span>
            {speakerUri === me ? texts.common.you.label : texts.common.kinds[kind]} ·{" "}
            {activity !== undefined ? (
              <span className="floor-answering">{texts.conversants.activities[activity]}</span>
            ) : (
              <span className={isHolding ? "floor-holds" : undefined}>
                {floorState(conversant, isWaiting, speakerUri === me)}
              </span>
            )}
          </span>
          {presence === "away" && <span>{texts.conversants.away}</span>}
          {misses > 0 && <span className="floor-ailing">{texts.conversants.missed(misses)}</span>}
        </p>
        <details className="floor-about">
          <summary>
            {texts.conversants.about}
            <span className="unseen">
              {" "}
              <bdi>{name}</bdi>
            </span>
          </summary>
          {synopsis && <p>{synopsis}</p>}
          <Address what="speakerUri" address={speakerUri} />
          {serviceUrl && <Address what="serviceUrl" address={serviceUrl} />}
        </details>
      </div>
      <ConversantMenu
        speakerUri={speakerUri}
        name={name}
        onMention={onMention}
        onWhisper={onWhisper}
        offers={allowedActions(view, me, speakerUri, isGuest)}
        isKept={isProtectedByOwner(view, me, speakerUri, isGuest)}
      />
    </li>
  );
}

function Address({ what, address }: { what: string; address: string }) {
  return (
    <p className="floor-address">
      <span className="unseen">{what} </span>
      <code>{address}</code>
      <CopyButton text={address} what={texts.features.theField(what)} />
    </p>
  );
}

function floorState({ state, hasFloor }: ConversantView, isWaiting: boolean, isYou: boolean): string {
  const states = isYou ? texts.conversants.states.you : texts.conversants.states.other;
  if (state === "invited") return states.invited;
  if (hasFloor) return states.hasFloor;
  return isWaiting ? states.asked : states.listening;
}

type Unfinished = Pick<ConversationState, "drafts" | "awaited">;

/** "thinking" until the first words of the answer arrive. */
export function activityOf({ drafts, awaited }: Unfinished, speakerUri: string): "answering" | "thinking" | undefined {
  const own = drafts.filter((draft) => draft.speakerUri === speakerUri);
  if (own.some(({ text }) => text !== "")) return "answering";
  return own.length > 0 || awaited.includes(speakerUri) ? "thinking" : undefined;
}
