import type { Sender } from "@plenary/protocol";

/** What one envelope may cause, however many events it has. */
export type Allowance = {
  /** False when that is one manifest too many. */
  takeManifest(): boolean;
  /** False when somebody was called for it already. */
  takeCall(): boolean;
  /** False when it has asked enough. */
  takeQuestion(): boolean;
  /** False when so much more would be too much of an answer. */
  takeBytes(bytes: number): boolean;
};

const manifestsMax = 50;
const questionsMax = 8;
const callsMax = 1;
/** Of manifests in an answer: to callers whose names nobody has checked, and to a floor that speaks for its own. */
export const answerBytesMax = { stranger: 65_536, floor: 262_144 };

const intake = { bytesPerS: 65_536, burst: 1_048_576 };

/** Manifests that strangers tell, all together: to make their words ready to be found takes time that others wait. */
export function createIntake(now: () => number): (bytes: number) => boolean {
  let [left, at] = [intake.burst, now()];
  return (bytes) => {
    left = Math.min(intake.burst, left + (Math.max(0, now() - at) / 1_000) * intake.bytesPerS);
    at = now();
    const isEnough = left >= bytes;
    if (isEnough) left -= bytes;
    return isEnough;
  };
}

/** By the sender of an envelope, which all of its events share. */
export function createAllowances(bytesMax: number): (sender: Sender) => Allowance {
  const allowances = new WeakMap<Sender, Allowance>();
  return (sender) => {
    const allowance = allowances.get(sender) ?? allowanceOf(bytesMax);
    allowances.set(sender, allowance);
    return allowance;
  };
}

function allowanceOf(bytesMax: number): Allowance {
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
