import { createSpeechQueue, type SpeechChunk, type SpeechQueue, type Synthesis } from "./speech-queue.ts";

/** A voice that never fires its end event must not block the queue. */
const timeoutMs = 8_000;
const timeoutPerLetterMs = 180;

function isSpeechAvailable(): boolean {
  return typeof speechSynthesis !== "undefined" && typeof SpeechSynthesisUtterance !== "undefined";
}

let pageQueue: SpeechQueue | undefined;

/** One queue for all speech of the page. */
export function pageSpeechQueue(): SpeechQueue | undefined {
  if (isSpeechAvailable()) pageQueue ??= createSpeechQueue(browserSynthesis(speechSynthesis));
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
