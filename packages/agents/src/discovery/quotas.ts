import type { Sender } from "@plenary/protocol";

/** Limits of what one envelope may cause, for all of its events together. Each method is false when its limit is reached. */
export type EnvelopeQuota = {
  takeManifest(): boolean;
  takeCall(): boolean;
  takeQuestion(): boolean;
  /** Of the answer. */
  takeBytes(bytes: number): boolean;
};

const manifestsMax = 50;
const questionsMax = 8;
const callsMax = 1;
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
  const allowances = new WeakMap<Sender, EnvelopeQuota>();
  return (sender) => {
    const quota = allowances.get(sender) ?? newQuota(bytesMax);
    allowances.set(sender, quota);
    return quota;
  };
}

function newQuota(bytesMax: number): EnvelopeQuota {
  const left = { manifests: manifestsMax, questions: questionsMax, calls: callsMax, bytes: bytesMax };
  const take = (what: keyof typeof left, count = 1) => {
    const isEnough = left[what] >= count;
    if (isEnough) left[what] -= count;
    return isEnough;
  };
  return {
    takeManifest: () => take("manifests"),
    takeCall: () => take("calls"),
    takeQuestion: () => take("questions"),
    takeBytes: (bytes) => take("bytes", bytes),
  };
}
