import type { Dialler } from "@plenary/sdk";
import type { Layer } from "../media.ts";

/** addressed: whoever calls it is answered. open: also a person who speaks to everyone, unless the model declines. */
export type LlmPolicy = "addressed" | "open";

type LlmTimeouts = {
  /** To the first byte of the answer: a model on one's own machine may have to be loaded first. */
  firstByteMs: number;
  /** Between any two bytes of it. */
  silenceMs: number;
  totalMs: number;
  /** How long a busy or unreachable model is tried again. */
  retryMs: number;
  /** How long the first words are waited for before others are shown that something is coming. */
  patienceMs: number;
};

export type HistoryMax = { utterances: number; characters: number };

export type LlmSettings = {
  /** Of any OpenAI-compatible endpoint, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  /** Sent as a bearer token to the base URL, and told to nobody else. */
  key?: string;
  /** The conversationalName. Default: made from the model. */
  name?: string;
  /** What it is for, and how it speaks. */
  instructions?: string;
  policy?: LlmPolicy;
  /** What the model can be told; video never. Default: text and image. */
  takes?: readonly Layer[];
  /** How much of what was said before the model is told. */
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

const historyMax: HistoryMax = { utterances: 40, characters: 12_000 };

/** The same with nothing left open. */
export type LlmConfig = Required<
  Pick<LlmSettings, "baseUrl" | "model" | "name" | "policy" | "takes" | "dialler" | "onError">
> &
  Pick<LlmSettings, "key" | "instructions" | "maxTokens" | "temperature"> & {
    timeouts: LlmTimeouts;
    historyMax: HistoryMax;
    /** Answers that are under way. */
    load: { count: number };
  };

export function llmConfigOf(settings: LlmSettings): LlmConfig {
  const { name, policy = "addressed", takes = ["text", "image"], onError = (error) => console.error(error) } = settings;
  return {
    ...settings,
    name: name ?? nameOfModel(settings.model),
    ...{ policy, takes, onError },
    timeouts: { ...timeouts, ...settings.timeouts },
    historyMax: { ...historyMax, ...settings.historyMax },
    load: { count: 0 },
  };
}

/** `meta/llama-3.1-8b-instruct` is called Llama, `gpt-4o` is called GPT: a name that people can write. */
function nameOfModel(model: string): string {
  const [word = "Model"] = /\p{L}{2,}/u.exec(model.split("/").at(-1) ?? "") ?? [];
  return /[aeiouy]/iu.test(word) ? `${word.charAt(0).toUpperCase()}${word.slice(1)}` : word.toUpperCase();
}
