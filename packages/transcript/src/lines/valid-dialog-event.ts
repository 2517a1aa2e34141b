import { type Feature, isRecord, recordOf, type Token } from "@plenary/protocol";
import type { DialogEvent, ShownEvent } from "../transcript.ts";

/**
 * A received dialog event in the shape that readers rely on. The floor ensures this shape, so most pass unchanged;
 * an invalid one loses its own content and never breaks the page.
 */
export function validDialogEvent({ seq, sender, event }: ShownEvent): DialogEvent {
  const { dialogEvent: given } = recordOf(recordOf(event).parameters);
  const { id, speakerUri, span, features } = recordOf(given);
  const isValid = typeof id === "string" && typeof speakerUri === "string" && isRecord(span);
  const valid = validFeatures(features);
  if (isValid && valid === features) return given as DialogEvent;
  return {
    id: typeof id === "string" ? id : `entry ${seq}`,
    speakerUri: typeof speakerUri === "string" ? speakerUri : sender,
    span: isRecord(span) ? span : {},
    features: valid,
  } as DialogEvent;
}

/** Returns the same object when it is valid. An invalid feature becomes one with its value as the only token. */
export function validFeatures(given: unknown): DialogEvent["features"] {
  const features = recordOf(given);
  for (const name of Object.keys(features)) if (!isFeature(features[name])) return repaired(features);
  return features as DialogEvent["features"];
}

function repaired(features: Readonly<Record<string, unknown>>): DialogEvent["features"] {
  const valid = Object.entries(features).map(
    ([name, one]) => [name, isFeature(one) ? one : asJsonFeature(one)] as const,
  );
  return Object.fromEntries(valid);
}

function asJsonFeature(value: unknown): Feature {
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
