import { useRef } from "react";
import { acceptedTypes } from "../features/attachment.ts";
import { Icon } from "../shell/icon.tsx";
import { useScene } from "../state/context.ts";
import { TalkButton } from "./talk-button.tsx";
import type { Composing } from "./use-composer.ts";

export function Toolbar({ composing }: { composing: Composing }) {
  const { draft, addressee, attached, sending, talk, whisper, speakToAll } = composing;
  const { conversation } = useScene();
  const isAnswering = conversation.awaited.length > 0 || conversation.drafts.length > 0;
  const isEmpty = draft.text.trim() === "" && attached.list.length === 0;
  const verb = draft.isWhisper ? "Whisper" : "Send";
  return (
    <div className="compose-tools">
      <AttachButton onFiles={attached.add} />
      <TalkButton talk={talk} />
      <button
        type="button"
        className="button plain compose-lock"
        aria-pressed={draft.isWhisper}
        aria-keyshortcuts="Alt+W"
        title="Whisper to one conversant (Alt+W)"
        onClick={() => (draft.isWhisper ? speakToAll() : whisper())}
      >
        <Icon name="lock" />
        <span className="compose-word">{draft.isWhisper ? "Whispering" : "Whisper"}</span>
      </button>
      <span className="quiet compose-keys" aria-hidden="true">
        {!draft.isWhisper && (
          <span>
            <kbd>@</kbd> names somebody
          </span>
        )}
        {!isAnswering && (
          <span>
            <kbd>/</kbd> commands
          </span>
        )}
      </span>
      {isAnswering && (
        <button
          type="button"
          className="button compose-stop"
          aria-keyshortcuts="Alt+S"
          title="Stop whoever is answering (Alt+S)"
          disabled={sending.isStopping}
          onClick={sending.stop}
        >
          <span className="compose-square" aria-hidden="true" /> Stop
        </button>
      )}
      <button
        type="submit"
        className="button main compose-send"
        aria-label={draft.isWhisper && addressee ? `Whisper to ${addressee.name}` : verb}
        disabled={isEmpty}
      >
        <Icon name={draft.isWhisper ? "lock" : "send"} size={16} />
        <span className="compose-word">{verb}</span>
      </button>
    </div>
  );
}

function AttachButton({ onFiles }: { onFiles(files: Iterable<File>): void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={acceptedTypes}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = "";
        }}
      />
      <button
        type="button"
        className="button plain icon"
        aria-label="Attach an image or a recording"
        title="Attach an image or a recording"
        onClick={() => input.current?.click()}
      >
        <Icon name="add" />
      </button>
    </>
  );
}
