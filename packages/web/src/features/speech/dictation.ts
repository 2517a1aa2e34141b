import { texts } from "../../texts/texts.ts";
/** The part of the SpeechRecognition API that is used. It is not in TypeScript's DOM types. */
export interface Recognition {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  processLocally?: boolean;
  onresult: ((event: RecognitionEvent) => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
  abort(): void;
}

type RecognitionEvent = {
  resultIndex: number;
  results: ArrayLike<{ isFinal: boolean; 0?: { transcript: string } }>;
};

type RecognitionMaker = {
  new (): Recognition;
  available?(options: { langs: string[]; processLocally: boolean }): Promise<string>;
};

type DictationOptions = {
  language: string;
  /** Recognized text that may still change. */
  onInterim(text: string): void;
  onFinal(text: string): void;
  onEnd(): void;
  /** A text for people. */
  onProblem(sentence: string): void;
};

export type Dictation = NonNullable<ReturnType<typeof createDictation>>;

/** Push-to-talk dictation. Undefined when the browser has no speech recognition. */
export function createDictation(options: DictationOptions, maker = recognitionMaker()) {
  if (maker === undefined) return undefined;
  const isLocal = isLocalRecognition(maker, options.language);
  let recognition: Recognition | undefined;
  let isWanted = false;
  return {
    async start() {
      isWanted = true;
      const processLocally = await isLocal;
      if (!isWanted || recognition !== undefined) return;
      recognition = prepare(new maker(), options, () => {
        recognition = undefined;
      });
      if (processLocally) recognition.processLocally = true;
      recognition.start();
    },
    /** Words spoken until now are still recognized. */
    stop() {
      isWanted = false;
      recognition?.stop();
    },
    abort() {
      isWanted = false;
      recognition?.abort();
    },
    /** A text for people, shown before they speak. */
    whereAudioGoes: async () => ((await isLocal) ? texts.dictation.local : texts.dictation.remote),
  };
}

async function isLocalRecognition(maker: RecognitionMaker, language: string): Promise<boolean> {
  try {
    return (await maker.available?.({ langs: [language], processLocally: true })) === "available";
  } catch {
    // Older browsers lack this option, so local recognition is not guaranteed.
    return false;
  }
}

function prepare(recognition: Recognition, options: DictationOptions, onOver: () => void): Recognition {
  recognition.lang = options.language;
  recognition.continuous = true;
  recognition.interimResults = true;
  recognition.onresult = ({ resultIndex, results }) => {
    const fresh = Array.from(results).slice(resultIndex);
    const words = (isFinal: boolean) =>
      fresh
        .filter((result) => result.isFinal === isFinal)
        .map((result) => result[0]?.transcript ?? "")
        .join("");
    if (words(true) !== "") options.onFinal(words(true));
    options.onInterim(words(false));
  };
  recognition.onerror = ({ error }) => {
    if (error !== "aborted") options.onProblem(problemText(error));
  };
  recognition.onend = () => {
    onOver();
    options.onEnd();
  };
  return recognition;
}

function problemText(error: string): string {
  const problems: Readonly<Record<string, string>> = texts.dictation.problems;
  return (Object.hasOwn(problems, error) && problems[error]) || texts.dictation.failed;
}

function recognitionMaker(): RecognitionMaker | undefined {
  const found: { SpeechRecognition?: RecognitionMaker; webkitSpeechRecognition?: RecognitionMaker } =
    globalThis as object;
  return found.SpeechRecognition ?? found.webkitSpeechRecognition;
}
