import type { SpeechSegment } from "../ssml/parse-ssml.ts";

/** Text that is spoken in one call of the speech API. */
type SpeechChunk = Omit<SpeechSegment, "emphasis" | "pauseBeforeMs"> & { voice?: Voice };

/** The properties of a voice that the choice needs. */
export type Voice = { name: string; lang: string; voiceURI: string; localService: boolean };

/**
 * The part of the speech API that is used. Both calls return a function that cancels; a cancelled call does not call
 * back.
 */
export interface Synthesis {
  voices(): readonly Voice[];
  say(breath: SpeechChunk, onEnd: () => void): () => void;
  wait(ms: number, onEnd: () => void): () => void;
}

export type SpeechSource = { speakerUri: string; language?: string };

export type SpeechQueue = ReturnType<typeof createSpeechQueue>;

/** Maximum queue length; beyond it the oldest waiting entry is dropped. */
export const waitingMax = 30;
/** Some browsers stop in the middle of longer texts. */
const chunkMax = 220;

/** Speaks one utterance at a time, in order. */
export function createSpeechQueue(synthesis: Synthesis) {
  const waiting: { breaths: QueuedChunk[]; speech: SpeechSource }[] = [];
  const listeners = new Set<() => void>();
  let now: SpeechSource | undefined;
  let cancelCurrent = () => {};

  const change = (speech: SpeechSource | undefined) => {
    if (speech === now) return;
    now = speech;
    for (const listener of listeners) listener();
  };

  const next = () => {
    const first = waiting[0];
    const turn = first?.breaths.shift();
    if (first === undefined) return change(undefined);
    if (turn === undefined) {
      waiting.shift();
      return next();
    }
    change(first.speech);
    const { pauseBeforeMs, ...breath } = turn;
    const say = () => {
      cancelCurrent = synthesis.say(withVoice(breath, first.speech, synthesis.voices()), next);
    };
    if (pauseBeforeMs > 0) cancelCurrent = synthesis.wait(pauseBeforeMs, say);
    else say();
  };

  return {
    /** Waits for everything queued before. */
    speak(segments: readonly SpeechSegment[], speech: SpeechSource) {
      waiting.push({ breaths: segments.flatMap(queuedChunks), speech });
      // The first one is being spoken.
      if (waiting.length > waitingMax + 1) waiting.splice(1, 1);
      if (now === undefined) next();
    },
    /** Stops at once and empties the queue. */
    stop() {
      waiting.length = 0;
      cancelCurrent();
      cancelCurrent = () => {};
      change(undefined);
    },
    /** Source of the current speech. */
    speaking: () => now,
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

type QueuedChunk = Omit<SpeechChunk, "voice"> & { pauseBeforeMs: number };

/** Splits a segment into chunks. Browsers have no emphasis, so it becomes a change of rate and pitch. */
function queuedChunks(segment: SpeechSegment): QueuedChunk[] {
  const { emphasis, text, rate, pitch, pauseBeforeMs, ...rest } = segment;
  const weight = emphasis === undefined ? 0 : { strong: 0.15, moderate: 0.08, reduced: -0.08 }[emphasis];
  return chunksOf(text).map((words, index) => ({
    ...rest,
    text: words,
    rate: rate * (1 - weight),
    pitch: Math.min(2, pitch * (1 + weight)),
    pauseBeforeMs: index === 0 ? pauseBeforeMs : 0,
  }));
}

export function chunksOf(text: string): string[] {
  const breaths: string[] = [];
  let rest = text.trim();
  while (rest.length > chunkMax) {
    const head = rest.slice(0, chunkMax);
    const sentence = Math.max(...[". ", "! ", "? ", "\n", "; ", "。"].map((mark) => head.lastIndexOf(mark)));
    const end = sentence > 40 ? sentence + 1 : Math.max(head.lastIndexOf(" "), head.lastIndexOf(","));
    // Never cut between the two halves of a surrogate pair.
    const cut = end > 0 ? end : chunkMax - (/[\ud800-\udbff]$/.test(head) ? 1 : 0);
    breaths.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return [...breaths, rest].filter((breath) => breath !== "");
}

function withVoice(breath: Omit<SpeechChunk, "voice">, speech: SpeechSource, voices: readonly Voice[]): SpeechChunk {
  const language = breath.language ?? speech.language;
  const voice = voiceOf(speech.speakerUri, language, voices);
  return { ...breath, ...(language !== undefined && { language }), ...(voice !== undefined && { voice }) };
}

/**
 * Always the same voice for a conversant, among those of the language. Only local voices: remote ones send the text to
 * a service.
 */
export function voiceOf(speakerUri: string, language: string | undefined, voices: readonly Voice[]): Voice | undefined {
  const local = voices.filter(({ localService }) => localService);
  const tag = (language ?? "").toLowerCase().replace("_", "-");
  const [base = ""] = tag.split("-");
  const tagOf = ({ lang }: Voice) => lang.toLowerCase().replace("_", "-");
  const exact = local.filter((voice) => tagOf(voice) === tag);
  const near = local.filter((voice) => tagOf(voice).split("-")[0] === base);
  const choice = exact.length > 0 ? exact : near.length > 0 ? near : local;
  const sorted = [...choice].sort((a, b) => (a.voiceURI < b.voiceURI ? -1 : 1));
  return sorted.length === 0 ? undefined : sorted[hashOf(speakerUri) % sorted.length];
}

function hashOf(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}

/** A voice that never fires its end event must not block the queue. */
const timeoutMs = 8_000;
const timeoutPerLetterMs = 180;

let pageQueue: SpeechQueue | undefined;

/** One queue for all speech of the page. */
export function pageSpeechQueue(): SpeechQueue | undefined {
  const hasSpeech = typeof speechSynthesis !== "undefined" && typeof SpeechSynthesisUtterance !== "undefined";
  if (hasSpeech) pageQueue ??= createSpeechQueue(browserSynthesis(speechSynthesis));
  return pageQueue;
}

function browserSynthesis(synthesis: SpeechSynthesis): Synthesis {
  // Some browsers load voices on the first call.
  synthesis.getVoices();
  return {
    voices: () => synthesis.getVoices(),
    say: (breath, onEnd) => say(synthesis, breath, onEnd),
    wait(ms, onEnd) {
      const timer = setTimeout(onEnd, ms);
      return () => clearTimeout(timer);
    },
  };
}

function say(synthesis: SpeechSynthesis, breath: SpeechChunk, onEnd: () => void): () => void {
  const voices = synthesis.getVoices();
  const voice = voices.find(({ voiceURI }) => voiceURI === breath.voice?.voiceURI);
  // Without a local voice nothing is spoken: a remote voice would send the text to a service.
  if (voice === undefined && voices.length > 0) {
    const timer = setTimeout(onEnd, 0);
    return () => clearTimeout(timer);
  }
  const utterance = new SpeechSynthesisUtterance(breath.text);
  Object.assign(utterance, { rate: breath.rate, pitch: breath.pitch, volume: breath.volume });
  if (voice !== undefined) utterance.voice = voice;
  if (breath.language !== undefined) utterance.lang = breath.language;
  let isOver = false;
  const finish = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(watch);
    onEnd();
  };
  const watch = setTimeout(
    () => {
      synthesis.cancel();
      finish();
    },
    timeoutMs + (timeoutPerLetterMs * breath.text.length) / breath.rate,
  );
  utterance.onend = finish;
  utterance.onerror = finish;
  synthesis.speak(utterance);
  return () => {
    isOver = true;
    clearTimeout(watch);
    synthesis.cancel();
  };
}
