import { type ErrorContent, errorFeature, errorFeatureName } from "@plenary/nemo";
import type { EventOf, Feature } from "@plenary/protocol";

/** Its own features win. */
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

/** Its words say that something failed; this is what. */
export function withError(event: EventOf<"utterance">, error: ErrorContent): EventOf<"utterance"> {
  return withFeatures(event, errorFeatures(error));
}

export function errorFeatures(error: ErrorContent): Record<string, Feature> {
  return { [errorFeatureName]: errorFeature(error) };
}
