import { nameIn, singleLine } from "@plenary/transcript";
import type { ConversantView } from "../api/types.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { activityOf } from "./activity.ts";
import { allowedActions, isProtectedByOwner, rolesOf } from "./allowed-actions.ts";
import { ConversantMenu } from "./conversant-menu.tsx";

type Props = {
  conversant: ConversantView;
  onMention: (speakerUri: string) => void;
  onWhisper: (speakerUri: string) => void;
};

export function ConversantRow({ conversant, onMention, onWhisper }: Props) {
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
