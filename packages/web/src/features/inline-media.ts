import { essenceOf, type MediaKind, type Token } from "@plenary/protocol";
import { texts } from "../texts/texts.ts";
import { sizeText } from "./feature-kind.ts";
import { loadable } from "./url.ts";

/** Location of a token's bytes, or the reason why they are not shown. */
export type Media =
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
