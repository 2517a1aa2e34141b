import { errorMimeType, stepsFeatureName, stepsMimeType } from "@plenary/nemo";
import { mediaKindOf, textOf } from "@plenary/protocol";
import type { UtteranceLine } from "@plenary/transcript";
import { withoutMarkdown } from "./participants.ts";

type DialogEvent = UtteranceLine["dialogEvent"];
type Feature = DialogEvent["features"][string];

const partsMax = 10;
const nameCharsMax = 60;
const urlCharsMax = 8_192;
/** Features that the renderer shows in another way, or that repeat the text. */
const notAttachments = new Set(["text", "interaction", "interactionReply", stepsFeatureName]);

/** The attachments of an utterance, one paragraph each: `(image: <https://...>)`. */
export function attachmentText(dialogEvent: DialogEvent): string {
  const hasText = textOf(dialogEvent).trim() !== "";
  const lines = Object.entries(dialogEvent.features).flatMap(([name, feature]) => lineOf(name, feature, hasText));
  const more = lines.length > partsMax ? [`(and ${lines.length - partsMax} more)`] : [];
  return [...lines.slice(0, partsMax), ...more].join("\n\n");
}

function lineOf(name: string, feature: Feature, hasText: boolean): string[] {
  if (name === "text") return urlsIn(feature).map((url) => `(text: <${url}>)`);
  if (notAttachments.has(name) || feature.mimeType === stepsMimeType || feature.mimeType === errorMimeType) return [];
  const medium = mediaKindOf(feature.mimeType);
  const kind = medium ?? withoutMarkdown(name, nameCharsMax);
  const urls = urlsIn(feature);
  if (urls.length > 0) return urls.map((url) => `(${kind}: <${url}>)`);
  // Features of other kinds repeat the text in another form.
  return medium !== undefined || !hasText ? [`(${kind}: ${withoutMarkdown(feature.mimeType, nameCharsMax)})`] : [];
}

function urlsIn({ tokens }: Feature): string[] {
  return tokens.flatMap(({ value, valueUrl }) => webAddress(valueUrl ?? value) ?? []);
}

/** An address that is safe to show and open: http or https, no credentials, no characters that end a link. */
export function webAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > urlCharsMax || !/^https?:\/\/[!-;=?-~]+$/iu.test(value)) {
    return undefined;
  }
  if (!URL.canParse(value)) return undefined;
  const { username, password } = new URL(value);
  return username === "" && password === "" && !/[`"\\]/u.test(value) ? value : undefined;
}
