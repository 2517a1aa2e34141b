import { type MouseEvent, useEffect, useRef, useState } from "react";
import { createDictation, type Dictation } from "../features/speech/dictation.ts";
import { usePageServices } from "../state/context.ts";
import { browserStorage } from "../state/storage.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

type DictationControl = ReturnType<typeof useDictation>;

const consentKey = "knows-where-audio-goes";

/** Dictation into the field. Before its first use a notice says where the audio goes and asks for consent. */
export function useDictation(onWords: (words: string) => void) {
  const { announce } = usePageServices();
  const [isListening, setListening] = useState(false);
  /** Recognized text that may still change. */
  const [interim, setInterim] = useState("");
  /** `asks` is true when the notice asks for consent. */
  const [notice, setNotice] = useState<{ words: string; asks: boolean }>();
  const dictation = useRef<Dictation>(undefined);
  const newest = useRef(onWords);
  useEffect(() => {
    newest.current = onWords;
  });
  useEffect(() => () => dictation.current?.abort(), []);

  const tell = (words: string, asks = false) => setNotice({ words, asks });
  const rest = () => {
    setInterim("");
    setListening(false);
  };
  const prepare = () => {
    dictation.current ??= createDictation({
      language: navigator.language,
      onInterim: setInterim,
      onFinal: (words) => newest.current(words),
      onEnd: rest,
      onProblem: (sentence) => {
        rest();
        tell(sentence);
      },
    });
    return dictation.current;
  };
  const listen = (ear: Dictation) => {
    setNotice(undefined);
    setListening(true);
    announce(texts.dictation.listening);
    void ear.start();
  };
  return {
    isListening,
    interim,
    notice,
    start: () => {
      const ear = prepare();
      if (ear === undefined) return tell(texts.dictation.unsupported);
      if (browserStorage.read(consentKey) === true) listen(ear);
      else void ear.whereAudioGoes().then((words) => tell(words, true));
    },
    stop: () => {
      if (isListening) dictation.current?.stop();
      // Recognition that was stopped before it started fires no end event.
      setListening(false);
    },
    /** The person has read where the audio goes. */
    agree: () => {
      browserStorage.put(consentKey, true);
      const ear = prepare();
      if (ear !== undefined) listen(ear);
    },
    dismiss: () => setNotice(undefined),
  };
}

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
export function DictationNotice({ dictation }: { dictation: DictationControl }) {
  const { isListening, interim, notice, agree, dismiss } = dictation;
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
      {notice.asks && <Button look="small" text={texts.dictation.talk} onClick={agree} />}
      <Button look="plain small" text={notice.asks ? texts.dictation.notNow : texts.common.ok} onClick={dismiss} />
    </div>
  );
}
