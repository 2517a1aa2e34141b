import type { Feature } from "@plenary/protocol";
import { Fragment, type ReactNode, useMemo, useSyncExternalStore } from "react";
import { texts } from "../../texts/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import { Disclosure, RawText } from "../disclosure.tsx";
import { featureText } from "../feature-kind.ts";
import { pageSpeechQueue, type SpeechQueue, type SpeechSource } from "../speech/speech-queue.ts";
import { parseSsml, type SpeechSegment } from "./parse-ssml.ts";

type Props = { feature: Feature; speakerUri: string; isOnly: boolean };

const sourceMax = 20_000;

/** Shows SSML with visible marks, and a button that speaks it. */
export function SsmlFeature({ feature, speakerUri, isOnly }: Props) {
  const source = featureText(feature);
  const segments = useMemo(() => parseSsml(source), [source]);
  if (segments.length === 0) return null;
  return (
    <Disclosure summary={texts.features.ssml} isOpen={isOnly}>
      {() => (
        <div className="feature-ssml">
          <p lang={feature.lang} dir="auto">
            {segments.map((segment, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: segments of one utterance never change
              <Fragment key={index}>
                {index > 0 && !/^[,.;:!?)]/u.test(segment.text) && " "}
                {segment.pauseBeforeMs > 0 && (
                  <span className="feature-mark">{texts.features.pause(segment.pauseBeforeMs / 1000)}</span>
                )}
                <Segment segment={segment} />
              </Fragment>
            ))}
          </p>
          <div className="feature-bar">
            <SpeakButton segments={segments} speakerUri={speakerUri} language={feature.lang} />
            <span className="quiet">{texts.features.approximation}</span>
          </div>
          <RawText summary={texts.features.showSource} text={() => source.slice(0, sourceMax)} />
        </div>
      )}
    </Disclosure>
  );
}

function Segment({ segment }: { segment: SpeechSegment }) {
  const { text, emphasis, language } = segment;
  const marks = marksOf(segment);
  const words: ReactNode =
    emphasis === "strong" ? <strong>{text}</strong> : emphasis === "moderate" ? <em>{text}</em> : text;
  return (
    <>
      {marks.length > 0 && <span className="feature-mark">{marks.join(", ")}</span>}
      <span lang={language}>{words}</span>
    </>
  );
}

function marksOf({ rate, pitch, volume, emphasis }: SpeechSegment): string[] {
  const { manners } = texts.features;
  return [
    ...(rate === 1 ? [] : [rate < 1 ? manners.slow : manners.fast]),
    ...(pitch === 1 ? [] : [pitch < 1 ? manners.low : manners.high]),
    ...(volume === 1 ? [] : [volume === 0 ? manners.silent : manners.soft]),
    ...(emphasis === "reduced" ? [manners.light] : []),
  ];
}

type SpeakProps = { segments: readonly SpeechSegment[]; speakerUri: string; language: string | undefined };

function SpeakButton({ segments, speakerUri, language }: SpeakProps) {
  const speaker = pageSpeechQueue();
  if (speaker === undefined) return <span className="quiet">{texts.features.noVoice}</span>;
  return (
    <LiveButton
      speaker={speaker}
      segments={segments}
      speech={{ speakerUri, ...(language !== undefined && { language }) }}
    />
  );
}

type LiveProps = { speaker: SpeechQueue; segments: readonly SpeechSegment[]; speech: SpeechSource };

function LiveButton({ speaker, segments, speech }: LiveProps) {
  const now = useSyncExternalStore(speaker.onChange, speaker.speaking);
  const isSpeaking = now?.speakerUri === speech.speakerUri;
  return (
    <button
      type="button"
      className="button small"
      onClick={() => (isSpeaking ? speaker.stop() : speaker.speak(segments, speech))}
    >
      <Icon name={isSpeaking ? "stop" : "sound"} size={15} />
      {isSpeaking ? texts.features.stop : texts.features.speak}
    </button>
  );
}
