import { useRef } from "react";
import { useOpenConversation } from "../state/context.ts";
import { Icon } from "../ui/icon.tsx";
import { acceptedTypes } from "./attachment-file.ts";
import { DictationButton } from "./dictation-button.tsx";
import type { ComposerState } from "./use-composer.ts";

export function Toolbar({ composing }: { composing: ComposerState }) {
  const { composerText, addressee, attached, sending, dictation, whisper, speakToAll } = composing;
  const { conversation } = useOpenConversation();
  const isAnswering = conversation.awaited.length > 0 || conversation.drafts.length > 0;
  const isEmpty = composerText.text.trim() === "" && attached.list.length === 0;
  const verb = composerText.isWhisper ? "Whisper" : "Send";
  return (
    <div className="compose-tools">
      <AttachButton onFiles={attached.add} />
      <DictationButton dictation={dictation} />
      <button
        type="button"
        className="button plain compose-lock"
        aria-pressed={composerText.isWhisper}
        aria-keyshortcuts="Alt+W"
        title="Whisper to one conversant (Alt+W)"
        onClick={() => (composerText.isWhisper ? speakToAll() : whisper())}
      >
        <Icon name="lock" />
        <span className="compose-word">{composerText.isWhisper ? "Whispering" : "Whisper"}</span>
      </button>
      <span className="quiet compose-keys" aria-hidden="true">
        {!composerText.isWhisper && (
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
        aria-label={composerText.isWhisper && addressee ? `Whisper to ${addressee.name}` : verb}
        disabled={isEmpty}
      >
        <Icon name={composerText.isWhisper ? "lock" : "send"} size={16} />
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
          // Allows choosing the same file again.
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
