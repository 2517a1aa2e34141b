import { type Feature, isRecord, recordOf, type Token } from "@plenary/protocol";
import type { DialogEvent, ShownEvent } from "../transcript.ts";

/**
 * What strangers said, in the shape that the page relies on. The floor sees to that shape, so most of it passes as it came;
 * one that does not costs its own words and never the page.
 */
export function dialogEventIn({ seq, sender, event }: ShownEvent): DialogEvent {
  const { dialogEvent: given } = recordOf(recordOf(event).parameters);
  const { id, speakerUri, span, features } = recordOf(given);
  const isSound = typeof id === "string" && typeof speakerUri === "string" && isRecord(span);
  const sound = soundFeatures(features);
  if (isSound && sound === features) return given as DialogEvent;
  return {
    id: typeof id === "string" ? id : `entry ${seq}`,
    speakerUri: typeof speakerUri === "string" ? speakerUri : sender,
    span: isRecord(span) ? span : {},
    features: sound,
  } as DialogEvent;
}

/** The same object when all is well. What is no feature is one whose only token is what came instead. */
export function soundFeatures(given: unknown): DialogEvent["features"] {
  const features = recordOf(given);
  for (const name of Object.keys(features)) if (!isFeature(features[name])) return mended(features);
  return features as DialogEvent["features"];
}

function mended(features: Readonly<Record<string, unknown>>): DialogEvent["features"] {
  const sound = Object.entries(features).map(([name, one]) => [name, isFeature(one) ? one : instead(one)] as const);
  return Object.fromEntries(sound);
}

function instead(value: unknown): Feature {
  return { mimeType: "application/json", tokens: [{ value: value as NonNullable<Token["value"]> }] };
}

function isFeature(value: unknown): value is Feature {
  if (!isRecord(value) || typeof value.mimeType !== "string" || !isListOf(value.tokens, isToken)) return false;
  const { lang, alternates } = value;
  if (lang !== undefined && typeof lang !== "string") return false;
  return alternates === undefined || isListOf(alternates, (tokens) => isListOf(tokens, isToken));
}

function isToken(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { valueUrl, confidence } = value;
  const hasUrl = valueUrl === undefined || typeof valueUrl === "string";
  return hasUrl && (confidence === undefined || typeof confidence === "number");
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}
