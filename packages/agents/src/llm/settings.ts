import type { Dialler } from "@plenary/sdk";
import type { Layer } from "../media.ts";

/** addressed: the agent answers when it is called. open: it also answers people who speak to everyone, unless the model declines. */
export type LlmPolicy = "addressed" | "open";

type LlmTimeouts = {
  /** Until the first byte of the answer: a local model may have to be loaded first. */
  firstByteMs: number;
  /** Between two bytes of the answer. */
  silenceMs: number;
  totalMs: number;
  /** How long a request to a busy or unreachable model is retried. */
  retryMs: number;
  /** After such a wait without text, an empty part shows that the answer is still coming. */
  patienceMs: number;
};

export type HistoryMax = { utterances: number; characters: number };

export type LlmSettings = {
  /** Of any OpenAI-compatible endpoint, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  /** Sent as a bearer token to the base URL, and nowhere else. */
  key?: string;
  /** The conversationalName. Default: made from the model. */
  name?: string;
  /** The agent's task and style. */
  instructions?: string;
  policy?: LlmPolicy;
  /** The media that the model can read; video never. Default: text and image. */
  takes?: readonly Layer[];
  /** How much of the history the model gets. */
  historyMax?: Partial<HistoryMax>;
  maxTokens?: number;
  temperature?: number;
  timeouts?: Partial<LlmTimeouts>;
  dialler: Dialler;
  /** Why an answer failed, with what the endpoint said; never with the key. Default: the console. */
  onError?: (error: unknown) => void;
};

const timeouts: LlmTimeouts = {
  firstByteMs: 120_000,
  silenceMs: 60_000,
  // A floor waits for five minutes in all (D23).
  totalMs: 240_000,
  retryMs: 20_000,
  patienceMs: 10_000,
};

export const historyMax: HistoryMax = { utterances: 40, characters: 12_000 };

export type LlmConfig = ReturnType<typeof llmConfigOf>;

/** The settings with all defaults filled in. */
export function llmConfigOf(settings: LlmSettings) {
  const { name, policy = "addressed", takes = ["text", "image"], onError = (error) => console.error(error) } = settings;
  return {
    ...settings,
    name: name ?? nameOfModel(settings.model),
    policy,
    takes,
    onError,
    timeouts: { ...timeouts, ...settings.timeouts },
    historyMax: { ...historyMax, ...settings.historyMax },
    /** Answers in progress. */
    load: { count: 0 },
  };
}

/** A short name that people can type: `meta/llama-3.1-8b-instruct` becomes Llama, `gpt-4o` becomes GPT. */
function nameOfModel(model: string): string {
  const [word = "Model"] = /\p{L}{2,}/u.exec(model.split("/").at(-1) ?? "") ?? [];
  return /[aeiouy]/iu.test(word) ? `${word.charAt(0).toUpperCase()}${word.slice(1)}` : word.toUpperCase();
}
