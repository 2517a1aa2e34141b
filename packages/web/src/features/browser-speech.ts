import { type Breath, createSpeaker, type Speaker, type Synthesis } from "./speech.ts";

/** A voice that never says it is done must not silence all others. */
const patienceMs = 8_000;
const patiencePerLetterMs = 180;

function isSpeechAvailable(): boolean {
  return typeof speechSynthesis !== "undefined" && typeof SpeechSynthesisUtterance !== "undefined";
}

let speaker: Speaker | undefined;

/** The page has one mouth, so there is one queue for all that wants to be said. */
export function pageSpeaker(): Speaker | undefined {
  if (isSpeechAvailable()) speaker ??= createSpeaker(browserSynthesis(speechSynthesis));
  return speaker;
}

function browserSynthesis(synthesis: SpeechSynthesis): Synthesis {
  // Asking early makes some browsers load them.
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

function say(synthesis: SpeechSynthesis, breath: Breath, onEnd: () => void): () => void {
  const voices = synthesis.getVoices();
  const voice = voices.find(({ voiceURI }) => voiceURI === breath.voice?.voiceURI);
  // Without one of its own the device has nothing to speak with; the words stay here.
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
    patienceMs + (patiencePerLetterMs * breath.text.length) / breath.rate,
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
