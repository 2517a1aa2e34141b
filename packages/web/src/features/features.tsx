import type { Feature } from "@plenary/protocol";
import { lazy, memo, Suspense } from "react";
import type { DialogEvent } from "../api/types.ts";
import { texts, useTexts } from "../texts/texts.ts";
import { Disclosure } from "./disclosure.tsx";
import { featuresOf, featureText, type NamedFeature, sizeOf, sizeText } from "./feature-kind.ts";
import { FileFeature, textFileOf } from "./file-feature.tsx";
import { TextFeature } from "./text-feature.tsx";

/** Loaded on demand: most utterances are text. */
const HtmlFeature = lazy(async () => ({ default: (await import("./html-feature.tsx")).HtmlFeature }));
const MediaFeature = lazy(async () => ({ default: (await import("./media-feature.tsx")).MediaFeature }));
const SsmlFeature = lazy(async () => ({ default: (await import("./ssml/ssml-feature.tsx")).SsmlFeature }));

const featuresMax = 30;
const stringMax = 500;
const jsonMax = 8_000;

/** All features of an utterance, text first. */
export const Features = memo(function Features({ dialogEvent }: { dialogEvent: DialogEvent }) {
  useTexts();
  const features = featuresOf(dialogEvent);
  const text = dialogEvent.features.text;
  const transcript = text === undefined ? "" : featureText(text).trim();
  return (
    <div className="feature-list">
      {features.slice(0, featuresMax).map((named) => (
        <One key={named.name} named={named} dialogEvent={dialogEvent} transcript={transcript} />
      ))}
      {features.length > featuresMax && (
        <p className="quiet">{texts.features.moreFeatures(features.length - featuresMax)}</p>
      )}
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
      return (
        <Suspense>
          <MediaFeature name={name} kind={kind} feature={feature} transcript={transcript} />
        </Suspense>
      );
    case "other":
      return <OtherFeature name={name} feature={feature} />;
    default:
      return kind satisfies never;
  }
}

/** An unknown feature appears with its name, type and size. */
function OtherFeature({ name, feature }: { name: string; feature: Feature }) {
  const { mimeType, lang } = feature;
  return (
    <div className="feature-other">
      <p>
        <span className="feature-name" dir="auto">
          {name.slice(0, 200)}
        </span>{" "}
        <span className="quiet">
          {[mimeType.slice(0, 200), lang, sizeText(sizeOf(feature))].filter((word) => word).join(", ")}
        </span>
      </p>
      <RawTokens feature={feature} />
    </div>
  );
}

/** The unchanged tokens, up to a readable length. */
function RawTokens({ feature }: { feature: Feature }) {
  return (
    <Disclosure summary={texts.features.showRaw}>
      {() => (
        <pre className="feature-raw" dir="ltr">
          {rawOf(feature)}
        </pre>
      )}
    </Disclosure>
  );
}

function rawOf({ tokens, alternates }: Feature): string {
  const shorten = (_key: string, value: unknown) =>
    typeof value === "string" && value.length > stringMax
      ? `${value.slice(0, stringMax)}... (${texts.features.characters(value.length)})`
      : value;
  const some = tokens.slice(0, 100);
  const json = JSON.stringify(alternates === undefined ? some : { tokens: some, alternates }, shorten, 2);
  const isCut = json.length > jsonMax || some.length < tokens.length;
  return isCut ? `${json.slice(0, jsonMax)}\n... (${texts.features.notAllShown})` : json;
}
