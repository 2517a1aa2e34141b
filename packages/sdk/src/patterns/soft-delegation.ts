import { type FloorEvent, isPrivate, publishManifests, type ScoredManifest } from "@plenary/protocol";
import { askerOf, type Stage, type Step, spoken } from "../scene.ts";

const recommendedMax = 16;

/**
 * Spec 1.18: asked for what one cannot do, one names those who can. Our choice: publishManifests is for everyone, so that to a
 * whisper only the names are whispered.
 */
export function softDelegation(
  manifests: readonly ScoredManifest[],
  say: string | undefined,
  { event, replyTo }: Step,
  scene: Stage,
): FloorEvent[] {
  const servicingManifests = manifests.slice(0, recommendedMax);
  if (isPrivate(event)) {
    const names = servicingManifests.map(({ identification: { conversationalName, serviceUrl } }) =>
      conversationalName === "" ? serviceUrl : `${conversationalName} (${serviceUrl})`,
    );
    const words = [say ?? "", names.join(", ")].filter((part) => part !== "").join(" ");
    return words === "" ? [] : [spoken(words, replyTo, scene)];
  }
  const words = say === undefined || say === "" ? [] : [spoken(say, replyTo, scene)];
  return [...words, publishManifests({ to: askerOf(scene), servicingManifests })];
}
