import { type ErrorContent, errorFeature, errorFeatureName } from "@plenary/nemo";
import type { EventOf, Feature } from "@plenary/protocol";

/** The event's own features win. */
export function withFeatures(
  event: EventOf<"utterance">,
  features: Readonly<Record<string, Feature>>,
): EventOf<"utterance"> {
  const { dialogEvent } = event.parameters;
  return {
    ...event,
    parameters: { dialogEvent: { ...dialogEvent, features: { ...features, ...dialogEvent.features } } },
  };
}

/** The text says that something failed; the feature says what. */
export function withError(event: EventOf<"utterance">, error: ErrorContent): EventOf<"utterance"> {
  return withFeatures(event, errorFeatures(error));
}

export function errorFeatures(error: ErrorContent): Record<string, Feature> {
  return { [errorFeatureName]: errorFeature(error) };
}
