import { type DialogEvent, type Feature, shownValue, type Token } from "@plenary/protocol";
import { lazy, memo, Suspense, useEffect, useState } from "react";
import { Parts, texts, useTexts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Disclosure, RawText } from "./disclosure.tsx";
import { featuresOf, featureText, joined, type NamedFeature, sizeOf, sizeText } from "./feature-kind.ts";
import { LinkTo, loadable } from "./link-to.tsx";
import { Markdown } from "./markdown/markdown.tsx";

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
        <Suspense key={named.name}>
          <One named={named} dialogEvent={dialogEvent} transcript={transcript} />
        </Suspense>
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
      return <HtmlFeature name={name} feature={feature} />;
    case "ssml":
      return <SsmlFeature feature={feature} speakerUri={dialogEvent.speakerUri} isOnly={transcript === ""} />;
    case "audio":
    case "image":
    case "video":
      return <MediaFeature name={name} kind={kind} feature={feature} transcript={transcript} />;
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
      <RawText summary={texts.features.showRaw} text={() => rawOf(feature)} />
    </div>
  );
}

/** The unchanged tokens, up to a readable length. */
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

/** Text files are offered for download and not shown. */
function FileFeature({ file: { name, text } }: { file: TextFile }) {
  const source = useSource(text);
  return (
    <p className="feature-bar">
      <span className="feature-name" dir="auto">
        {name}
      </span>
      <span className="quiet">{sizeText(new TextEncoder().encode(text).length)}</span>
      <a className="button small" href={source} download={name}>
        <Icon name="down" size={14} />
        {texts.features.download}
      </a>
    </p>
  );
}

/** Without a real MIME type the blob cannot run as a page of this origin when it is opened in a tab. */
function useSource(text: string): string | undefined {
  const [source, setSource] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
    setSource(made);
    return () => URL.revokeObjectURL(made);
  }, [text]);
  return source;
}

/** Text that an agent hands over as a file, such as a transcript. */
type TextFile = { name: string; text: string };

/** File types that run nothing when they are opened. HTML from a disk would run scripts. */
const nameShape = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,60}\.(?:md|txt|csv|mmd|json|jsonl)$/iu;

/** A feature with one token whose `alt` is a file name, as in attachments. */
export function textFileOf(featureName: string, { tokens }: Feature): TextFile | undefined {
  if (["text", "html", "ssml"].includes(featureName) || tokens.length !== 1) return undefined;
  const [{ value, alt }] = tokens as [Token & { alt?: unknown }];
  if (typeof value !== "string" || typeof alt !== "string" || !nameShape.test(alt)) return undefined;
  return { name: alt, text: value };
}

const shownAtOnce = 20_000;
const linksMax = 20;
const alternatesMax = 5;
const doubtfulBelow = 0.5;

/** The text of an utterance. */
function TextFeature({ name, feature }: { name: string; feature: Feature }) {
  const [isWhole, setWhole] = useState(false);
  const words = featureText(feature);
  const isCut = words.length > shownAtOnce && !isWhole;
  return (
    <div className="feature-text" lang={feature.lang} dir="auto">
      {name !== "text" && <p className="feature-name">{name}</p>}
      {words !== "" && <Markdown text={isCut ? cut(words) : words} isPartial={isCut} />}
      {isCut && (
        <Button look="small" text={texts.features.showAll(sizeText(words.length))} onClick={() => setWhole(true)} />
      )}
      <LinkedText tokens={feature.tokens} />
      <UncertainWords feature={feature} />
    </div>
  );
}

function cut(words: string): string {
  const head = words.slice(0, shownAtOnce);
  return head.slice(0, Math.max(head.lastIndexOf("\n"), head.lastIndexOf(" ")) || shownAtOnce);
}

/** Text at a URL is not fetched; it becomes a link. */
function LinkedText({ tokens }: { tokens: readonly Token[] }) {
  const urls = tokens.flatMap(({ value, valueUrl }) =>
    value === undefined && valueUrl !== undefined ? [valueUrl] : [],
  );
  return urls.slice(0, linksMax).map((address, index) => {
    const url = loadable(address);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one utterance never change
      <p key={index} className="quiet">
        {url === undefined ? (
          texts.features.moreAtBadAddress
        ) : (
          <Parts of={texts.features.moreAt(<LinkTo url={url} words={`${url.host}${url.pathname}`.slice(0, 100)} />)} />
        )}
      </p>
    );
  });
}

/** Words with low confidence, and alternatives. */
function UncertainWords({ feature }: { feature: Feature }) {
  const doubtful = feature.tokens.filter(({ confidence = 1 }) => confidence < doubtfulBelow);
  const others = (feature.alternates ?? []).map(joined).filter((words) => words !== "");
  if (doubtful.length === 0 && others.length === 0) return null;
  return (
    <Disclosure summary={doubtful.length > 0 ? texts.features.misheard : texts.features.alsoHeard}>
      {() => (
        <ul className="feature-heard">
          {doubtful.slice(0, alternatesMax).map(({ value, confidence = 0 }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one utterance never change
            <li key={`doubt ${index}`}>
              {texts.features.sure(shownValue(value).slice(0, 200), Math.round(confidence * 100))}
            </li>
          ))}
          {others.slice(0, alternatesMax).map((words, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one utterance never change
            <li key={`other ${index}`}>{texts.features.heardAs(words.slice(0, 500))}</li>
          ))}
        </ul>
      )}
    </Disclosure>
  );
}
