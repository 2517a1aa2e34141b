import { useEffect, useRef } from "react";
import { Parts, texts } from "../texts/texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Recipient } from "./composer-text.ts";

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
            <Button look="plain small" text={texts.compose.someoneElse} onClick={() => onChoose(undefined)} />
          )}
          <button type="button" className="button plain small" onClick={onLeave}>
            {texts.compose.toEveryone} <kbd>Esc</kbd>
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
  if (recipients.length === 0) return texts.compose.noOneToWhisperTo;
  if (addressee === undefined) return <strong>{texts.compose.whoIsWhisperFor}</strong>;
  const name = (
    <strong>
      <bdi>{addressee.name}</bdi>
    </strong>
  );
  return <Parts of={texts.compose.onlySees(name)} />;
}

function RecipientChoice({ recipients, onChoose }: Pick<Props, "recipients" | "onChoose">) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <fieldset className="compose-recipients" aria-label={texts.compose.whoIsWhisperFor}>
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
