import { isSameUri } from "@plenary/protocol";
import {
  type DragEvent,
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import { matches, useKeyHandler } from "../keyboard/shortcuts.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import type { ConversationState } from "../state/types.ts";
import { Parts, texts } from "../texts/texts.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { AttachmentChips, filesOf } from "./attachments.tsx";
import { DictationNotice } from "./dictation.tsx";
import { FloorHint } from "./floor-hint.tsx";
import { SuggestionList } from "./suggestions.tsx";
import { Toolbar } from "./toolbar.tsx";
import { type ComposerState, useComposer } from "./use-composer.ts";
import { WhisperBar } from "./whisper-bar.tsx";

/** The composer, or the reason why there is none. */
export function Composer({ ref }: { ref?: Ref<ComposerHandle> }) {
  const { conversation } = useOpenConversation();
  const { open, mayHost } = usePageServices();
  const end = endNoticeOf(conversation);
  if (end === undefined) return <ComposeForm key={`${conversation.me} ${conversation.id}`} {...(ref && { ref })} />;
  return (
    <section className="compose compose-end" aria-label={texts.compose.label}>
      <Icon name={end.icon} size={20} />
      <p>
        <strong>{end.title}</strong> {end.words}
      </p>
      {mayHost && <Button text={texts.common.newConversation} onClick={() => open("new")} />}
    </section>
  );
}

type EndNotice = { icon: IconName; title: string; words: string };

function endNoticeOf({ connection, problem, view, me }: ConversationState): EndNotice | undefined {
  if (connection === "loading") return undefined;
  const isSeated = view.conversants.some(({ identification }) => isSameUri(identification.speakerUri, me));
  if (connection === "gone" && isSeated) {
    return { icon: "warning", title: texts.compose.gone, words: problem ?? texts.compose.goneWhy };
  }
  if (view.isClosed) return { icon: "lock", title: texts.compose.closed, words: texts.compose.closedWhy };
  if (isSeated) return undefined;
  return { icon: "door", title: texts.errors.notInConversation, words: texts.compose.notInWhy };
}

/** Methods of the composer for other parts of the page. */
export type ComposerHandle = {
  mention(speakerUri: string): void;
  /** Without a speakerUri the composer asks for the recipient. */
  whisper(speakerUri?: string): void;
  focus(): void;
  insert(text: string): void;
};

/** The text field with its toolbar and notices. */
function ComposeForm({ ref }: { ref?: Ref<ComposerHandle> }) {
  const composing = useComposer();
  const { composerText, recipients, addressee, field, attached, sending, error, showError, suggestions, dictation } =
    composing;
  const { mention, insert, whisper, whisperToAnother, speakToAll } = composing;
  const [isOver, setOver] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useImperativeHandle(ref, () => ({ mention, insert, whisper, focus: () => field.current?.focus() }));
  useInitialFocus(field);
  useAltKeys({ "alt+w": composerText.isWhisper ? speakToAll : () => whisper(), "alt+s": sending.stop });

  const send = () => {
    sending.send(composerText);
    if (composerText.isWhisper && addressee === undefined)
      form.current?.querySelector<HTMLElement>(".compose-recipients button")?.focus();
    else field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const isInField = event.target === field.current;
    const isSend = isInField && event.key === "Enter" && !event.shiftKey && !event.altKey;
    if (isInField && suggestions.onKey(event)) event.preventDefault();
    else if (isSend) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && composerText.isWhisper) {
      event.preventDefault();
      speakToAll();
    }
  };
  const onDrag = (event: DragEvent, isNowOver: boolean) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(isNowOver);
  };
  const looks = ["compose-frame", composerText.isWhisper && "compose-private", isOver && "compose-over"];
  return (
    <form
      ref={form}
      className="compose"
      aria-label={texts.compose.label}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={onKeyDown}
      onDragOver={(event) => onDrag(event, true)}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        onDrag(event, false);
        attached.add(filesOf(event));
      }}
    >
      <FloorHint />
      <DictationNotice dictation={dictation} />
      {error !== undefined && <DismissibleError words={error} onDismiss={() => showError(undefined)} />}
      <div className={looks.filter(Boolean).join(" ")}>
        {composerText.isWhisper && (
          <WhisperBar
            recipients={recipients}
            addressee={addressee}
            onChoose={(speakerUri) => (speakerUri === undefined ? whisperToAnother() : whisper(speakerUri))}
            onLeave={speakToAll}
          />
        )}
        <Addressee composing={composing} />
        <AttachmentChips attached={attached} />
        <SuggestionList suggestions={suggestions} />
        <Field composing={composing} />
        <Toolbar composing={composing} />
      </div>
    </form>
  );
}

