import { essenceOf, type Feature, type MediaKind, type Token } from "@plenary/protocol";
import { useEffect, useMemo, useState } from "react";
import { texts } from "../texts/texts.ts";
import { Icon } from "../ui/icon.tsx";
import { sizeText } from "./feature-kind.ts";
import { LinkTo, loadable } from "./link-to.tsx";

type Props = {
  name: string;
  kind: MediaKind;
  feature: Feature;
  /** Text of the same utterance. */
  transcript: string;
};

const shownMax = 8;

/** Audio, images and video. External media load only on request, and nothing plays by itself. */
export function MediaFeature({ name, kind, feature, transcript }: Props) {
  const { tokens, mimeType } = feature;
  return (
    <div className="feature-media" lang={feature.lang}>
      {name !== kind && <p className="feature-name">{name}</p>}
      {tokens.slice(0, shownMax).map((token, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one utterance never change
        <One key={index} name={name} kind={kind} token={token} mimeType={mimeType} transcript={transcript} />
      ))}
      {tokens.length > shownMax && <p className="quiet">{texts.features.moreMedia(tokens.length - shownMax)}</p>}
    </div>
  );
}

type OneProps = { name: string; kind: MediaKind; token: Token; mimeType: string; transcript: string };

function One({ name, kind, token, mimeType, transcript }: OneProps) {
  const media = useMemo(() => mediaOf(token, mimeType, kind), [token, mimeType, kind]);
  const alt = altOf(token);
  if (media.at === "nowhere") return <p className="feature-problem">{media.problem}</p>;
  if (media.at === "here") return <Here name={name} kind={kind} media={media} transcript={transcript} alt={alt} />;
  if (kind !== "image") return <Elsewhere url={media.url} kind={kind} label={alt ?? labelOf(kind, transcript)} />;
  return (
    <p>
      {texts.features.mediaTitles.image}: <LinkTo url={media.url} words={alt ?? media.url.host} />{" "}
      <span className="quiet">{texts.features.at(media.url.host)}</span>
    </p>
  );
}

type HereProps = {
  name: string;
  kind: MediaKind;
  media: Extract<Media, { at: "here" }>;
  transcript: string;
  alt: string | undefined;
};

function Here({ name, kind, media, transcript, alt }: HereProps) {
  const source = useSource(media);
  const [isBroken, setBroken] = useState(false);
  if (source === undefined) return null;
  const download = (
    <a className="button plain small" href={source} download={fileNameOf(alt ?? name, media.mimeType)}>
      <Icon name="down" size={14} />
      {texts.features.download}
    </a>
  );
  if (isBroken)
    return (
      <p className="feature-problem">
        {texts.features.cannotShow(media.mimeType)} {download}
      </p>
    );
  const onError = () => setBroken(true);
  return (
    <figure className="feature-box">
      {kind === "image" ? (
        <img src={source} alt={alt ?? texts.features.imageWithoutAlt} onError={onError} />
      ) : (
        <Player source={source} kind={kind} label={alt ?? labelOf(kind, transcript)} onError={onError} />
      )}
      <figcaption className="feature-bar">
        <span className="quiet">{alt ?? captionOf(kind, transcript)}</span>
        {download}
      </figcaption>
    </figure>
  );
}

type PlayerProps = { source: string; kind: "audio" | "video"; label: string; onError: () => void };

function Player({ source, kind, label, onError }: PlayerProps) {
  return kind === "audio" ? (
    // biome-ignore lint/a11y/useMediaCaption: its words are the text of the same utterance
    <audio controls preload="none" src={source} aria-label={label} onError={onError} />
  ) : (
    // biome-ignore lint/a11y/useMediaCaption: its words are the text of the same utterance
    <video controls preload="none" src={source} aria-label={label} onError={onError} playsInline />
  );
}

function Elsewhere({ url, kind, label }: { url: URL; kind: "audio" | "video"; label: string }) {
  const [state, setState] = useState<"closed" | "open" | "broken">("closed");
  if (state === "open")
    return <Player source={url.href} kind={kind} label={label} onError={() => setState("broken")} />;
  return (
    <p className="feature-bar">
      {state === "broken" && <span className="feature-problem">{texts.features.notPlayable}</span>}
      <button type="button" className="button small" onClick={() => setState("open")}>
        <Icon name={kind === "audio" ? "sound" : "play"} size={15} />
        {state === "broken" ? texts.common.tryAgain : texts.features.load[kind](url.host)}
      </button>
      <LinkTo url={url} words={texts.features.newTab} />
    </p>
  );
}

