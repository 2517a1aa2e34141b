import type { Feature } from "@plenary/protocol";
import { lazy, memo, Suspense } from "react";
import type { DialogEvent } from "../wire/types.ts";
import { featuresOf, type NamedFeature, sizeInWords, sizeOf, wordsOf } from "./feature-kind.ts";
import { FileFeature } from "./file-feature.tsx";
import { MediaFeature } from "./media-feature.tsx";
import { RawTokens } from "./raw-tokens.tsx";
import { TextFeature } from "./text-feature.tsx";
import { textFileOf } from "./text-file.ts";

/** These come when they are needed: few agents write HTML or SSML. */
const HtmlFeature = lazy(async () => ({ default: (await import("./html-feature.tsx")).HtmlFeature }));
const SsmlFeature = lazy(async () => ({ default: (await import("./ssml-feature.tsx")).SsmlFeature }));

const featuresMax = 30;

/** Everything an utterance carries, words first. */
export const Features = memo(function Features({ dialogEvent }: { dialogEvent: DialogEvent }) {
  const features = featuresOf(dialogEvent);
  const text = dialogEvent.features.text;
  const transcript = text === undefined ? "" : wordsOf(text).trim();
  return (
    <div className="feature-list">
      {features.slice(0, featuresMax).map((named) => (
        <One key={named.name} named={named} {...{ dialogEvent, transcript }} />
      ))}
      {features.length > featuresMax && <p className="quiet">And {features.length - featuresMax} more features.</p>}
    </div>
  );
});

type OneProps = { named: NamedFeature; dialogEvent: DialogEvent; transcript: string };

function One({ named, dialogEvent, transcript }: OneProps) {
  const { name, kind, feature } = named;
  const file = textFileOf(name, feature);
  if (file !== undefined) return <FileFeature file={file} />;
  switch (kind) {
    case "text":
      return <TextFeature name={name} feature={feature} />;
    case "html":
      return (
        <Suspense>
          <HtmlFeature name={name} feature={feature} />
        </Suspense>
      );
    case "ssml":
      return (
        <Suspense>
          <SsmlFeature feature={feature} speakerUri={dialogEvent.speakerUri} isOnly={transcript === ""} />
        </Suspense>
      );
    case "audio":
    case "image":
    case "video":
      return <MediaFeature {...{ name, kind, feature, transcript }} />;
    case "other":
      return <OtherFeature name={name} feature={feature} />;
    default:
      return kind satisfies never;
  }
}

/** Of an unknown feature the page says honestly what it knows. */
function OtherFeature({ name, feature }: { name: string; feature: Feature }) {
  const { mimeType, lang } = feature;
  return (
    <div className="feature-other">
      <p>
        <span className="feature-name" dir="auto">
          {name.slice(0, 200)}
        </span>{" "}
        <span className="quiet">
          {[mimeType.slice(0, 200), lang, sizeInWords(sizeOf(feature))].filter((word) => word).join(", ")}
        </span>
      </p>
      <RawTokens feature={feature} />
    </div>
  );
}
