import { useEffect, useRef } from "react";
import { Avatar } from "../shell/avatar.tsx";
import { Icon } from "../shell/icon.tsx";
import type { Person } from "./people.ts";

type Props = {
  people: readonly Person[];
  addressee: Person | undefined;
  onChoose(speakerUri: string | undefined): void;
  onLeave(): void;
};

/** Says beyond doubt that, and for whom, this is private. */
export function WhisperBar({ people, addressee, onChoose, onLeave }: Props) {
  return (
    <>
      <div className="compose-whisper">
        <Icon name="lock" size={16} />
        <p className="compose-only">{wordsOf(people, addressee)}</p>
        <span className="compose-whisper-ends">
          {addressee !== undefined && people.length > 1 && (
            <button type="button" className="button plain small" onClick={() => onChoose(undefined)}>
              Somebody else
            </button>
          )}
          <button type="button" className="button plain small" onClick={onLeave}>
            To everyone <kbd>Esc</kbd>
          </button>
        </span>
      </div>
      {addressee === undefined && people.length > 0 && <Whom people={people} onChoose={onChoose} />}
    </>
  );
}

function wordsOf(people: readonly Person[], addressee: Person | undefined) {
  if (people.length === 0) return "Nobody else is here to whisper to";
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

function Whom({ people, onChoose }: Pick<Props, "people" | "onChoose">) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <fieldset className="compose-whom" aria-label="Whisper to whom?">
      {people.map(({ speakerUri, name, identification, kind }, index) => (
        <button
          key={speakerUri}
          ref={index === 0 ? first : null}
          type="button"
          className="button small"
          onClick={() => onChoose(speakerUri)}
        >
          <Avatar isSmall {...{ speakerUri, identification, kind }} />
          <bdi>{name}</bdi>
        </button>
      ))}
    </fieldset>
  );
}
