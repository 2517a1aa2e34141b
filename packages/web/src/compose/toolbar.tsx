import { useRef } from "react";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { TitledIconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { DictationButton } from "./dictation.tsx";
import type { ComposerState } from "./use-composer.ts";

/** For the file dialog. */
const acceptedTypes = "image/png,image/jpeg,image/gif,image/webp,image/avif,audio/*";

export function Toolbar({ composing }: { composing: ComposerState }) {
  const { composerText, addressee, attached, sending, dictation, whisper, speakToAll } = composing;
  const { conversation } = useOpenConversation();
  const isAnswering = conversation.awaited.length > 0 || conversation.drafts.length > 0;
  const isEmpty = composerText.text.trim() === "" && attached.list.length === 0;
  const verb = composerText.isWhisper ? texts.compose.whisper : texts.compose.send;
  return (
    <div className="compose-tools">
      <AttachButton onFiles={attached.add} />
      <DictationButton dictation={dictation} />
      <button
        type="button"
        className="button plain compose-lock"
        aria-pressed={composerText.isWhisper}
        aria-keyshortcuts="Alt+W"
        title={texts.compose.whisperTitle}
        onClick={() => (composerText.isWhisper ? speakToAll() : whisper())}
      >
        <Icon name="lock" />
        <span className="compose-word">
          {composerText.isWhisper ? texts.compose.whispering : texts.compose.whisper}
        </span>
      </button>
      <span className="quiet compose-keys" aria-hidden="true">
        {!composerText.isWhisper && (
          <span>
            <kbd>@</kbd> {texts.compose.mentionHint}
          </span>
        )}
        {!isAnswering && (
          <span>
            <kbd>/</kbd> {texts.compose.commandHint}
          </span>
        )}
      </span>
      {isAnswering && (
        <button
          type="button"
          className="button compose-stop"
          aria-keyshortcuts="Alt+S"
          title={texts.compose.stopTitle}
          disabled={sending.isStopping}
          onClick={sending.stop}
        >
          <span className="compose-square" aria-hidden="true" /> {texts.compose.stop}
        </button>
      )}
      <button
        type="submit"
        className="button main compose-send"
        aria-label={composerText.isWhisper && addressee ? texts.compose.whisperTo(addressee.name) : verb}
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
      <TitledIconButton icon="add" label={texts.compose.attach} onClick={() => input.current?.click()} />
    </>
  );
}
