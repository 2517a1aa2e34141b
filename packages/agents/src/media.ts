// Images, sound and video of an utterance, for agents whose model or workflow can read them.
import type { DialogEvent, Token } from "@plenary/protocol";

const kinds = ["image", "audio", "video"] as const;

type MediaKind = (typeof kinds)[number];

/** Input of an agent: text always, media if its model or workflow accepts them. */
export type Layer = "text" | MediaKind;

export type Medium = {
  kind: MediaKind;
  /** `image/png`, or `image/*` for an address of unknown type. */
  mimeType: string;
  /** A `data:` URL, or the address. */
  url: string;
  /** Base64, for content in the envelope. */
  data?: string;
  /** The file name. */
  name?: string;
};

/** Per utterance; an envelope has about a million characters. */
const mediaMax = 16;
const charsMax = 1_500_000;
const addressCharsMax = 2_048;

/** In the order of the features. Ignores values that are neither base64 nor an address. */
export function mediaIn({ features }: Pick<DialogEvent, "features">): Medium[] {
  let chars = 0;
  return Object.values(features)
    .flatMap(({ mimeType, tokens }) => tokens.flatMap((token) => mediumOf(mimeType, token) ?? []))
    .filter(({ url }) => {
      chars += url.length;
      return chars <= charsMax;
    })
    .slice(0, mediaMax);
}

function mediumOf(type: string, { value, valueUrl, ...others }: Token & { alt?: unknown }): Medium | undefined {
  const [mimeType = ""] = type.toLowerCase().split(";");
  const kind = kinds.find((one) => mimeType.startsWith(`${one}/`));
  if (kind === undefined || !/^[a-z]+\/[\w.+*-]{1,60}$/u.test(mimeType)) return undefined;
  const about = { kind, mimeType, ...(typeof others.alt === "string" && { name: others.alt }) };
  if (valueUrl !== undefined) return isWebAddress(valueUrl, addressCharsMax) ? { ...about, url: valueUrl } : undefined;
  const data = typeof value === "string" ? value.replace(/^data:[^,]*,/u, "").replaceAll(/\s/gu, "") : "";
  const isReadable = data !== "" && /^[A-Za-z0-9+/_-]+={0,2}$/u.test(data);
  return isReadable ? { ...about, url: `data:${mimeType};base64,${data}`, data } : undefined;
}

/** Without credentials. */
export function isWebAddress(text: string, charsMax: number): boolean {
  if (text.length > charsMax || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

/** Audio format names of the OpenAI API and the NeMo toolkit. */
export function formatOf({ mimeType }: Medium): string {
  const format = mimeType.slice(mimeType.indexOf("/") + 1).replace(/^x-/u, "");
  return { mpeg: "mp3", wave: "wav", "*": "wav" }[format] ?? format;
}

export type Sorted = { read: Medium[]; unread: Medium[] };

export function sortedBy(isRead: (medium: Medium) => boolean, media: readonly Medium[]): Sorted {
  return { read: media.filter(isRead), unread: media.filter((medium) => !isRead(medium)) };
}

/** Without text a placeholder names the media: models need some text. */
export function wordsOf(text: string, media: readonly Medium[]): string {
  return text.trim() === "" ? standIn(media) : text;
}

/** Clients send such a placeholder, too. */
function standIn(media: readonly Medium[]): string {
  return media.map(({ kind }) => `[${kind}]`).join(" ");
}

const names: Record<MediaKind, string> = { image: "pictures", audio: "sound", video: "video" };

/** A notice for the sender. */
export function unreadWords({ read, unread }: Sorted, text: string): string {
  const what = kinds.filter((kind) => unread.some((medium) => medium.kind === kind)).map((kind) => names[kind]);
  const used = isUnreadable({ read, unread }, text)
    ? "and there was no text"
    : `so I used only ${read.length === 0 ? "your text" : "the rest"}`;
  return `I cannot read ${what.join(" or ")}, ${used}.`;
}

/** Nothing is left without the unread media: the text is empty, a placeholder, or the list of file names that the page sends. */
export function isUnreadable({ read, unread }: Sorted, text: string): boolean {
  const files = unread.map(({ name = "" }) => name).join(", ");
  return unread.length > 0 && read.length === 0 && ["", standIn(unread), files].includes(text.trim());
}
