import { useEffect, useRef } from "react";
import { Avatar } from "../ui/avatar.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Recipient } from "./recipients.ts";

type Props = {
  recipients: readonly Recipient[];
  addressee: Recipient | undefined;
  onChoose(speakerUri: string | undefined): void;
  onLeave(): void;
};

/** Shows that the text is private and who will see it. */
export function WhisperBar({ recipients, addressee, onChoose, onLeave }: Props) {
  return (
    <>
      <div className="compose-whisper">
        <Icon name="lock" size={16} />
        <p className="compose-only">{whisperNotice(recipients, addressee)}</p>
        <span className="compose-whisper-ends">
          {addressee !== undefined && recipients.length > 1 && (
            <button type="button" className="button plain small" onClick={() => onChoose(undefined)}>
              Somebody else
            </button>
          )}
          <button type="button" className="button plain small" onClick={onLeave}>
            To everyone <kbd>Esc</kbd>
          </button>
        </span>
      </div>
      {addressee === undefined && recipients.length > 0 && (
        <RecipientChoice recipients={recipients} onChoose={onChoose} />
      )}
    </>
  );
}

function whisperNotice(recipients: readonly Recipient[], addressee: Recipient | undefined) {
  if (recipients.length === 0) return "Nobody else is here to whisper to";
  if (addressee === undefined) return <strong>Whisper to whom?</strong>;
  return (
    <>
      Only{" "}
      <strong>
        <bdi>{addressee.name}</bdi>
      </strong>{" "}
      will see this
    </>
  );
}

function RecipientChoice({ recipients, onChoose }: Pick<Props, "recipients" | "onChoose">) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <fieldset className="compose-recipients" aria-label="Whisper to whom?">
      {recipients.map(({ speakerUri, name, identification, kind }, index) => (
        <button
          key={speakerUri}
          ref={index === 0 ? first : null}
          type="button"
          className="button small"
          onClick={() => onChoose(speakerUri)}
        >
          <Avatar isSmall speakerUri={speakerUri} identification={identification} kind={kind} />
          <bdi>{name}</bdi>
        </button>
      ))}
    </fieldset>
  );
}
