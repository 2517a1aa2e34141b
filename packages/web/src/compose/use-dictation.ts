import { useEffect, useRef, useState } from "react";
import { createDictation, type Dictation } from "../features/speech/dictation.ts";
import { usePageServices } from "../state/context.ts";
import { browserStorage } from "../state/storage.ts";
import { texts } from "../texts/texts.ts";

export type DictationControl = {
  isListening: boolean;
  /** Recognized text that may still change. */
  interim: string;
  /** A notice about dictation. `asks` is true when it asks for consent. */
  notice: { words: string; asks: boolean } | undefined;
  start(): void;
  stop(): void;
  /** The person has read where the audio goes. */
  agree(): void;
  dismiss(): void;
};

const consentKey = "knows-where-audio-goes";

/** Dictation into the field. Before its first use a notice says where the audio goes and asks for consent. */
export function useDictation(onWords: (words: string) => void): DictationControl {
  const { announce } = usePageServices();
  const [isListening, setListening] = useState(false);
  const [interim, setInterim] = useState("");
  const [notice, setNotice] = useState<DictationControl["notice"]>();
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
    agree: () => {
      browserStorage.put(consentKey, true);
      const ear = prepare();
      if (ear !== undefined) listen(ear);
    },
    dismiss: () => setNotice(undefined),
  };
}
