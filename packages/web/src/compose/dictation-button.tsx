import type { MouseEvent } from "react";
import { texts } from "../texts/texts.ts";
import { Icon } from "../ui/icon.tsx";
import type { DictationControl } from "./use-dictation.ts";

/** Listens while a pointer holds it; keyboard clicks switch it on and off. */
export function DictationButton({ dictation }: { dictation: DictationControl }) {
  const { isListening, start, stop } = dictation;
  const toggle = (event: MouseEvent) => {
    // Clicks by keyboard or screen reader come without pointer events.
    if (event.detail !== 0) return;
    if (isListening) stop();
    else start();
  };
  return (
    <button
      type="button"
      className={isListening ? "button plain icon compose-listens" : "button plain icon"}
      aria-label={texts.dictation.talk}
      aria-pressed={isListening}
      title={texts.dictation.hold}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start();
      }}
      onPointerUp={stop}
      onPointerCancel={stop}
      onContextMenu={(event) => event.preventDefault()}
      onClick={toggle}
    >
      <Icon name="mic" />
    </button>
  );
}

/** The recognized text while listening, or a notice about dictation. */
export function DictationNotice({
  dictation: { isListening, interim, notice, agree, dismiss },
}: {
  dictation: DictationControl;
}) {
  if (isListening) {
    return (
      <p className="compose-caption">
        <span className="compose-caption-dot" aria-hidden="true" />
        {interim === "" ? <span className="quiet">{texts.dictation.listening} ...</span> : interim}
      </p>
    );
  }
  if (notice === undefined) return null;
  return (
    <div className="compose-hint compose-notice" role="status">
      <Icon name="mic" size={16} />
      <span>{notice.words}</span>
      {notice.asks && (
        <button type="button" className="button small" onClick={agree}>
          {texts.dictation.talk}
        </button>
      )}
      <button type="button" className="button plain small" onClick={dismiss}>
        {notice.asks ? texts.dictation.notNow : texts.common.ok}
      </button>
    </div>
  );
}
