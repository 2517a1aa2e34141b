import type { Sender } from "@plenary/protocol";

/** Manifests in one answer: to callers without a verified identity, and to a floor that vouches for its senders. */
export const answerBytesMax = { stranger: 65_536, floor: 262_144 };

const intake = { bytesPerS: 65_536, burst: 1_048_576 };

/** A token bucket for the manifests of all anonymous senders: indexing them takes time that delays other requests. */
export function createIntakeLimit(now: () => number): (bytes: number) => boolean {
  let [left, at] = [intake.burst, now()];
  return (bytes) => {
    left = Math.min(intake.burst, left + (Math.max(0, now() - at) / 1_000) * intake.bytesPerS);
    at = now();
    const isEnough = left >= bytes;
    if (isEnough) left -= bytes;
    return isEnough;
  };
}

/** Keyed by the sender object, which all events of an envelope share. */
export function createEnvelopeQuotas(bytesMax: number): (sender: Sender) => EnvelopeQuota {
  const quotas = new WeakMap<Sender, EnvelopeQuota>();
  return (sender) => {
    const quota = quotas.get(sender) ?? newQuota(bytesMax);
    quotas.set(sender, quota);
    return quota;
  };
}

export type EnvelopeQuota = ReturnType<typeof newQuota>;

/** Limits of what one envelope may cause, for all of its events together; `bytes` of the answer. False at the limit. */
function newQuota(bytes: number) {
  const left = { manifests: 50, questions: 8, calls: 1, bytes };
  return (what: keyof typeof left, count = 1): boolean => {
    const isEnough = left[what] >= count;
    if (isEnough) left[what] -= count;
    return isEnough;
  };
}