/** A URL for inline bytes while they are shown. */
function useSource({ mimeType, base64 }: Extract<Media, { at: "here" }>): string | undefined {
  const [source, setSource] = useState<string>();
  // An SVG runs nothing as an image. A blob URL would let it run as a page of this origin when opened alone.
  const isSvg = mimeType === "image/svg+xml";
  useEffect(() => {
    if (isSvg) return;
    const made = URL.createObjectURL(new Blob([bytesOf(base64)], { type: mimeType }));
    setSource(made);
    return () => URL.revokeObjectURL(made);
  }, [isSvg, mimeType, base64]);
  return isSvg ? `data:${mimeType};base64,${base64}` : source;
}

/** Not in the specification; attachments of this page have it. */
function altOf(token: Token & { alt?: unknown }): string | undefined {
  return typeof token.alt === "string" && token.alt.trim() !== "" ? token.alt.slice(0, 300) : undefined;
}

function labelOf(kind: "audio" | "video", transcript: string): string {
  const noun = texts.features.mediaTitles[kind];
  return transcript === "" ? noun : `${noun}: ${transcript.slice(0, 100)}`;
}

function captionOf(kind: MediaKind, transcript: string): string {
  if (kind === "image") return texts.features.noDescription;
  return transcript === "" ? texts.features.noTranscript : texts.features.transcriptAbove;
}

/** Location of a token's bytes, or the reason why they are not shown. */
type Media =
  | { at: "here"; mimeType: string; base64: string }
  | { at: "elsewhere"; url: URL }
  | { at: "nowhere"; problem: string };

/** Larger data would freeze the page. */
export const inlineBytesMax = 8_000_000;

const imageTypes = /^image\/(?:png|jpeg|jpg|gif|webp|avif|svg\+xml)$/u;
const soundTypes = /^(?:audio|video)\/[\w.+-]{1,60}$/u;

export function mediaOf(token: Token, mimeType: string, kind: MediaKind): Media {
  const { value, valueUrl } = token;
  const written = typeof value === "string" ? value : (valueUrl ?? "");
  if (/^data:/iu.test(written)) return fromDataUrl(written, kind);
  if (typeof value === "string") return fromBase64(value, essenceOf(mimeType), kind);
  if (valueUrl === undefined) return nowhere(texts.features.wrongForm(texts.features.media[kind]));
  const url = loadable(valueUrl);
  return url === undefined
    ? nowhere(texts.features.wrongAddress(texts.features.media[kind]))
    : { at: "elsewhere", url };
}

function fromDataUrl(text: string, kind: MediaKind): Media {
  const comma = text.slice(0, 200).indexOf(",");
  const [, mimeType = ""] = /^data:([^;,]*)(?:;[^;,]*)*;base64$/iu.exec(text.slice(0, Math.max(0, comma))) ?? [];
  return fromBase64(comma < 0 || mimeType === "" ? "" : text.slice(comma + 1), essenceOf(mimeType), kind);
}

function fromBase64(written: string, mimeType: string, kind: MediaKind): Media {
  const noun = texts.features.media[kind];
  const isShown = kind === "image" ? imageTypes.test(mimeType) : soundTypes.test(mimeType);
  if (!isShown) return nowhere(texts.features.wrongType(noun, mimeType.slice(0, 80) || texts.features.unknownType));
  const bytes = Math.floor((written.length * 3) / 4);
  if (bytes > inlineBytesMax) return nowhere(texts.features.tooLarge(noun, sizeText(bytes)));
  const base64 = written.replace(/\s+/gu, "").replace(/-/gu, "+").replace(/_/gu, "/");
  const isSound =
    base64 !== "" && /^[A-Za-z0-9+/]+={0,2}$/u.test(base64) && base64.replace(/=+$/u, "").length % 4 !== 1;
  return isSound ? { at: "here", mimeType, base64 } : nowhere(texts.features.damaged(noun));
}

function nowhere(problem: string): Media {
  return { at: "nowhere", problem };
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64.replace(/=+$/u, ""));
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

const endings: Readonly<Record<string, string>> = {
  jpeg: "jpg",
  "svg+xml": "svg",
  mpeg: "mp3",
  "x-flac": "flac",
  "x-wav": "wav",
  quicktime: "mov",
};

/** File name for downloads. */
export function fileNameOf(name: string, mimeType: string): string {
  const base = name.replace(/[^\p{L}\p{N} _-]+/gu, "-").slice(0, 60) || "feature";
  const [, subtype = "bin"] = mimeType.split("/");
  return `${base}.${Object.hasOwn(endings, subtype) ? endings[subtype] : subtype.replace(/[^\w]+/gu, "").slice(0, 10)}`;
}
