import { type DialogEvent, essenceOf, type Feature, type MediaKind, mediaKindOf, type Token } from "@plenary/protocol";
import { validFeatures } from "@plenary/transcript";
import { texts } from "../texts/texts.ts";

type FeatureKind = "text" | "html" | "ssml" | MediaKind | "other";

export type NamedFeature = { name: string; kind: FeatureKind; feature: Feature };

const order: readonly FeatureKind[] = ["text", "html", "ssml", "audio", "image", "video", "other"];

/** Prompts and replies (D31) have their own components, errors appear as text, and steps stay in the log. */
const shownElsewhere = new Set(["interaction", "interactionReply", "steps", "error"]);

/** Features of an utterance in display order, text first. */
export function featuresOf({ features }: DialogEvent): NamedFeature[] {
  const named = Object.entries(validFeatures(features))
    .filter(([name]) => !shownElsewhere.has(name))
    .map(([name, feature]) => ({ name, feature, kind: featureKindOf(name, feature) }));
  const rank = ({ name, kind }: NamedFeature) => order.indexOf(kind) * 2 + (name === kind ? 0 : 1);
  return named.sort((a, b) => rank(a) - rank(b));
}

function featureKindOf(name: string, { mimeType }: Feature): FeatureKind {
  if (name === "text" || name === "html" || name === "ssml" || name === "audio") return name;
  // A feature name may carry any medium, so the MIME type decides.
  const medium = mediaKindOf(mimeType);
  if (medium !== undefined) return medium;
  const type = essenceOf(mimeType);
  if (type === "text/plain" || type === "text/markdown") return "text";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (type === "application/ssml+xml") return "ssml";
  return name === "image" || name === "video" ? name : "other";
}

/** Spec 1.10.1: the values of the tokens, one after the other, nothing between. */
export function featureText(feature: Feature): string {
  return joined(feature.tokens);
}

export function joined(tokens: readonly Token[]): string {
  return tokens.map(({ value }) => (typeof value === "string" ? value : "")).join("");
}

/** Approximate size in bytes, as transmitted. */
export function sizeOf({ tokens }: Feature): number {
  const size = ({ value }: Token) => (typeof value === "string" ? value.length : (JSON.stringify(value)?.length ?? 0));
  return tokens.reduce((sum, token) => sum + size(token), 0);
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return texts.features.bytes(bytes);
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
