import type { Line, UtteranceLine } from "@plenary/transcript";
import { speakerText } from "../../texts/texts.ts";
import { featuresOf, featureText } from "../feature-kind.ts";
import { spokenTextOf } from "../plain-text.ts";
import { parseSsml, type SpeechSegment } from "../ssml/parse-ssml.ts";
import type { SpeechQueue } from "./speech-queue.ts";

export type ReadAloud = { read(lines: readonly Line[], nameOf?: (speakerUri: string) => string): void };

/** Reads utterances of others aloud, once and in order. The first lines it gets are the past and are skipped. */
export function createReadAloud(speaker: Pick<SpeechQueue, "speak">, me: string): ReadAloud {
  let heard: number | undefined;
  let last: string | undefined;
  return {
    read(lines, nameOf) {
      const newest = lines.at(-1)?.seq ?? 0;
      const since = heard ?? newest;
      for (const line of newsAfter(since, lines)) {
        const { sender } = line;
        // Other people in the room must not hear a whisper.
        if (line.isWhisper || sender === me) continue;
        const language = line.dialogEvent.features.text?.lang;
        const words = segmentsOf(line);
        if (words.length === 0) continue;
        const who = speakerText(line, (speakerUri) => speakerUri);
        const name = who === last || nameOf === undefined ? undefined : speakerText(line, nameOf);
        const segments = name === undefined ? words : [plainSegment(`${name}:`), ...words];
        last = who;
        speaker.speak(segments, { speakerUri: sender, ...(language !== undefined && { language }) });
      }
      heard = Math.max(since, newest);
    },
  };
}

function newsAfter(seq: number, lines: readonly Line[]): UtteranceLine[] {
  const from = lines.findLastIndex((line) => line.seq <= seq) + 1;
  return lines.slice(from).filter((line) => line.kind === "utterance");
}

/** The SSML of an utterance, or else its text. */
function segmentsOf({ dialogEvent }: UtteranceLine): SpeechSegment[] {
  const ssml = featuresOf(dialogEvent).find(({ kind }) => kind === "ssml");
  const spoken = ssml === undefined ? [] : parseSsml(featureText(ssml.feature));
  const words = spokenTextOf(dialogEvent);
  return spoken.length > 0 || words === "" ? spoken : [plainSegment(words)];
}

function plainSegment(text: string): SpeechSegment {
  return { text, pauseBeforeMs: 0, rate: 1, pitch: 1, volume: 1 };
}