function Field({ composing }: { composing: ComposerState }) {
  const { composerText, change, field, updateCaret, addressee, attached, suggestions } = composing;
  const id = useId();
  const label = labelOf(composing);
  const isOpen = suggestions.list.length > 0;
  return (
    <>
      <label className="unseen" htmlFor={id}>
        {label}
      </label>
      <textarea
        ref={field}
        id={id}
        className="compose-field"
        rows={1}
        dir="auto"
        placeholder={label}
        value={composerText.text}
        aria-autocomplete="list"
        aria-keyshortcuts="Alt+W"
        {...(isOpen && {
          role: "combobox",
          "aria-expanded": true,
          "aria-controls": suggestions.id,
          "aria-activedescendant": `${suggestions.id}-${suggestions.active}`,
        })}
        data-private={composerText.isWhisper && addressee !== undefined}
        onChange={({ target: { value } }) => {
          // After the last mention is deleted, the next mention addresses again.
          change((before) => ({ ...before, text: value, isToAll: before.isToAll && value.includes("@") }));
          updateCaret();
        }}
        onSelect={updateCaret}
        onPaste={(event) => {
          const files = filesOf(event);
          if (files.length === 0) return;
          event.preventDefault();
          attached.add(files);
        }}
      />
    </>
  );
}

function labelOf({ composerText, addressee }: ComposerState): string {
  if (composerText.isWhisper)
    return addressee === undefined ? texts.compose.chooseRecipient : texts.compose.whisperTo(addressee.name);
  return addressee === undefined ? texts.compose.sayToAll : texts.compose.sayTo(addressee.name);
}

/** Shows the addressee of a public utterance. Everyone else sees it too. */
function Addressee({ composing: { composerText, change, addressee, field } }: { composing: ComposerState }) {
  if (composerText.isWhisper || addressee === undefined) return null;
  const remove = () => {
    change((before) => ({ ...before, isToAll: true }));
    field.current?.focus();
  };
  return (
    <p className="compose-to">
      <span className="compose-chip">
        <Parts of={texts.compose.to(<bdi>{addressee.name}</bdi>)} />
        <button type="button" aria-label={texts.compose.toAllInstead(addressee.name)} onClick={remove}>
          <Icon name="close" size={13} />
        </button>
      </span>
      <span className="quiet">{texts.compose.everyoneHears}</span>
    </p>
  );
}

function DismissibleError({ words, onDismiss }: { words: string; onDismiss(): void }) {
  return (
    <div className="trouble compose-trouble" role="alert">
      <span>{words}</span>
      <IconButton icon="close" size={14} isSmall label={texts.common.dismiss} onClick={onDismiss} />
    </div>
  );
}

/** Keys that work wherever the focus is, except in a dialog. */
function useAltKeys(keys: Readonly<Record<string, () => void>>): void {
  useKeyHandler((event, place) => {
    if (!event.altKey || event.repeat) return undefined;
    return Object.entries(keys).find(([key]) => matches(event, key, place))?.[1];
  });
}

/** Focuses the field when the page opens, except on touch devices where a keyboard would cover the page. */
function useInitialFocus(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const isFree = document.activeElement === null || document.activeElement === document.body;
    if (isFree && matchMedia("(hover: hover)").matches) field.current?.focus();
  }, [field]);
}
