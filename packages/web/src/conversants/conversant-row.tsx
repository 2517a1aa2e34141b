import { nameIn, written } from "@plenary/transcript";
import type { ConversantView } from "../api/types.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
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
              <bdi>{written(role)}</bdi>
            </span>
          ))}
        </p>
        <p className="quiet floor-conversant-state">
          <span>
            {speakerUri === me ? "you" : kind} ·{" "}
            {activity !== undefined ? (
              <span className="floor-answering">{activity} …</span>
            ) : (
              <span className={isHolding ? "floor-holds" : undefined}>{floorWords(conversant, isWaiting)}</span>
            )}
          </span>
          {presence === "away" && <span>away</span>}
          {misses > 0 && <span className="floor-ailing">did not answer {times(misses)}</span>}
        </p>
        <details className="floor-about">
          <summary>
            About
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
      <CopyButton text={address} what={`the ${what}`} />
    </p>
  );
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function floorWords({ state, hasFloor }: ConversantView, isWaiting: boolean): string {
  if (state === "invited") return "invited, has not answered yet";
  if (hasFloor) return "has the floor";
  return isWaiting ? "asked for the floor" : "listening";
}
