import type { Feature } from "@plenary/protocol";
import { troubleIn } from "./parse-server-message.ts";
import type { ErrorContent } from "./server-message.ts";

/** The feature `error` of an utterance: its words say that something failed, and this is the failure itself. */
export const errorMimeType = "application/vnd.plenary.error+json";

export const errorFeatureName = "error";

export function errorFeature({ code, message, details }: ErrorContent): Feature {
  return { mimeType: errorMimeType, tokens: [{ value: { code, message, details } }] };
}

/** Of whoever wrote it: only under our own type, a code that nobody knows is another one, and what is long is cut. */
export function errorIn(features: Readonly<Record<string, Feature>>): ErrorContent | undefined {
  const feature = Object.values(features).find(({ mimeType }) => mimeType === errorMimeType);
  const value = feature?.tokens[0]?.value;
  return value === undefined ? undefined : troubleIn(value);
}
